"""Parsing and writing specs, the texts that name players with their options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena.errors import BadOption, ModelError, UnknownName, UsageError
from arena.plugins.specs import identity, parse, parse_list, with_new_options
from fake_plugin import COUNTING, REGISTRY, SHIPPED, Counting, Level, Plain, Shape

if TYPE_CHECKING:
    from pathlib import Path

COUNTED = ["evaluator mobility", "evaluator note"]


def canonical(text: str) -> str:
    return parse("player", text, REGISTRY).text


def player(text: str) -> Any:
    return parse("player", text, REGISTRY).create()


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "mine.safetensors"
    arena.Model("lms", {"w": np.arange(3.0)}).save(path, {})
    return path


def test_fake_plugin_has_no_problems() -> None:
    assert REGISTRY.problems == []


# Names and options


def test_spec_may_be_a_name_alone() -> None:
    spec = parse("player", " plain ", REGISTRY)
    assert (spec.text, spec.name, spec.options, spec.weights) == ("plain", "plain", {}, None)
    assert spec.registered is REGISTRY.get("player", "plain")
    assert type(spec.create()) is Plain


def test_create_returns_a_new_instance_with_a_new_evaluator() -> None:
    spec = parse("player", "searcher", REGISTRY)
    one, other = spec.create(), spec.create()
    assert one is not other
    assert one.evaluator is not other.evaluator
    assert type(one.evaluator) is Counting
    assert one.evaluator is not COUNTING


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("searcher:depth=4", "searcher"),
        ("searcher:depth=04", "searcher"),
        ("searcher:depth=06", "searcher:depth=6"),
        ("searcher:depth= 6 ", "searcher:depth=6"),
        ("searcher:evaluator=counting", "searcher"),
        ("searcher:evaluator=[counting]", "searcher"),
        ("searcher:evaluator=[counting:mobility=off]", "searcher"),
        (
            "searcher:evaluator=[counting:mobility=YES]:depth=2",
            "searcher:depth=2:evaluator=[counting:mobility=true]",
        ),
        ("searcher:evaluator=learned:second=counting", "searcher:evaluator=learned:second=counting"),
        ("searcher:second=none", "searcher"),
        ("everything:rate=.50", "everything"),
        ("everything:rate=1e0", "everything:rate=1"),
        ("everything:rate=-0.0", "everything:rate=0"),
        ("everything:level=2:shape=SQUARE", "everything:shape=square:level=HIGH"),
        ("everything:level=high:shape=square", "everything:shape=square:level=HIGH"),
        ("everything:mode=2", "everything:mode=2"),
        ("everything:mode=none", "everything:mode=none"),
        ("everything:share=1.0", "everything"),
        ("everything:share=None:limit=7", "everything:limit=7:share=none"),
        ("everything:text=", "everything:text="),
        ("everything:text=[plain]", "everything"),
        ("everything:text=[a,b]:flag=on", "everything:flag=true:text=[a,b]"),
    ],
)
def test_canonical_text(text: str, expected: str) -> None:
    assert canonical(text) == expected
    assert canonical(expected) == expected


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("plain", []),
        ("everything:count=7", ["flag", "share", "shape"]),
        ("lms", ["weights", "other"]),
        ("searcher", ["depth", "second", "evaluator note"]),
        ("searcher:depth=9", ["evaluator spec", "evaluator version", "evaluator code", *COUNTED]),
        ("searcher:second=[counting:note=x]", ["second mobility"]),
    ],
)
def test_new_options_with_their_defaults_change_no_recorded_identity(text: str, new: list[str]) -> None:
    spec = parse("player", text, REGISTRY)
    now = identity(spec, "seat ")
    assert all(f"seat {name}" in now for name in new)
    then = {name: value for name, value in now.items() if name.removeprefix("seat ") not in new}
    assert with_new_options(then, spec, "seat ") == now


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("searcher:depth=9", ["depth"]),
        ("searcher:second=[counting]", ["second spec"]),
        ("searcher:second=[counting:note=x]", ["second note"]),
        ("everything:flag=true", ["flag"]),
    ],
)
def test_a_new_option_with_another_value_is_a_difference(text: str, missing: list[str]) -> None:
    spec = parse("player", text, REGISTRY)
    now = identity(spec)
    then = {name: value for name, value in now.items() if name not in missing}
    assert with_new_options(then, spec).keys() == now.keys() - set(missing)


def test_a_recorded_value_is_not_replaced_by_a_default() -> None:
    spec = parse("player", "searcher", REGISTRY)
    then = identity(spec) | {"depth": "3", "evaluator note": "x", "gone": "1"}
    assert with_new_options(then, spec) == then


def test_values_have_the_types_of_the_signature() -> None:
    text = "flag=1:count=-7:rate=2:text=t:mode=normalised:shape=square:level=HIGH:limit=9:share=0.25"
    values = player(f"everything:{text}").values
    assert values == (True, -7, 2.0, "t", "normalised", Shape.SQUARE, Level.HIGH, 9, 0.25)
    assert [type(value) for value in values] == [bool, int, float, str, str, Shape, Level, int, float]
    assert player("everything").values == (False, 3, 0.5, "plain", "raw", Shape.ROUND, Level.LOW, None, 1)


def test_options_hold_all_values() -> None:
    spec = parse("player", "searcher:depth=2", REGISTRY)
    assert spec.options["depth"] == 2
    assert spec.options["evaluator"].text == "counting"
    assert spec.options["second"] is None


@pytest.mark.parametrize(
    "value",
    ["C:\\weights", "http://x:80/y", "a:b", "x y", "k=v", "a[1,2]b", "a[:x=1]b", "::", "[a][b]"],
)
def test_values_may_contain_special_characters(value: str) -> None:
    assert player(f"everything:text={value}:count=5").values[:4] == (False, 5, 0.5, value)
    assert player(canonical(f"everything:text={value}")).values[3] == value


@pytest.mark.parametrize("value", ["a,b", "a:b=c", " a ", "[a]", "a:b=c,[d:e=f]"])
def test_values_in_brackets_may_contain_separators(value: str) -> None:
    assert player(f"everything:text=[{value}]:count=5").values[3] == value
    assert canonical(f"everything:text=[{value}]") == f"everything:text=[{value}]"


whole_numbers = st.integers(-(2**63) + 1, 2**63 - 1)
words = st.text().filter(lambda text: "[" not in text and "]" not in text)
texts = st.recursive(words, lambda inner: st.tuples(inner, inner).map(lambda pair: "[{}]{}".format(*pair)))
options = st.fixed_dictionaries(
    {},
    optional={
        "flag": st.sampled_from(["true", "No", "1"]),
        "count": whole_numbers.map(str),
        "rate": st.floats(allow_nan=False, allow_infinity=False).map(repr),
        "text": texts.map("[{}]".format),
        "mode": st.sampled_from(["raw", "normalised", "2", "none"]),
        "level": st.sampled_from(["LOW", "2"]),
        "limit": st.none() | whole_numbers,
        "share": st.floats(min_value=0, allow_infinity=False).map(str),
    },
)


@given(options, st.randoms())
def test_canonical_text_is_stable_alone_nested_and_in_lists(given_: dict[str, Any], random: Any) -> None:
    items = list(given_.items())
    random.shuffle(items)
    spec = parse("player", ":".join(["everything", *(f"{name}={value}" for name, value in items)]), REGISTRY)
    assert canonical(spec.text) == spec.text
    assert player(spec.text).values == spec.create().values
    nested = f"searcher:evaluator=[counting:note=[{spec.text}]]"
    assert [each.text for each in parse_list("player", f"{spec.text},{canonical(nested)},plain", REGISTRY)] == [
        spec.text,
        canonical(nested),
        "plain",
    ]
    assert player(canonical(nested)).evaluator.note == spec.text


# Quotes and brackets


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('"a b"', "a b"),
        ('"a,b:depth=3"', "a,b:depth=3"),
        ("[a,b:depth=3]", "a,b:depth=3"),
        (' " a " ', " a "),
        ('"./engine ""my book"" [x"', './engine "my book" [x'),
        ('["a"]', '"a"'),
        ('a "b"', 'a "b"'),
        ('""', ""),
        ("C:\\engines\\mine.exe", "C:\\engines\\mine.exe"),
    ],
)
def test_values_may_stand_in_quotes_or_brackets(written: str, value: str) -> None:
    first, second, last = parse_list("player", f"plain,everything:text={written}:count=5,lms", REGISTRY)
    assert (first.text, second.options["text"], second.options["count"], last.text) == ("plain", value, 5, "lms")
    nested = parse("player", f"searcher:evaluator=[counting:note={written}]:depth=2", REGISTRY).create()
    assert (nested.evaluator.note, nested.depth) == (value, 2)


@given(st.text(alphabet='ab ="[]:,\\\n', max_size=12))
def test_every_text_can_be_written_as_a_value(text: str) -> None:
    for spec in ("everything", "searcher"):
        options = {"text": text} if spec == "everything" else {"evaluator": evaluator_with(text)}
        canonical = parse("player", spec, REGISTRY).replaced(options).text
        before, read, after = parse_list("player", f"plain,{canonical},lms", REGISTRY)
        assert (before.text, read.text, after.text) == ("plain", canonical, "lms")
        assert read.options == {**read.options, **options}


def evaluator_with(note: str) -> Any:
    return parse("evaluator", "counting", REGISTRY).replaced({"note": note})


# Weights


def test_weights_are_the_hash_of_the_model(weights: Path) -> None:
    assert parse("player", "lms", REGISTRY).weights == SHIPPED.hash
    assert parse("player", "lms:weights=shipped", REGISTRY).text == "lms"
    assert player("lms").weights is SHIPPED
    spec = parse("player", f"lms:weights={weights}", REGISTRY)
    assert spec.text == f"lms:weights={weights}"
    assert spec.weights == arena.Model.file(weights).hash != SHIPPED.hash
    assert spec.create().weights.path == weights


def test_weights_depend_on_each_of_several_models_and_their_options(weights: Path) -> None:
    texts = [
        "lms",
        f"lms:weights={weights}",
        f"lms:other={weights}",
        f"lms:weights={weights}:other={weights}",
    ]
    assert len({parse("player", text, REGISTRY).weights for text in texts}) == len(texts)


def test_weights_include_those_of_an_evaluator(weights: Path) -> None:
    assert parse("player", "searcher", REGISTRY).weights is None
    assert parse("player", "searcher:evaluator=learned", REGISTRY).weights == SHIPPED.hash
    spec = parse("player", f"searcher:evaluator=[learned:weights={weights}]", REGISTRY)
    assert spec.weights == arena.Model.file(weights).hash
    assert spec.create().evaluator.weights.hash == spec.weights


def test_a_file_named_shipped_is_not_the_shipped_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = arena.Model("lms", {"w": np.zeros(3)})
    model.save("shipped", {})
    assert parse("player", canonical("lms:weights=./shipped"), REGISTRY).weights == model.hash


def test_bad_weights_files_are_refused_while_parsing(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no weights file"):
        canonical("lms:weights=nowhere.safetensors")
    with pytest.raises(ModelError, match="no weights file"):
        canonical("needy:command=x:weights=nowhere.safetensors")
    arena.Model("td", {}).save(tmp_path / "td", {})
    with pytest.raises(ModelError, match="holds weights of kind td, not lms"):
        canonical(f"lms:weights={tmp_path / 'td'}")


# Lists


def test_lists_are_split_at_commas_outside_brackets() -> None:
    specs = parse_list("player", "plain, searcher:evaluator=[counting:note=[a,b]] ,lms", REGISTRY)
    assert [spec.text for spec in specs] == ["plain", "searcher:evaluator=[counting:note=[a,b]]", "lms"]


@pytest.mark.parametrize("text", ["", " ", "plain,", ",plain", "plain,,lms", ","])
def test_empty_specs_in_lists_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="there is an empty player spec"):
        parse_list("player", text, REGISTRY)


# Errors


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", UsageError, "'' is not a valid player spec: write name or name:option=value"),
        ("searcher:6", UsageError, "'searcher:6' is not a valid player spec"),
        ("searcher:max-depth=6", UsageError, "is not a valid player spec"),
        (":depth=6", UsageError, "is not a valid player spec"),
        ("searcher:evaluator=[counting", UsageError, "the brackets in '.*' do not match"),
        ("searcher]", UsageError, "the brackets in 'searcher]' do not match"),
        ("searcher:evaluator=]counting[", UsageError, "do not match"),
        ('everything:text="a:count=1', UsageError, "starts with a double quote and does not end with one"),
        ('everything:text="a"b', UsageError, "write a double quote within such a value twice"),
        ("searchr", UnknownName, "no player named 'searchr'; did you mean 'searcher'"),
        ("searcher:evaluator=countin", UnknownName, "no evaluator named 'countin'; did you mean 'counting'"),
        ("searcher:evaluator=[counting:mob=1]", BadOption, "counting has no option 'mob'"),
        ("searcher:evaluator=", UsageError, "'' is not a valid evaluator spec"),
        ("plain:depth=3", BadOption, "plain has no option 'depth'; it takes none"),
        (
            "searcher:dept=3",
            BadOption,
            r"searcher has no option 'dept'; did you mean 'depth'\? It takes depth \(int 1\.\.20\), "
            r"evaluator \(evaluator\), second \(evaluator\|none\)",
        ),
        ("everything:mob=1", BadOption, r"no option 'mob'; there are flag, .*, share\. It takes flag \(true"),
        ("searcher:depth=3:depth=3", BadOption, "the option 'depth' of searcher is given twice"),
        ("needy:command=x", BadOption, r"needy needs the option 'weights' \(model\)"),
        ("searcher:depth=deep", BadOption, r"the option 'depth' of searcher takes int 1\.\.20, not 'deep'"),
        ("searcher:depth=0", BadOption, r"takes int 1\.\.20, not '0'"),
        ("searcher:depth=21", BadOption, r"takes int 1\.\.20, not '21'"),
        ("searcher:depth=4.0", BadOption, "not '4.0'"),
        ("searcher:depth=", BadOption, "not ''"),
        ("searcher:depth=4:x", BadOption, "not '4:x'"),
        ("everything:count=1" + "0" * 5000, BadOption, "takes int"),
        ("everything:flag=maybe", BadOption, r"takes true\|false, not 'maybe'"),
        ("everything:rate=nan", BadOption, "takes float, not 'nan'"),
        ("everything:rate=inf", BadOption, "takes float, not 'inf'"),
        ("everything:rate=1e999", BadOption, "takes float"),
        ("everything:share=-1", BadOption, r"takes float >=0\|none, not '-1'"),
        ("everything:mode=rw", BadOption, r"takes raw\|normalised\|2\|none, not 'rw'"),
        ("everything:shape=oval", BadOption, r"takes round\|square, not 'oval'"),
        ("everything:level=3", BadOption, r"takes LOW\|HIGH, not '3'"),
    ],
)
def test_errors_are_one_line(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        canonical(text)
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
