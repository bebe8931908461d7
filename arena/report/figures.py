"""Matplotlib figures as SVG elements of a page.

The page's security policy forbids ``style`` attributes, and all figures of a page share its ids. So styles become
attributes, and ids get a prefix. What is black takes the colour of the page's text.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from arena.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_LEFT_OUT = (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style")
_REFERENCE = re.compile(r"url\(#")
_INK = "#000000"


def inline(figure: Figure, prefix: str, label: str) -> str:
    """Return a figure as an SVG element; equal figures give equal texts.

    ``prefix``: begins all ids, so that the figures of a page do not share any. ``label``: what the figure shows, for
    people who do not see it.
    """
    root = ElementTree.fromstring(style.svg(figure))
    for parent in root.iter():
        for child in [each for each in parent if each.tag in _LEFT_OUT]:
            parent.remove(child)
    for element in root.iter():
        _adapt(element, prefix)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.attrib.update(
        {"role": "img", "aria-label": label, "stroke-linejoin": "round", "stroke-linecap": "butt"},
        fill="currentColor",
    )
    text = io.StringIO()
    ElementTree.register_namespace("", _SVG)
    ElementTree.ElementTree(root).write(text, encoding="unicode")
    return text.getvalue()


def _adapt(element: ElementTree.Element, prefix: str) -> None:
    """Turn an element's style into attributes, and add the prefix to its ids and links."""
    attributes = element.attrib
    for declaration in attributes.pop("style", "").split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            attributes[name.strip()] = value.strip()
    for name in ("fill", "stroke"):
        if attributes.get(name) == _INK:
            attributes[name] = "currentColor"
    if (link := attributes.pop(f"{{{_LINK}}}href", None)) is not None:
        attributes["href"] = f"#{prefix}{link[1:]}" if link.startswith("#") else link
    if "id" in attributes:
        attributes["id"] = prefix + attributes["id"]
    for name, value in attributes.items():
        attributes[name] = _REFERENCE.sub(f"url(#{prefix}", value)
