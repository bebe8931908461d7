"""Players in folders of hand-ins."""

from __future__ import annotations

import os
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from arena.errors import NameTaken, PluginError, UnknownName, UsageError
from arena.plugins import specs
from arena.plugins.files import Files
from arena.plugins.models import Resolver
from arena.tournament import hand_ins

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.plugins.specs import Spec

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


def collected(folder: str, resolver: Resolver | None = None) -> tuple[list[Spec], list[str]]:
    lines: list[str] = []
    return hand_ins.players(folder, resolver or Resolver(), lines.append), lines


def test_folder_gives_the_players_of_its_files_and_subfolders(write: Write) -> None:
    write("all/zoe.py", FIRST)
    write("all/alice/greedy.py", FIRST)
    write("all/bob.py", TWO)
    write("all/alice/deeper/no.py", FIRST)
    write("all/_private.py", "1 / 0")
    write("all/.venv/no.py", "1 / 0")
    players, lines = collected("all")
    assert [each.text for each in players] == ["alice/greedy", "bob:One", "bob:Other", "zoe"]
    assert lines == []


def test_faulty_hand_ins_are_left_out_with_a_reason(write: Write) -> None:
    write("all/good.py", FIRST)
    write("all/broken.py", "def")
    write("all/empty.py", "")
    write("all/a b.py", FIRST)
    write("all/person.py", FIRST + "\n        needs_terminal = True\n")
    write("all/needy.py", FIRST.replace("last: bool = False", "last: bool"))
    write("all/exits.py", "raise SystemExit")
    players, lines = collected("all")
    assert [each.text for each in players] == ["good"]
    reasons = dict(line.removeprefix("left out: ").split(": ", 1) for line in lines)
    assert reasons.keys() == {"a b", "broken", "empty", "exits", "needy", "person"}
    assert reasons["broken"].startswith("all/broken.py cannot be imported: line 1: SyntaxError")
    assert reasons["empty"] == "empty.py has no player: write class Mine(arena.Player)"
    assert reasons["person"] == "it plays at a terminal"
    assert reasons["needy"].startswith("needy needs the option 'last'")


def test_file_without_a_player_beside_a_player_of_its_subfolder_is_no_problem(write: Write) -> None:
    write("all/alice/greedy.py", FIRST.replace("import arena", "import arena\n    import helper"))
    write("all/alice/helper.py", "")
    write("all/bob/helper.py", "")
    players, lines = collected("all")
    assert [each.text for each in players] == ["alice/greedy"]
    assert lines == ["left out: bob/helper: helper.py has no player: write class Mine(arena.Player)"]


def test_import_that_does_not_end_is_left_out(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_ins, "IMPORT_TIMEOUT", 2.0)
    write("all/good.py", FIRST)
    write("all/hangs.py", "while True: pass")
    players, lines = collected("all")
    assert [each.text for each in players] == ["good"]
    assert lines == ["left out: hangs: all/hangs.py cannot be imported: the import takes more than 2 seconds"]


def test_taken_name_refuses_the_whole_folder(write: Write) -> None:
    write("all/random.py", FIRST)
    with pytest.raises(NameTaken):
        collected("all")
    write("more/mine.py", FIRST)
    with pytest.raises(NameTaken):
        collected("more", Resolver(Files({"mine": "elsewhere/mine.py"})))


def test_folder_without_players_is_refused(write: Write) -> None:
    write("all/empty.py", "")
    with pytest.raises(UsageError, match=r"^no player in the folder all can take part$"):
        collected("all")
    with pytest.raises(UsageError, match=r"^there is no folder none: name a folder of Python files$"):
        collected("none")


HOSTILE = {
    "exits": "import os\nos._exit(3)",
    "crashes": "import ctypes\nctypes.string_at(0)",
    "kills": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "prints": "print('x' * 30_000_000)\nraise RuntimeError('x' * 1_000_000)",
    "forks": "import os, time\nif os.fork() == 0:\n    time.sleep(600)\nraise ValueError('forked')",
}


