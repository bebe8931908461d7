"""Classes in files that are not installed."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

import arena
from arena.contracts.evaluator import Evaluator
from arena.contracts.player import Player
from arena.errors import BadOption, NameTaken, PluginError, UnknownName, UsageError
from arena.plugins import registry, specs
from arena.plugins.files import Files, imported, paths_of
from arena.plugins.models import Resolver
from arena.plugins.specs import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[[str, str], Path]

FIRST = """
    import arena

    class First(arena.Player):
        '''Choose the first move.'''

        def __init__(self, last: bool = False) -> None:
            self.last = last

        def choose(self, game):
            return game.board.legal_moves[-1 if self.last else 0]
"""
TWO = """
    import arena

    class One(arena.Player):
        def choose(self, game):
            return game.board.legal_moves[0]

    class Other(One):
        pass

    class _Hidden(One):
        pass
"""
SEARCHER = """
    import arena
    from arena.search import Search

    class Material(arena.Evaluator):
        def evaluate(self, board):
            return 0.0

    class Searcher(arena.Player):
        def __init__(self, evaluator: arena.Evaluator = Material()) -> None:
            self.evaluator = evaluator

        def choose(self, game):
            return Search(self.evaluator)(game, 1).move
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file in the current folder, which is empty at first, or in its subfolders."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, content: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(content))
        return path

    return write


# Names and options


@pytest.mark.parametrize("text", ["./mine.py", "mine.py", "./mine.py:First", "mine.py:First:last=false"])
def test_only_player_of_a_file_has_the_name_of_the_file(write: Write, text: str) -> None:
    write("mine.py", FIRST)
    spec = parse("player", text)
    assert (spec.text, spec.name) == ("mine", "mine")
    assert type(spec.create()).__name__ == "First"


def test_absolute_path_names_the_same_player(write: Write) -> None:
    path = write("sub/mine.py", FIRST)
    assert parse("player", str(path)) == parse("player", "./sub/mine.py")


def test_options_are_written_after_the_name(write: Write) -> None:
    write("mine.py", FIRST)
    spec = parse("player", "./mine.py:First:last=yes")
    assert spec.text == "mine:last=true"
    assert spec.create().last is True
    with pytest.raises(BadOption, match=r"^mine has no option 'lst'; did you mean 'last'\?"):
        parse("player", "./mine.py:lst=yes")


def test_player_beside_others_has_its_class_in_its_name(write: Write) -> None:
    write("mine.py", TWO)
    resolver = Resolver()
    assert parse("player", "./mine.py:Other", resolver=resolver).text == "mine:Other"
    assert parse("player", "mine:One", resolver=resolver).text == "mine:One"


def test_resolver_finds_the_names_of_its_files(write: Write) -> None:
    path = write("mine.py", FIRST)
    with pytest.raises(UnknownName):
        parse("player", "nothing:last=true")
    spec = parse("player", "yours:last=true", resolver=Resolver(Files({"yours": str(path)})))
    assert spec.text == "yours:last=true"
    assert spec.files[0].path == str(path)


def test_evaluator_of_a_file_can_be_an_option(write: Write) -> None:
    write("own.py", SEARCHER)
    resolver = Resolver()
    spec = parse("player", "./own.py", resolver=resolver)
    assert (spec.text, type(spec.create().evaluator).__name__) == ("own", "Material")
    spec = parse("player", "minimax:evaluator=[./own.py:Material]", resolver=resolver)
    assert spec.text == "minimax:evaluator=own"
    assert [file.name for file in spec.files] == ["own"]
    assert parse("player", spec.text, resolver=resolver) == spec


def test_formats_cannot_be_used_from_files(write: Write) -> None:
    write("mine.py", FIRST)
    with pytest.raises(UsageError, match=r"^no format can be used from a file: put it into a package"):
        parse("format", "./mine.py")


# Identity


def test_identity_has_the_hash_of_the_file_and_not_its_path(write: Write) -> None:
    one, same, other = (write(f"{folder}/mine.py", FIRST) for folder in ("one", "same", "other"))
    other.write_text(other.read_text() + "\n# changed\n")
    identities = [specs.identity(parse("player", str(path))) for path in (one, same, other)]
    assert identities[0] == identities[1]
    assert specs.differences(identities[0], identities[2]).keys() == {"version", "code"}
    assert not any(str(one.parent.parent) in value for value in identities[0].values())


def test_hash_covers_the_modules_that_a_file_imports_from_its_folder(write: Write) -> None:
    write("mine.py", "from depths import CLS as Mine\nimport arena\n\nclass Sub(Mine):\n    pass\n")
    depths = write("depths.py", FIRST + "\n    CLS = First\n")
    before = parse("player", "./mine.py")
    depths.write_text(depths.read_text() + "\n# changed\n")
    after = parse("player", "./mine.py")
    assert before.registered.version != after.registered.version
    assert before.code != after.code
    assert "depths" not in sys.modules


def test_files_of_different_folders_may_import_modules_of_one_name(write: Write) -> None:
    for number in (1, 2):
        write(f"{number}/helper.py", f"NUMBER = {number}\n")
        write(
            f"{number}/player{number}.py", FIRST.replace("import arena", "import arena\n    from helper import NUMBER")
        )
    modules = [imported(str(Path(f"{number}/player{number}.py").absolute())).module for number in (1, 2)]
    assert [module.NUMBER for module in modules] == [1, 2]


