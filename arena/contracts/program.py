"""Programs: command lines as the values of options."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from contextlib import suppress
from hashlib import blake2b, file_digest
from pathlib import Path

from arena.errors import UsageError, shown


class Program:
    """A command line that starts another program, such as ``./engine --hub``.

    The text is split into words as a POSIX shell does it, with quotes and backslashes. Nothing else of a shell works.
    The first word is a path, or the name of a program that is on ``PATH`` or beside the Python interpreter.
    """

    def __init__(self, text: str) -> None:
        """Raises UsageError if the text is not a command line, or if the program does not exist."""
        self.text = text
        """The command line as it was written."""
        self.folder = Path.cwd()
        """Folder in which the program is to run: the current folder when this object was made."""
        try:
            self.words = shlex.split(text)
        except ValueError as error:
            raise UsageError(f"{shown(text)} is not a command line: {error}") from None
        if not self.words:
            raise UsageError("a command line needs at least one word: the program to start")
        path = os.pathsep.join([os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)])
        executable = shutil.which(self.words[0], path=path)
        if executable is None:
            raise UsageError(
                f"the program {shown(self.words[0])} does not exist or is not executable; "
                "write the path of a program, such as ./engine, or the name of a program on PATH"
            )
        self.words[0] = str(self.folder / executable)

    @property
    def hash(self) -> str:
        """Hash of the contents of the executable and of all files that the other words name: 32 hexadecimal digits.

        Files are read at each access. Their paths are not part of the hash.
        """
        digest = blake2b(digest_size=16)
        for word in self.words:
            with suppress(OSError, ValueError), (self.folder / word).open("rb") as file:
                digest.update(file_digest(file, blake2b).digest())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and (self.text, self.folder) == (other.text, other.folder)

    def __hash__(self) -> int:
        return hash((self.text, self.folder))

    def __repr__(self) -> str:
        return f"Program({self.text!r})"
