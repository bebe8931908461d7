"""Specs: texts that name players with their options."""

from __future__ import annotations

import enum
import typing
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena.errors import BadOption, ModelError, PluginError, UnknownName, UsageError
from arena.plugins.options import ModelKind, Range
from arena.plugins.registry import Registry
from arena.plugins.specs import parse, parse_list

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = arena.Model("lms", {"w": np.ones(3)}, {"games": "1"})


class Shape(enum.Enum):
    ROUND = "round"
    SQUARE = "square"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Player(arena.Player):
    def choose(self, game: arena.Game) -> arena.Move:
        return game.board.legal_moves[0]


class Plain(Player):
    """Has no options."""


class Counting(arena.Evaluator):
    """Counts."""

    def __init__(self, mobility: bool = False, note: str = "") -> None:
        self.mobility, self.note = mobility, note

    def evaluate(self, board: arena.Board) -> float:  # noqa: ARG002
        return 0.0


class Learned(arena.Evaluator):
    """Learned."""

    def __init__(self, weights: arena.Model = SHIPPED) -> None:
        self.weights = weights

    def evaluate(self, board: arena.Board) -> float:  # noqa: ARG002
        return 0.0


COUNTING = Counting()


class Searcher(Player):
    """Searches."""

    def __init__(
        self,
        depth: Annotated[int, Range(1, 20)] = 4,
        evaluator: arena.Evaluator = COUNTING,
        second: arena.Evaluator | None = None,
    ) -> None:
        self.depth, self.evaluator, self.second = depth, evaluator, second


class Everything(Player):
    """Has an option of every type."""

    def __init__(
        self,
        flag: bool = False,
        count: int = 3,
        rate: float = 0.5,
        text: str = "plain",
        *,
        mode: Literal["raw", "normalised", 2, None] = "raw",
        shape: Shape = Shape.ROUND,
        level: Level = Level.LOW,
        limit: typing.Optional[int] = None,  # noqa: UP045  (the older spelling works too)
        share: Annotated[float, Range(low=0)] | None = 1,
    ) -> None:
        self.values = (flag, count, rate, text, mode, shape, level, limit, share)


class LMS(Player):
    """Plays weights."""

    def __init__(self, weights: arena.Model = SHIPPED, other: arena.Model | None = None) -> None:
        self.weights, self.other = weights, other


class Needy(Player):
    """Cannot do without."""

    def __init__(self, command: str, weights: arena.Model, depth: int = 1) -> None:
        self.command, self.weights, self.depth = command, weights, depth


class Plugin:
    @arena.hookimpl
    def register_players(self) -> dict[str, type[arena.Player]]:
        classes = [Plain, Searcher, Everything, LMS, Needy]
        return {cls.__name__.lower(): cls for cls in classes}

    @arena.hookimpl
    def register_evaluators(self) -> dict[str, type[arena.Evaluator]]:
        return {"counting": Counting, "learned": Learned}


def registry_of(plugin: object, monkeypatch: pytest.MonkeyPatch) -> Registry:
    monkeypatch.setattr(f"{__name__}.PLUGIN", plugin, raising=False)
    return Registry.of([EntryPoint("fakes", f"{__name__}:PLUGIN", "arena")])


PLUGIN: object = Plugin()
REGISTRY = Registry.of([EntryPoint("fakes", f"{__name__}:PLUGIN", "arena")])


def canonical(text: str) -> str:
    return parse("player", text, REGISTRY).text


def made(text: str) -> Any:
    return parse("player", text, REGISTRY).create()


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "mine.safetensors"
    arena.Model("lms", {"w": np.arange(3.0)}).save(path, {})
    return path


def test_every_fake_is_registered() -> None:
    assert REGISTRY.problems == []


# Names and options


def test_a_name_alone_is_a_spec() -> None:
    spec = parse("player", " plain ", REGISTRY)
    assert (spec.text, spec.name, spec.options, spec.weights) == ("plain", "plain", {}, None)
    assert spec.registered is REGISTRY.get("player", "plain")
    assert type(spec.create()) is Plain


