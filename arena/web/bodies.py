"""JSON bodies of requests."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar

import msgspec
from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.requests import Request


class Body(msgspec.Struct, forbid_unknown_fields=True):
    """Base class of bodies: each field is a key of the JSON object."""


B = TypeVar("B", bound=Body)


async def body_of(request: Request, kind: type[B]) -> B:
    """Return the body of a request. Raises HTTPException if it is not a JSON object with the fields of ``kind``.

    Other sites cannot send the content type ``application/json`` without asking the server first.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send JSON with the content type application/json.")
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except msgspec.DecodeError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"The request is not valid: {error}.") from None
