"""The player of external engines: programs in any language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import arena

if TYPE_CHECKING:
    from arena.engines import client


class Engine(arena.Player):
    """Plays the moves of another program, which speaks the Hub protocol.

    The program starts before the first game, and one process plays all games of an order.
    """

    def __init__(
        self,
        *,
        name: str = "",
        command: arena.Program,
        params: str = "",
        timeout: Annotated[float, arena.Range(0.1)] = 50.0,
    ) -> None:
        """``name``: what to call the engine; by default, the name of the program's file.

        ``command``: command line that starts the engine.

        ``params``: values of the engine's own parameters: ``"hash=64 book=false"``.

        ``timeout``: seconds for an answer. If it is shorter than ``--move-timeout``, the engine's last lines are in the
        reason of the forfeit.
        """
        self.name = name
        self.command = command
        self.params = params
        self.timeout = timeout
        self._engine: client.Engine | None = None

    def start(self, game: arena.Game) -> None:
        from arena.engines import client

        self._engine = client.borrow(self._setup())
        self._engine.new_game(game)

    def choose(self, game: arena.Game) -> arena.Move:
        if self._engine is None:
            self.start(game)
        assert self._engine is not None
        return self._engine.choose(game)

    def finish(self, record: arena.GameRecord) -> None:  # noqa: ARG002  (the engine needs no record)
        from arena.engines import client

        if self._engine is not None:
            client.give_back(self._setup(), self._engine)
            self._engine = None

    def _setup(self) -> client.Setup:
        from arena.engines import client, protocol

        params = tuple(protocol.parse(f"set {self.params}")[1].items())
        return client.Setup(self.command, self.name or Path(self.command.words[0]).stem, params, self.timeout)