def test_each_creation_is_a_fresh_instance_with_a_fresh_evaluator() -> None:
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
def test_the_canonical_text(text: str, expected: str) -> None:
    assert canonical(text) == expected
    assert canonical(expected) == expected


def test_values_have_the_types_of_the_signature() -> None:
    text = "flag=1:count=-7:rate=2:text=t:mode=normalised:shape=square:level=HIGH:limit=9:share=0.25"
    values = made(f"everything:{text}").values
    assert values == (True, -7, 2.0, "t", "normalised", Shape.SQUARE, Level.HIGH, 9, 0.25)
    assert [type(value) for value in values] == [bool, int, float, str, str, Shape, Level, int, float]
    assert made("everything").values == (False, 3, 0.5, "plain", "raw", Shape.ROUND, Level.LOW, None, 1)


def test_options_hold_every_value() -> None:
    spec = parse("player", "searcher:depth=2", REGISTRY)
    assert spec.options["depth"] == 2
    assert spec.options["evaluator"].text == "counting"
    assert spec.options["second"] is None


@pytest.mark.parametrize(
    "value",
    ["C:\\weights", "http://x:80/y", "a:b", "x y", "k=v", "a[1,2]b", "a[:x=1]b", "::", "[a][b]"],
)
def test_a_value_may_hold_nearly_anything(value: str) -> None:
    assert made(f"everything:text={value}:count=5").values[:4] == (False, 5, 0.5, value)
    assert made(canonical(f"everything:text={value}")).values[3] == value


@pytest.mark.parametrize("value", ["a,b", "a:b=c", " a ", "[a]", "a:b=c,[d:e=f]"])
def test_a_value_in_brackets_may_hold_separators(value: str) -> None:
    assert made(f"everything:text=[{value}]:count=5").values[3] == value
    assert canonical(f"everything:text=[{value}]") == f"everything:text=[{value}]"


words = st.text().filter(lambda text: "[" not in text and "]" not in text)
texts = st.recursive(words, lambda inner: st.tuples(inner, inner).map(lambda pair: "[{}]{}".format(*pair)))
options = st.fixed_dictionaries(
    {},
    optional={
        "flag": st.sampled_from(["true", "No", "1"]),
        "count": st.integers().map(str),
        "rate": st.floats(allow_nan=False, allow_infinity=False).map(repr),
        "text": texts.map("[{}]".format),
        "mode": st.sampled_from(["raw", "normalised", "2", "none"]),
        "level": st.sampled_from(["LOW", "2"]),
        "limit": st.none() | st.integers(),
        "share": st.floats(min_value=0, allow_infinity=False).map(str),
    },
)


@given(options, st.randoms())
def test_the_canonical_text_stands_for_itself_in_any_company(given_: dict[str, Any], random: Any) -> None:
    items = list(given_.items())
    random.shuffle(items)
    spec = parse("player", ":".join(["everything", *(f"{name}={value}" for name, value in items)]), REGISTRY)
    assert canonical(spec.text) == spec.text
    assert made(spec.text).values == spec.create().values
    nested = f"searcher:evaluator=[counting:note=[{spec.text}]]"
    assert [each.text for each in parse_list("player", f"{spec.text},{canonical(nested)},plain", REGISTRY)] == [
        spec.text,
        canonical(nested),
        "plain",
    ]
    assert made(canonical(nested)).evaluator.note == spec.text


# Weights


def test_weights_are_the_hash_of_the_model_shipped_or_given(weights: Path) -> None:
    assert parse("player", "lms", REGISTRY).weights == SHIPPED.hash
    assert parse("player", "lms:weights=shipped", REGISTRY).text == "lms"
    assert made("lms").weights is SHIPPED
    spec = parse("player", f"lms:weights={weights}", REGISTRY)
    assert spec.text == f"lms:weights={weights}"
    assert spec.weights == arena.Model.file(weights).hash != SHIPPED.hash
    assert spec.create().weights.path == weights


def test_weights_of_several_models_depend_on_each_and_on_their_places(weights: Path) -> None:
    texts = [
        "lms",
        f"lms:weights={weights}",
        f"lms:other={weights}",
        f"lms:weights={weights}:other={weights}",
    ]
    assert len({parse("player", text, REGISTRY).weights for text in texts}) == len(texts)


