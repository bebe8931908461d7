"""``arena train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


def train(
    learner: Annotated[str, typer.Argument(help="Spec of a learner, for example lms:rate=0.05.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="New file for the weights.")],
    games: Annotated[int, typer.Option(min=1, help="Games to learn from.")] = 500,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all chance; a fresh one if not given.")] = None,
) -> None:
    """Train a learner and write its weights."""
    import secrets

    from arena import specs
    from arena.cli.output import progress_bar, say
    from arena.experiment import training
    from arena.warmup import warm_up

    spec = specs.parse("learner", learner)
    if output.exists():
        raise UsageError(f"{output} exists already; name another file")
    if not output.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {output.absolute().parent}")
    if seed is None:
        seed = secrets.randbits(32)
    say(f"training {spec.text} with seed {seed}")
    warm_up(say)
    with progress_bar("training") as tell:

        def show(done: int, metrics: Mapping[str, float]) -> None:
            tell(done, 0, games, " ".join(f"{name} {value:.4g}" for name, value in metrics.items()))

        trained = training.train(spec, games, seed, show)
    trained.model.save(output, trained.provenance)
    print(" ".join(f"{name}={value:.6g}" for name, value in trained.metrics.items()))
    print(f"wrote {output}, weights {trained.model.hash}")
    print(f"play it: arena tournament --players {trained.model.kind}:weights={output},random")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(train)
