"""``python -m arena`` is ``arena``."""

from __future__ import annotations

from arena.cli import main

if __name__ == "__main__":
    main()