def test_weights_of_an_evaluator_count(weights: Path) -> None:
    assert parse("player", "searcher", REGISTRY).weights is None
    assert parse("player", "searcher:evaluator=learned", REGISTRY).weights == SHIPPED.hash
    spec = parse("player", f"searcher:evaluator=[learned:weights={weights}]", REGISTRY)
    assert spec.weights == arena.Model.file(weights).hash
    assert spec.create().evaluator.weights.hash == spec.weights


def test_a_file_called_shipped_is_not_the_shipped_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = arena.Model("lms", {"w": np.zeros(3)})
    model.save("shipped", {})
    assert parse("player", canonical("lms:weights=./shipped"), REGISTRY).weights == model.hash


def test_a_bad_weights_file_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no weights file"):
        canonical("lms:weights=nowhere.safetensors")
    with pytest.raises(ModelError, match="no weights file"):
        canonical("needy:command=x:weights=nowhere.safetensors")
    arena.Model("td", {}).save(tmp_path / "td", {})
    with pytest.raises(ModelError, match="holds weights of kind td, not lms"):
        canonical(f"lms:weights={tmp_path / 'td'}")


# Lists


def test_a_list_is_split_at_commas_outside_brackets() -> None:
    specs = parse_list("player", "plain, searcher:evaluator=[counting:note=[a,b]] ,lms", REGISTRY)
    assert [spec.text for spec in specs] == ["plain", "searcher:evaluator=[counting:note=[a,b]]", "lms"]


@pytest.mark.parametrize("text", ["", " ", "plain,", ",plain", "plain,,lms", ","])
def test_a_list_has_no_empty_parts(text: str) -> None:
    with pytest.raises(UsageError, match="there is a player missing"):
        parse_list("player", text, REGISTRY)


# Errors


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", UsageError, "'' names no player: write name or name:option=value"),
        ("searcher:6", UsageError, "'searcher:6' names no player"),
        ("searcher:max-depth=6", UsageError, "names no player"),
        (":depth=6", UsageError, "names no player"),
        ("searcher:evaluator=[counting", UsageError, "the brackets in '.*' do not match"),
        ("searcher]", UsageError, "the brackets in 'searcher]' do not match"),
        ("searcher:evaluator=]counting[", UsageError, "do not match"),
        ("searchr", UnknownName, "no player named 'searchr'; did you mean 'searcher'"),
        ("searcher:evaluator=countin", UnknownName, "no evaluator named 'countin'; did you mean 'counting'"),
        ("searcher:evaluator=[counting:mob=1]", BadOption, "counting has no option 'mob'"),
        ("searcher:evaluator=", UsageError, "'' names no evaluator"),
        ("plain:depth=3", BadOption, "plain has no option 'depth'; it takes none"),
        (
            "searcher:dept=3",
            BadOption,
            r"searcher has no option 'dept'; did you mean 'depth'\? It takes depth \(int 1\.\.20\), "
            r"evaluator \(evaluator\), second \(evaluator\|none\)",
        ),
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
def test_what_is_wrong_is_said_in_one_line(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        canonical(text)
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)


class Hintless(Player):
    def __init__(self, depth=3):  # type: ignore[no-untyped-def]
        self.depth = depth


class Unresolved(Player):
    def __init__(self, depth: Nowhere = 3) -> None:  # type: ignore[name-defined]  # noqa: F821
        self.depth = depth


class Variadic(Player):
    def __init__(self, *depths: int) -> None:
        self.depths = depths


class Keywords(Player):
    def __init__(self, **depths: int) -> None:
        self.depths = depths


class Positional(Player):
    def __init__(self, depth: int = 3, /) -> None:
        self.depth = depth


class Untextual(Player):
    def __init__(self, depths: list[int]) -> None:
        self.depths = depths


class Ranged(Player):
    def __init__(self, name: Annotated[str, Range(1, 2)] = "x") -> None:
        self.name = name


