"""Options that are read from the signatures of constructors."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Annotated

import pytest

import arena
from arena.errors import ModelError, PluginError
from arena.plugins.options import ModelKind, Range
from arena.plugins.registry import Registry
from arena.plugins.specs import parse
from fake_plugin import REGISTRY, Plain, Player


def registry_of(plugin: object, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """Return a registry of the given plugin alone."""
    monkeypatch.setattr(f"{__name__}.PLUGIN", plugin, raising=False)
    return Registry.of([EntryPoint("fakes", f"{__name__}:PLUGIN", "arena")])


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
def test_unusable_constructors_are_plugin_errors(
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


def test_options_have_types_and_defaults() -> None:
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


def test_options_are_listed_although_a_shipped_model_is_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
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
