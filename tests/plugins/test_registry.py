"""Plugins are loaded by their entry points, independently of one another."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from arena.errors import PluginError, UnknownName
from arena.plugins.registry import GROUP, KINDS, Registry, load

if TYPE_CHECKING:
    from collections.abc import Iterator

GREEDY = """
    import arena
    class Greedy(arena.Player):
        '''Takes what it can.

        And more.
        '''
        def choose(self, game): return game.board.legal_moves[0]
    @arena.hookimpl
    def register_players(): return {"greedy": Greedy}
"""


class Site:
    """A folder of installed distributions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, module: str, code: str, version: str = "1.0", target: str = "") -> None:
        """Install the distribution arena-<module> with an entry point ``module`` for the module plugin_<module>."""
        info = self.folder / f"arena_{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: arena-{module}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[{GROUP}]\n{module} = plugin_{module}{target}\n")
        (self.folder / f"plugin_{module}.py").write_text(dedent(code))

    def registry(self) -> Registry:
        distributions = metadata.distributions(path=[str(self.folder)])
        return Registry.of(entry for each in distributions for entry in each.entry_points.select(group=GROUP))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.syspath_prepend(tmp_path)
    yield Site(tmp_path)
    for name in [name for name in sys.modules if name.startswith("plugin_")]:
        del sys.modules[name]


def names(registry: Registry, kind: str = "player") -> list[str]:
    return [item.name for item in registry.all(kind)]


def test_built_in_plugins_are_registered_by_entry_points() -> None:
    rating = load().get("rating", "davidson")
    assert (rating.distribution, rating.module) == ("checkers-arena", "arena.ratings")
    assert rating.version == metadata.version("checkers-arena")
    assert not [problem for problem in load().problems if "checkers-arena" in problem]


def test_load_caches_the_registry() -> None:
    assert load() is load()


def test_registered_class_has_name_origin_and_description(site: Site) -> None:
    site.install("greedy", GREEDY, "1.2")
    registry = site.registry()
    greedy = registry.get("player", "greedy")
    assert registry.problems == []
    assert registry.all("player") == [greedy]
    assert registry.all("evaluator") == []
    assert (greedy.kind, greedy.name, greedy.cls.__name__) == ("player", "greedy", "Greedy")
    assert (greedy.distribution, greedy.version, greedy.module) == ("arena-greedy", "1.2", "plugin_greedy")
    assert greedy.description == "Takes what it can."
    assert greedy.options == ()


def test_a_plugin_may_register_all_kinds(site: Site) -> None:
    site.install(
        "many",
        """
        import arena
        class P(arena.Player):
            def choose(self, game): return game.board.legal_moves[0]
        class E(arena.Evaluator):
            def evaluate(self, board): return 0.0
        class L(arena.Learner):
            def begin(self, seed): pass
            def state(self): return {}
            def restore(self, state): pass
            def model(self): pass
            def player(self): return P()
        class O(arena.OpeningBook):
            def openings(self): return []
        class R(arena.Rating):
            def rate(self, players, games): return []
        class F(arena.Format):
            def meetings(self, players): return 1
            def stages(self, players): yield [tuple(sorted(players[:2]))]
        @arena.hookimpl
        def register_players(): return {"many": P}
        @arena.hookimpl
        def register_evaluators(): return {"many": E}
        @arena.hookimpl
        def register_learners(): return {"many": L}
        @arena.hookimpl
        def register_openings(): return {"many": O}
        @arena.hookimpl
        def register_ratings(): return {"many": R}
        @arena.hookimpl
        def register_formats(): return {"many": F}
        """,
    )
    registry = site.registry()
    assert registry.problems == []
    assert {kind: names(registry, kind) for kind in KINDS} == {kind: ["many"] for kind in KINDS}
    assert registry.get("player", "many").description == ""


def test_a_plugin_may_be_an_object_of_a_module(site: Site) -> None:
    code = """
        import arena
        class P(arena.Player):
            def choose(self, game): return game.board.legal_moves[0]
        class Plugin:
            @arena.hookimpl
            def register_players(self): return {"object": P}
        plugin = Plugin()
    """
    site.install("object", code, target=":plugin")
    assert names(site.registry()) == ["object"]


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("def broken(:", "SyntaxError"),
        ("raise RuntimeError('two\\nlines')", "RuntimeError: two lines"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("class Odd(BaseException): pass\nraise Odd('mine')", "Odd: mine"),
        ("class Mute(Exception):\n    def __str__(self): return 1\nraise Mute", "Mute: its message cannot be printed"),
        ("x = 1", "it implements no hook"),
        ("import arena\ndef register_players(): return {}", "it implements no hook"),
        ("import arena\n@arena.hookimpl\ndef register_player(): return {}", "unknown hook 'register_player'"),
        ("import arena\n@arena.hookimpl\ndef register_players(game): return {}", "game"),
        (
            "import arena\n@arena.hookimpl\ndef register_players(): return 1 / 0",
            "ZeroDivisionError: division by zero",
        ),
        (
            "import arena\n@arena.hookimpl\ndef register_players(): return ['x']",
            "register_players returned list, not",
        ),
        (
            "import arena\n@arena.hookimpl\ndef register_players(): pass",
            "register_players returned None, not",
        ),
    ],
)
def test_failing_plugin_is_one_problem_and_others_are_loaded(site: Site, code: str, cause: str) -> None:
    site.install("broken", code, "0.3")
    site.install("greedy", GREEDY)
    registry = site.registry()
    assert names(registry) == ["greedy"]
    (problem,) = registry.problems
    assert problem.startswith("arena-broken 0.3: the plugin 'broken' (plugin_broken) was not loaded: ")
    assert cause in problem
    assert "\n" not in problem
    for name in ("broken", "arena-broken", "plugin_broken"):
        with pytest.raises(PluginError) as error:
            registry.get("player", name)
        assert str(error.value) == problem