class WrongDefault(Player):
    def __init__(self, depth: int = None) -> None:  # type: ignore[assignment]  # noqa: RUF013
        self.depth = depth


class KindOfNumber(Player):
    def __init__(self, depth: Annotated[int, ModelKind("lms")] = 1) -> None:
        self.depth = depth


class OutOfRange(Player):
    def __init__(self, depth: Annotated[int, Range(1, 5)] = 9) -> None:
        self.depth = depth


class Unregistered(arena.Evaluator):
    def evaluate(self, board: arena.Board) -> float:  # noqa: ARG002
        return 0.0


UNREGISTERED = Unregistered()


class BadEvaluator(Player):
    def __init__(self, evaluator: arena.Evaluator = UNREGISTERED) -> None:
        self.evaluator = evaluator


@pytest.mark.parametrize(
    ("cls", "message"),
    [
        (Hintless, "the option 'depth' has no type hint"),
        (Unresolved, "the type hints of Unresolved.__init__ cannot be read: name 'Nowhere' is not defined"),
        (Variadic, r"the parameter \*depths cannot be given by keyword"),
        (Keywords, r"the parameter \*\*depths cannot be given by keyword"),
        (Positional, "the parameter depth cannot be given by keyword"),
        (Untextual, r"the option 'depths' has a type that cannot be given as text: list\[int\]"),
        (Ranged, "the option 'name' has a Range but is not a number"),
        (WrongDefault, "the default of option 'depth' is None, not int"),
        (KindOfNumber, "the option 'depth' has a ModelKind but is not a model"),
        (OutOfRange, r"the default of option 'depth' is 9, not int 1\.\.5"),
        (BadEvaluator, "the default of option 'evaluator' is .* not a registered evaluator"),
    ],
)
def test_a_constructor_that_gives_no_options_is_the_plugin_s_error(
    cls: type[arena.Player], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Faulty:
        @arena.hookimpl
        def register_players(self) -> dict[str, type[arena.Player]]:
            return {"faulty": cls, "plain": Plain}

    registry = registry_of(Faulty(), monkeypatch)
    assert parse("player", "plain", registry).name == "plain"
    with pytest.raises(
        PluginError, match=rf"the player 'faulty' \({cls.__name__}\) cannot be used: .*{message}"
    ) as error:
        parse("player", "faulty", registry)
    assert "\n" not in str(error.value)


# What is listed


def test_options_are_listed_with_types_and_defaults() -> None:
    def listing(name: str) -> list[tuple[str, str, str | None]]:
        return [(each.name, each.annotation, each.default) for each in REGISTRY.get("player", name).options]

    assert listing("plain") == []
    assert listing("searcher") == [
        ("depth", "int 1..20", "4"),
        ("evaluator", "evaluator", "counting"),
        ("second", "evaluator|none", "none"),
    ]
    assert listing("everything") == [
        ("flag", "true|false", "false"),
        ("count", "int", "3"),
        ("rate", "float", "0.5"),
        ("text", "text", "plain"),
        ("mode", "raw|normalised|2|none", "raw"),
        ("shape", "round|square", "round"),
        ("level", "LOW|HIGH", "LOW"),
        ("limit", "int|none", "none"),
        ("share", "float >=0|none", "1"),
    ]
    assert listing("lms") == [("weights", "model (lms)", "shipped"), ("other", "model|none", "none")]
    assert listing("needy") == [("command", "text", None), ("weights", "model", None), ("depth", "int", "1")]


def test_a_damaged_shipped_model_does_not_spoil_the_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Damaged(Player):
        def __init__(self, weights: arena.Model = arena.Model.shipped("arena", "no.safetensors")) -> None:  # noqa: B008
            self.weights = weights

    class OfDamaged:
        @arena.hookimpl
        def register_players(self) -> dict[str, type[arena.Player]]:
            return {"damaged": Damaged}

    registry = registry_of(OfDamaged(), monkeypatch)
    (option,) = registry.get("player", "damaged").options
    assert (option.annotation, option.default) == ("model", "shipped")
    with pytest.raises(ModelError, match="no weights file"):
        parse("player", "damaged", registry)
