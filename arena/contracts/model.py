"""Models: weights in safetensors files, with their kind and provenance."""

from __future__ import annotations

import hashlib
import json
from copy import copy
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.errors import ModelError, message_of, shown

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

FORMAT = 1
_ENTRY = "checkers-arena"
"""Key of the file's metadata under which kind and provenance are stored as JSON."""


class Model:
    """Frozen weights of one kind: named arrays, with their provenance.

    The file of a model is read at the first access to the arrays, kind or provenance.
    """

    def __init__(
        self,
        kind: str,
        tensors: Mapping[str, np.ndarray[Any, Any]],
        provenance: Mapping[str, str] | None = None,
    ) -> None:
        self._path: Path | None = None
        self._name: str | None = None
        self._content = kind, _frozen(tensors), dict(provenance or {})

    @classmethod
    def file(cls, path: str | os.PathLike[str]) -> Model:
        """Return the model in the file at ``path``, without reading it yet."""
        model = cls.__new__(cls)
        model._path = Path(path)
        model._name = str(model._path)
        return model

    @classmethod
    def stored(cls, name: str, data: bytes) -> Model:
        """Return the model in ``data``, the bytes from :meth:`to_bytes`; ``name`` is its name in the database.

        Raises ModelError if the data are not a model.
        """
        model = cls.__new__(cls)
        model._path = None
        model._name = name
        model._content = _content(name, data)
        return model

    @classmethod
    def shipped(cls, package: str, name: str) -> Model:
        """Return the model in the data file ``name`` of an installed ``package``, without reading or importing them."""
        spec = find_spec(package)  # an import of the package here could be circular
        folders = spec.submodule_search_locations if spec else None
        return cls.file(Path(folders[0] if folders else package) / name)

    def called(self, name: str) -> Model:
        """Return the same weights under another name."""
        model = copy(self)
        model._name = name
        return model

    @property
    def path(self) -> Path | None:
        """Path of the file; None if the model does not come from a file."""
        return self._path

    @property
    def name(self) -> str | None:
        """Name of the model in a spec: a path, or a name in a database; None for a model made in memory."""
        return self._name

    @property
    def kind(self) -> str:
        """Kind of the model, for example ``lms``. Raises ModelError if the file is not a model."""
        return self._content[0]

    @property
    def tensors(self) -> Mapping[str, np.ndarray[Any, Any]]:
        """The read-only arrays by name. Raises ModelError if the file is not a model."""
        return self._content[1]

    @property
    def provenance(self) -> Mapping[str, str]:
        """Command, seed, games and version that made the model. Raises ModelError if the file is not a model."""
        return self._content[2]

    def expect(self, kind: str) -> Model:
        """Return the model itself; raises ModelError if it is of another kind."""
        if self.kind != kind:
            raise ModelError(f"{self} holds weights of kind {self.kind}, not {kind}")
        return self

    def require(self, kind: str, shapes: Mapping[str, tuple[int | None, ...]]) -> Mapping[str, np.ndarray[Any, Any]]:
        """Return the arrays; raises ModelError if the model does not have this kind and these arrays.

        ``shapes`` are the required shapes by name; None is any length. All numbers must be finite.
        """
        for name, shape in shapes.items():
            tensor = self.expect(kind).tensors.get(name)
            if tensor is None:
                raise ModelError(f"{self} holds no {name}; a model of kind {kind} has {', '.join(shapes)}")
            sizes = list(zip(tensor.shape, shape, strict=False))
            if tensor.ndim != len(shape) or any(wanted not in (None, size) for size, wanted in sizes):
                raise ModelError(f"{name} of {self} has the shape {tensor.shape}, not {shape}".replace("None", "n"))
            if not np.isfinite(tensor).all():
                raise ModelError(f"{name} of {self} holds numbers that are not finite")
        return self.tensors

    @cached_property
    def hash(self) -> str:
        """Hash of the kind and the arrays, but not of the provenance: 32 hexadecimal digits."""
        digest = hashlib.blake2b(self.kind.encode(), digest_size=16)
        for name, tensor in sorted(self.tensors.items()):
            digest.update(f"\0{name}\0{tensor.dtype.str}\0{tensor.shape}\0".encode())
            digest.update(tensor.tobytes())
        return digest.hexdigest()

    def to_bytes(self, provenance: Mapping[str, str] | None = None) -> bytes:
        """Return the content of a weights file; equal models with equal provenance give equal bytes."""
        from safetensors.numpy import save

        header = {"format": FORMAT, "kind": self.kind, "provenance": dict(provenance or {})}
        # A single entry: the order in which safetensors writes several entries is not fixed.
        return save(dict(self.tensors), metadata={_ENTRY: json.dumps(header, sort_keys=True)})

    def save(self, path: str | os.PathLike[str], provenance: Mapping[str, str]) -> None:
        """Write a new file at ``path``; raises ModelError if the file exists or cannot be written."""
        data = self.to_bytes(provenance)
        try:
            with Path(path).open("xb") as file:
                file.write(data)
        except FileExistsError:
            raise ModelError(f"{path} exists already; name another file") from None
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise ModelError(f"cannot write {path}: {message_of(error)}") from None

    @cached_property
    def _content(self) -> tuple[str, Mapping[str, np.ndarray[Any, Any]], dict[str, str]]:
        assert self._path is not None
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            raise ModelError(f"no weights file {self._path}") from None
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise ModelError(f"{self._path} cannot be read: {message_of(error)}") from None
        return _content(str(self._path), data)

    def __repr__(self) -> str:
        return f"Model({self._name!r})" if self._name else f"Model(kind={self.kind!r})"

    def __str__(self) -> str:
        return self._name or f"a model of kind {self.kind}"


def _content(name: str, data: bytes) -> tuple[str, Mapping[str, np.ndarray[Any, Any]], dict[str, str]]:
    """Return the kind, the arrays and the provenance; raises ModelError if the data are not a model."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        tensors = load(data)
        length = int.from_bytes(data[:8], "little")
        metadata = json.loads(data[8 : 8 + length]).get("__metadata__") or {}
        entry = json.loads(metadata.get(_ENTRY, "null"))
        if not isinstance(entry, dict) or entry.get("format") != FORMAT:
            raise ModelError(f"{name} is not a weights file of Checkers Arena (arena train makes them)")
        provenance = {_text(key): _text(value) for key, value in entry["provenance"].items()}
        return _text(entry["kind"]), _frozen(tensors), provenance
    except (AttributeError, KeyError, RecursionError, SafetensorError, TypeError, ValueError) as error:
        raise ModelError(f"{name} is not a weights file: {message_of(error)}") from None


def _text(value: object) -> str:
    """Return a string of the metadata; raises ValueError for any other value and for an unpaired surrogate."""
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is not a text")
    value.encode()
    return value


def _frozen(tensors: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """Return read-only copies in the layout of files: row-major and little-endian."""
    copies = {
        name: np.array(tensor, dtype=tensor.dtype.newbyteorder("<"), order="C") for name, tensor in tensors.items()
    }
    for each in copies.values():
        each.flags.writeable = False
    return copies