def test_import_cannot_harm_the_command(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    write("all/good.py", FIRST)
    for name, code in HOSTILE.items():
        write(f"all/{name}.py", code)
    players, lines = collected("all")
    assert [each.text for each in players] == ["good"]
    reasons = dict(line.removeprefix("left out: ").split(": ", 1) for line in lines)
    assert reasons == {
        "crashes": "all/crashes.py cannot be imported: the process ended with signal 11 (SIGSEGV)",
        "exits": "all/exits.py cannot be imported: the process ended with exit code 3",
        "forks": "all/forks.py cannot be imported: line 4: ValueError: forked",
        "kills": "all/kills.py cannot be imported: the process killed its supervisor",
        "prints": reasons["prints"],
    }
    assert reasons["prints"].startswith("all/prints.py cannot be imported: line 2: RuntimeError: xxx")
    assert len(reasons["prints"]) < 3000
    assert capfd.readouterr() == ("", "")


TELLS = """
    import os, pathlib
    with open(pathlib.Path(__file__).with_name("imports.txt"), "a") as file:
        print(os.getpid(), file=file)
"""


def test_stand_in_has_the_names_and_options_of_the_file_and_no_code(write: Write) -> None:
    file = write("all/mine.py", dedent(TELLS) + dedent(FIRST).replace("First(arena", "Mine(arena"))
    resolver = Resolver()
    [spec] = hand_ins.players("all", resolver, print, isolate=True)
    imports = file.with_name("imports.txt").read_text().split()
    assert len(imports) == 1
    assert int(imports[0]) != os.getpid()
    assert (spec.text, spec.registered.description) == ("mine", "Choose the first move.")
    assert specs.parse("player", "mine:last=yes", resolver=resolver).text == "mine:last=true"
    assert specs.parse("player", "mine:Mine", resolver=resolver).text == "mine"
    with pytest.raises(UnknownName, match="has no class Mien; there are Mine"):
        specs.parse("player", "mine:Mien", resolver=resolver)
    assert spec.files[0].parts == ("mine.py",)
    assert file.with_name("imports.txt").read_text().split() == imports


def test_file_and_its_stand_in_have_the_same_identity(write: Write) -> None:
    for folder in ("one", "other"):
        write(f"{folder}/mine.py", FIRST.replace("import arena", "import arena\n    import helper"))
        write(f"{folder}/helper.py", "")
    lines: list[str] = []
    [spec] = hand_ins.players("one", Resolver(), lines.append)
    [apart] = hand_ins.players("other", Resolver(), lines.append, isolate=True)
    assert specs.identity(spec) == specs.identity(apart)


def test_changed_file_of_a_stand_in_is_refused_and_not_imported(write: Write) -> None:
    file = write("all/mine.py", FIRST)
    [spec] = hand_ins.players("all", Resolver(), print, isolate=True)
    file.write_text("raise SystemExit")
    with pytest.raises(PluginError, match=r"^all/mine\.py was changed while its games were played"):
        spec.files[0].check_unchanged()


IMPORTS = """
    import arena
    import helper
    from parts import numbers

    class Mine(arena.Player):
        number = helper.NUMBER + numbers.NUMBER

        def choose(self, game):
            return game.board.legal_moves[0]
"""


def test_file_that_was_found_unchanged_is_imported_as_it_was_then(write: Write) -> None:
    written = {"mine.py": IMPORTS, "helper.py": "NUMBER = 1", "parts/__init__.py": "", "parts/numbers.py": "NUMBER = 2"}
    for name, content in written.items():
        write(f"all/mine/{name}", content)
    resolver, lines = Resolver(), []
    [spec] = hand_ins.players("all", resolver, lines.append, isolate=True)
    [file] = spec.files
    assert file.parts == ("helper.py", "mine.py", "parts/__init__.py", "parts/numbers.py")
    # As in a worker, which has no stand-in.
    code = f"""
        from pathlib import Path
        from arena.plugins import specs
        from arena.plugins.files import Files, SourceFile
        from arena.plugins.models import Resolver

        file = SourceFile({file.name!r}, {file.path!r}, {file.hash!r}, {file.parts!r})
        file.check_unchanged()
        for path in Path("all").rglob("*.py"):
            path.write_text("1 / 0")
        file.check_unchanged()
        spec = specs.parse("player", {spec.text!r}, resolver=Resolver(Files(known=[file])))
        print(spec.registered.cls.number, spec.files[0].hash == file.hash)
    """
    done = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, text=True, check=False)
    assert done.stdout == "3 True\n", done.stderr
