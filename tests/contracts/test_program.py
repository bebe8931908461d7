"""Command lines as the values of options."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import arena
from arena.errors import UsageError
from arena.plugins.specs import differences, identity, parse, parse_list


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder with two programs."""
    monkeypatch.chdir(tmp_path)
    for name in ("one", "my engine"):
        write(tmp_path / name, "#!/bin/sh\n")
    return tmp_path


def write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)


def test_words_are_split_as_in_a_shell(folder: Path) -> None:
    program = arena.Program("'./my engine' --book \"a b\" c\\ d")
    assert program.words == [str(folder / "my engine"), "--book", "a b", "c d"]
    assert program.folder == folder


def test_names_are_found_on_the_path_and_beside_the_interpreter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    assert arena.Program("one").words == [str(folder / "one")]
    beside = Path(sys.executable).name
    assert arena.Program(beside).words == [str(Path(sys.executable).parent / beside)]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a command line needs at least one word: the program to start"),
        (
            "./two --hub",
            r"the program './two' does not exist or is not executable; write the path of a program, such as",
        ),
        ("'./one", r'"\'./one" is not a command line: No closing quotation'),
    ],
)
def test_a_command_line_that_cannot_be_used_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        arena.Program(text)


def test_a_file_that_is_not_executable_is_refused(folder: Path) -> None:
    (folder / "one").chmod(0o644)
    with pytest.raises(UsageError, match="does not exist or is not executable"):
        arena.Program("./one")


def test_the_hash_is_that_of_the_files_and_not_of_their_paths(folder: Path) -> None:
    first = arena.Program("./one").hash
    assert len(first) == 32
    assert arena.Program("./one --depth 3 missing").hash == first
    assert arena.Program("'./my engine'").hash == first
    (folder / "net").write_text("weights", encoding="utf-8")
    assert arena.Program("./one net").hash != first
    program = arena.Program("./one")
    write(folder / "one", "#!/bin/sh\nexit\n")
    assert program.hash != first


def test_the_hash_is_part_of_the_identity_of_a_player(folder: Path) -> None:
    spec = parse("player", "engine:name=mine:command=./one")
    then = identity(spec)
    assert then["command"] == arena.Program("./one").hash
    code = spec.code
    write(folder / "one", "#!/bin/sh\nexit\n")
    assert list(differences(then, identity(parse("player", spec.text)))) == ["command"]
    assert parse("player", spec.text).code != code


@pytest.mark.usefixtures("folder")
def test_a_spec_with_a_command_line_is_canonical() -> None:
    text = 'engine:command="./one --levels 1,2:depth=3":name="a, b"'
    first, second = parse_list("player", f"{text},random")
    assert first.text == "engine:name=[a, b]:command=[./one --levels 1,2:depth=3]"
    assert (parse("player", first.text).text, second.text) == (first.text, "random")
    assert first.options["command"].words[1:] == ["--levels", "1,2:depth=3"]
    assert first.create().command == arena.Program("./one --levels 1,2:depth=3")


@pytest.mark.usefixtures("folder")
def test_a_spec_needs_a_command_line_that_can_be_used() -> None:
    with pytest.raises(UsageError, match=r"engine needs the option 'command' \(command line\)"):
        parse("player", "engine:name=mine")
    with pytest.raises(UsageError, match=r"the program '\./two' does not exist"):
        parse("player", "engine:command=./two")