def test_current_folder_is_restored_after_loading_a_plugin(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    current = tmp_path / "current"
    current.mkdir()
    monkeypatch.chdir(current)
    site.install("greedy", f"import os; os.chdir({str(tmp_path)!r})\n{dedent(GREEDY)}", "0.3")
    registry = site.registry()
    assert Path.cwd() == current
    assert names(registry) == ["greedy"]
    (problem,) = registry.problems
    assert problem.startswith("arena-greedy 0.3: the plugin 'greedy' (plugin_greedy) changed the current folder")


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "type('Own', (KeyboardInterrupt,), {})"])
def test_commands_survive_a_plugin_that_raises_keyboard_interrupt(site: Site, error: str) -> None:
    site.install("broken", f"import os; os.chdir('/')\nraise {error}", "0.3")
    done = subprocess.run(
        [sys.executable, "-m", "arena.cli", "evaluators", "--csv"],
        env={**os.environ, "PYTHONPATH": str(site.folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "\nmaterial," in done.stdout
    [line] = done.stderr.splitlines()
    assert line.startswith("arena: arena-broken 0.3: the plugin 'broken' (plugin_broken) was not loaded: ")


@pytest.mark.parametrize(
    ("registration", "name", "cause"),
    [
        ("'bad': 3", "bad", "is 3, not a class derived from Player"),
        ("'bad': int", "bad", "is <class 'int'>, not a class derived from Player"),
        ("'bad': Good()", "bad", "not a class derived from Player"),
        ("'bad': arena.Player", "bad", "does not implement choose"),
        ("'Bad Name': Good", "Bad Name", "has a bad name"),
        ("'a:b=c': Good", "a:b=c", "has a bad name"),
        ("'': Good", "", "has a bad name"),
        ("7: Good", "7", "has a bad name"),
        ("'bad': Unhinted", "bad", "the option 'depth' has no type hint"),
    ],
)
def test_unusable_registration_is_one_problem_and_others_are_usable(
    site: Site, registration: str, name: str, cause: str
) -> None:
    code = f"""
        import arena
        class Good(arena.Player):
            def choose(self, game): return game.board.legal_moves[0]
        class Unhinted(Good):
            def __init__(self, depth=3): self.depth = depth
        @arena.hookimpl
        def register_players(): return {{"good": Good, {registration}}}
    """
    site.install("half", code)
    registry = site.registry()
    assert names(registry) == ["good"]
    (problem,) = registry.problems
    assert problem.startswith("arena-half 1.0: ")
    assert cause in problem
    with pytest.raises(PluginError) as error:
        registry.get("player", name)
    assert str(error.value) == problem


def test_name_registered_twice_is_an_error_only_when_used(site: Site) -> None:
    site.install("greedy", GREEDY, "1.2")
    site.install("other", GREEDY, "3.4")
    site.install("third", GREEDY.replace('"greedy"', '"third"'))
    registry = site.registry()
    assert names(registry) == ["third"]
    (problem,) = registry.problems
    with pytest.raises(PluginError, match=r"arena-greedy 1\.2 .* and arena-other 3\.4 ") as error:
        registry.get("player", "greedy")
    assert str(error.value) == problem


def test_different_kinds_may_share_a_name(site: Site) -> None:
    site.install("greedy", GREEDY)
    site.install(
        "eval",
        """
        import arena
        class Greedy(arena.Evaluator):
            def evaluate(self, board): return 0.0
        @arena.hookimpl
        def register_evaluators(): return {"greedy": Greedy}
        """,
    )
    registry = site.registry()
    assert registry.problems == []
    assert registry.get("player", "greedy").cls is not registry.get("evaluator", "greedy").cls


def test_two_entry_points_of_one_module_are_registered_once(site: Site) -> None:
    site.install("greedy", GREEDY)
    file = site.folder / "arena_greedy-1.0.dist-info" / "entry_points.txt"
    file.write_text(file.read_text() + "again = plugin_greedy\n")
    registry = site.registry()
    assert registry.problems == []
    assert names(registry) == ["greedy"]


def test_unknown_name_error_suggests_the_nearest_name(site: Site) -> None:
    site.install("greedy", GREEDY)
    with pytest.raises(UnknownName, match="no player named 'greddy'; did you mean 'greedy'"):
        site.registry().get("player", "greddy")
    with pytest.raises(UnknownName, match="did you mean 'greedy'"):
        site.registry().get("player", "Greedy")
    with pytest.raises(UnknownName, match="no player named 'zzz'; there are greedy"):
        site.registry().get("player", "zzz")
    with pytest.raises(UnknownName, match="no rating named 'elo'; there are none"):
        site.registry().get("rating", "elo")


def test_unknown_name_error_mentions_plugins_that_were_not_loaded(site: Site) -> None:
    site.install("greedy", GREEDY)
    site.install("broken", "import no_such_module")
    with pytest.raises(UnknownName, match="some plugins were not loaded"):
        site.registry().get("player", "neural")


def test_loading_plugins_imports_neither_search_nor_store() -> None:
    code = (
        "import sys; from arena.plugins import registry; registry.load()\n"
        "print(*sorted({'arena.search.alphabeta', 'arena.store', 'pandas', 'sqlalchemy'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
