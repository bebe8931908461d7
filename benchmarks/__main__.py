"""``python -m benchmarks`` measures the speed of the game and the search, as ratios to other programs."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numba
import numpy as np

from arena.plugins.warmup import compile_missing, everything
from benchmarks import rows, twin
from benchmarks.peers import Peer, installed

if TYPE_CHECKING:
    from benchmarks.measure import Row


def main() -> None:
    """Run the benchmarks and print each line when it is measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"benchmark to run: {', '.join(rows.ALL)}; default: all")
    parser.add_argument("--py-draughts", type=Path, metavar="FOLDER", help="folder in which py-draughts is installed")
    arguments = parser.parse_args()
    unknown = set(arguments.rows) - set(rows.ALL)
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}: choose among {', '.join(rows.ALL)}")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    compile_missing(print, everything())
    peers = []
    for peer in installed(arguments.py_draughts):
        if isinstance(peer, Peer):
            peers.append(peer)
        else:
            print(peer)
    if twin.compiler() is None:
        print("gcc is not installed: there are no comparisons with the C twins")
    _print_machine()
    ours, theirs = f"{'benchmark':36} {'per second':>14}", f"{'compared with':21} {'per second':>14}"
    print(f"{ours}  {theirs} {'ratio':>7}  {'quartiles':15} target")
    missed = 0
    for name in arguments.rows or rows.ALL:
        try:
            for row in rows.ALL[name](peers, twin.compiler() is not None):
                missed += _print(row)
        except ImportError as error:
            print(f"{name}: skipped ({error})")
    print("all targets are reached" if not missed else f"{missed} targets are missed")


def _print_machine() -> None:
    version = "no gcc"
    if twin.compiler():
        command = [str(twin.compiler()), "--version"]
        version = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    python = f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}"
    print(f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores; {python}; {version}\n")


def _print(row: Row) -> bool:
    """Print a row. Returns whether its ratio is below the target."""
    line = f"{row.name:36} {_number(row.ours):>14}  {row.other:21} "
    missed = False
    if row.ratio:
        low, middle, high = map(_ratio, row.ratio)
        line += f"{_number(row.theirs):>14} {middle:>7}  {f'{low} - {high}':15} "
        if row.target is not None:
            missed = row.ratio[1] < row.target
            line += f"{row.target:g} {'missed' if missed else 'reached'}"
    print(line.rstrip() + (f"  ({row.note})" if row.note else ""))
    sys.stdout.flush()
    return missed


def _number(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def _ratio(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


if __name__ == "__main__":
    main()
