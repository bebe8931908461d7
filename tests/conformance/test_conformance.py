"""The checks of contracts: each finds its own violation, and built-in components pass all of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.conformance import Settings, Subject, checks_of, found, parametrize_with_checks
from arena.errors import PluginError, UnknownName, UsageError
from arena.plugins import registry
from arena.plugins.files import imported
from arena.plugins.models import Resolver
from launchers import module_launcher

__all__ = ["module_launcher"]
pytestmark = pytest.mark.usefixtures("module_launcher")
HERE = Path(__file__).parent
QUICK = Settings(positions=300, seconds=5, games=4, move_timeout=2, memory=800)
KINDS = ("player", "evaluator", "learner")
FILES = {kind: str(HERE / f"broken_{kind}s.py") for kind in KINDS}
BROKEN = [
    (kind, name)
    for kind, file in FILES.items()
    for name in imported(file).usable(registry.KINDS[kind])
    if name != "Illegal"
]


def failures(text: str, kind: str, settings: Settings = QUICK) -> dict[str, str]:
    """Return the messages of the checks that fail, by name."""
    resolver = Resolver()
    [spec] = (each for each in found(text, resolver) if each.registered.kind == kind)
    results = Subject(spec, resolver, settings).results()
    assert {result.status for result in results} <= {"ok", "failed", "skipped"}
    return {result.check.name: result.text for result in results if result.status == "failed"}


def check_for(name: str) -> str:
    """Return the name of the check that finds what is wrong with a class."""
    return re.sub(r"\B([A-Z])", r"_\1", name.rstrip("2")).lower()


@pytest.mark.long
@pytest.mark.parametrize(("kind", "name"), BROKEN)
def test_violation_is_found_by_its_check_only(kind: str, name: str) -> None:
    found = failures(f"{FILES[kind]}:{name}", kind)
    assert found.keys() == (set() if name == "Good" else {check_for(name)}), found
    for message in found.values():
        assert "\n" not in message


def test_every_check_has_a_class_that_violates_it() -> None:
    for kind in KINDS:
        names = {check_for(name) for of, name in BROKEN if of == kind} - {"good"}
        assert names == {check.name for check in checks_of(kind)}


SLOW = {"qmodel_as_written": "it trains for minutes before its first game"}


@pytest.mark.long
@pytest.mark.parametrize(("kind", "name"), [(kind, item.name) for kind in KINDS for item in registry.load().all(kind)])
def test_built_in_component_conforms(kind: str, name: str) -> None:
    if kind == "learner" and name in SLOW:
        pytest.skip(SLOW[name])
    if name == "openspiel":
        pytest.skip("it knows only games from the usual first position")
    if any(option.required for option in registry.load().get(kind, name).options):
        pytest.skip("it has options without defaults")
    assert failures(name, kind, Settings(positions=200, seconds=10, games=4)) == {}


def test_file_without_a_class_gives_all_its_components() -> None:
    specs = found(FILES["player"])
    assert {spec.registered.kind for spec in specs} == {"player"}
    assert "broken_players:Good" in {spec.text for spec in specs}


def test_names_of_components_and_packages_are_found() -> None:
    assert [(each.registered.kind, each.text) for each in found("td:use=rote")] == [("player", "td:use=rote")]
    assert {each.registered.kind for each in found("lms")} == {"player", "learner"}
    assert {each.registered.kind for each in found("arena_evaluators")} == {"evaluator"}
    assert {each.registered.kind for each in found("checkers-arena")} == set(KINDS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lsm", "no player, evaluator, learner or package is named 'lsm'; did you mean 'lms'?"),
        ("./none.py", "there is no file none.py; "),
        ("pytest", "the package pytest registers no player, evaluator or learner"),
        ("minimax:dept=3", "minimax has no option 'dept'; did you mean 'depth'?"),
    ],
)
def test_what_cannot_be_checked_is_one_line(text: str, message: str) -> None:
    with pytest.raises((UsageError, PluginError), match=f"^{re.escape(message)}"):
        found(text)


def test_skipping_an_unknown_check_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"^there is no check 'same_sed' to skip; did you mean 'same_seed'\?$"):
        parametrize_with_checks("random", skip={"same_sed": "why"})


def test_unknown_component_is_an_error() -> None:
    with pytest.raises(UnknownName):
        parametrize_with_checks("nobody")


@parametrize_with_checks("random", skip={"random:isolated": "it takes long"}, settings=QUICK)
def test_checks_are_tests_of_pytest(check) -> None:  # type: ignore[no-untyped-def]
    check()
