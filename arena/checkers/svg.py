"""The board as a picture."""

from __future__ import annotations

_CELL = 44
_FILL = {"black": "#2b2b2b", "white": "#f4efe4"}


def draw(black: int, white: int, kings: int) -> str:
    """Return an SVG of 352 x 352 pixels, White's side at the bottom. Kings are marked with a ring."""
    size = 8 * _CELL
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" viewBox="0 0 {size} {size}">',
        f'<rect width="{size}" height="{size}" fill="#ecd9b4"/>',
    ]
    for square in range(32):
        row = square // 4
        left, top = _CELL * (2 * (square % 4) + 1 - row % 2), _CELL * row
        parts.append(f'<rect x="{left}" y="{top}" width="{_CELL}" height="{_CELL}" fill="#8a6642"/>')
        parts.append(f'<text x="{left + 3}" y="{top + 11}" font-size="10" fill="#ecd9b4">{square + 1}</text>')
        colour = "black" if black >> square & 1 else "white" if white >> square & 1 else ""
        if colour:
            centre = f'cx="{left + _CELL // 2}" cy="{top + _CELL // 2}"'
            parts.append(f'<circle {centre} r="17" fill="{_FILL[colour]}" stroke="#000"/>')
            if kings >> square & 1:
                parts.append(f'<circle {centre} r="9" fill="none" stroke="#d4a017" stroke-width="4"/>')
    return "".join(parts) + "</svg>"