def test_changed_file_is_imported_again(write: Write) -> None:
    path = write("mine.py", FIRST)
    before = parse("player", "./mine.py")
    assert parse("player", "./mine.py").registered.cls is before.registered.cls
    path.write_text(path.read_text().replace("First", "Last"))
    assert parse("player", "./mine.py").registered.cls.__name__ == "Last"
    with pytest.raises(PluginError, match=r"^mine\.py was changed while its games were played"):
        parse("player", "mine", resolver=Resolver(Files(known=before.files)))


def test_import_leaves_no_traces(write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("mine.py", "import os\nos.chdir('/')\nprint('hello')\n" + dedent(FIRST))
    path = list(sys.path)
    parse("player", "./mine.py")
    assert Path.cwd() == tmp_path
    assert sys.path == path
    assert [each.name for each in tmp_path.iterdir()] == ["mine.py"]
    assert capsys.readouterr().out == ""


# Mistakes


@pytest.mark.parametrize(
    ("content", "spec", "message"),
    [
        (FIRST, "./mien.py", r"there is no file mien\.py; did you mean 'mine\.py'\?"),
        (FIRST, "./none/mine.py", "there is no file none/mine.py; there is no Python file in .*none"),
        (FIRST, "./mine.py:Frist", r"mine\.py has no class Frist; did you mean 'First'\?"),
        (FIRST, "mine", r"no player named 'mine' is installed; the file is named \./mine\.py"),
        (FIRST, ".", r"'\.' is a folder: --players-from takes all players in a folder"),
        (FIRST, "./mine.txt", "'./mine.txt' is not a valid player spec: write name .*, or the path of a file: .*"),
        (TWO, "./mine.py", r"mine\.py has several players: write mine\.py:One or mine\.py:Other"),
        ("x = 1", "./mine.py", r"mine\.py has no player: write class Mine\(arena\.Player\)"),
        ("class A:\n    pass", "./mine.py", r"mine\.py has no player: write class A\(arena\.Player\)"),
        ("class A:\n    pass", "./mine.py:A", r"A in mine\.py is not a player: write class A\(arena\.Player\)"),
        (
            "import arena\nclass A(arena.Player):\n    def chose(self, game): ...",
            "./mine.py",
            r"A in mine\.py does not define the method choose",
        ),
        ("import arena\nclass A\n", "./mine.py", r"mine\.py cannot be imported: line 2: SyntaxError: expected ':'"),
        ("\nimport nonesuch\n", "./mine.py", r"mine\.py cannot be imported: line 2: ModuleNotFoundError: No module .*"),
        ("raise SystemExit(3)", "./mine.py", r"mine\.py cannot be imported: line 1: SystemExit: 3"),
        ("input('name? ')", "./mine.py", r"mine\.py cannot be imported: line 1: EOFError: .*"),
        (
            FIRST.replace("last: bool", "last"),
            "./mine.py",
            r"First in mine\.py cannot be used: the option 'last' has no type hint, for example last: int",
        ),
    ],
)
def test_mistake_is_one_helpful_line(write: Write, content: str, spec: str, message: str) -> None:
    write("mine.py", content)
    with pytest.raises((UsageError, PluginError), match=rf"^{message}$") as error:
        parse("player", spec)
    assert "\n" not in str(error.value)


def test_name_of_an_installed_player_is_refused(write: Write) -> None:
    write("minimax.py", FIRST)
    with pytest.raises(NameTaken, match=r"^the player in minimax\.py would have the name of the installed player"):
        parse("player", "./minimax.py")


def test_two_files_of_one_name_are_refused(write: Write) -> None:
    write("mine.py", FIRST)
    write("sub/mine.py", FIRST)
    with pytest.raises(NameTaken, match=r"^mine\.py and sub/mine\.py both have the name 'mine' in specs: rename one$"):
        specs.parse_list("player", "./mine.py,./sub/mine.py", resolver=Resolver())
    separate = [parse("player", "./mine.py"), parse("player", "./sub/mine.py")]
    with pytest.raises(NameTaken):
        paths_of(file for each in separate for file in each.files)


@pytest.mark.parametrize("name", ["past.py", "a b.py", "a.b.py"])
def test_names_that_specs_cannot_have_are_refused(write: Write, name: str) -> None:
    write(name, FIRST)
    with pytest.raises(UsageError, match="rename the file; use letters, digits, '-' and '_'"):
        parse("player", f"./{name}")


def test_missing_file_of_a_record_is_one_line() -> None:
    files = Files({"mine": "gone/mine.py"})
    with pytest.raises(UsageError, match=r"^'mine' was in the file .*gone/mine\.py, which does not exist any more"):
        parse("player", "mine", resolver=Resolver(files))


def test_every_kind_in_files_is_a_kind_of_components() -> None:
    assert set(registry.IN_FILES) <= registry.KINDS.keys()
    assert [registry.KINDS[kind] for kind in registry.IN_FILES] == [Player, Evaluator, arena.Learner]
