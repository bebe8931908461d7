"""Decorators for compiled functions, and the cache of their machine code.

Numba notices that a function was edited, but not that a function of another file which it calls was edited. Therefore
the name of a cache folder is a hash of all sources that a kernel may come from, and a changed source leads to another
folder. These sources are the core, the package that defines the kernel, and the packages of compiled functions that it
may call. If the kernel is in a module outside packages, they include the modules in the same folder.

Folders that were not used for a month are removed. If no folder can be written, each process compiles its kernels.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import sys
import time
from contextlib import contextmanager, suppress
from functools import cache, cached_property, update_wrapper
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from platformdirs import user_cache_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

F = TypeVar("F", bound="Callable[..., Any]")
_HERE = Path(__file__).parents[1]
CORE = tuple(
    _HERE / part
    for part in (
        "kernels/compiled.py",
        "checkers",
        "search",
    )
)
"""Files and folders with the sources of the core's kernels."""
_KEPT = 30 * 24 * 3600.0
"""Seconds without use after which a cache folder is removed."""
_PROCESS = secrets.token_hex(4)
EVALUATOR_SIGNATURE = "int32(uint32, uint32, uint32, int32, intp)"
"""own, opp, kings, side, context -> value; see :class:`arena.Kernel`."""


class Lazy:
    """A function that Numba compiles when it is first called, or when another compiled function calls it.

    Numba is imported only then, because its import takes longer than most commands.
    """

    def __init__(self, function: Callable[..., Any], make: Callable[[Any], Any]) -> None:
        self.py_func = function
        """The Python function. Numba's own compiled functions have the same attribute."""
        self._make = make
        update_wrapper(self, function)

    @cached_property
    def compiled(self) -> Any:
        """Numba's object for the function: a dispatcher, or an intrinsic."""
        return self._make(self.py_func)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.compiled(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of Numba's object, such as ``inspect_llvm``."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.compiled, name)

    @property
    def _numba_type_(self) -> Any:
        """The type that Numba needs if compiled code uses this object."""
        from numba.core.registry import cpu_target

        compiled, context = self.compiled, cpu_target.typing_context
        context.refresh()  # the object may be new, if it was created during a compilation
        return context.resolve_value_type(compiled)


def kernel(function: F) -> F:
    """Compile ``function`` on its first call. The compiled function releases the interpreter's lock."""
    return _lazy(function, nogil=True)


def inline_kernel(function: F) -> F:
    """Like :func:`kernel`, but inlined into every caller, for functions that a hot loop calls."""
    return _lazy(function, nogil=True, forceinline=True)


def short_kernel(function: F) -> F:
    """Like :func:`kernel`, but keep the interpreter's lock, for functions that are faster than releasing it."""
    return _lazy(function)


def instruction(typing: Callable[..., Any]) -> Callable[..., Any]:
    """Return an instruction for compiled code, as ``numba.extending.intrinsic`` creates it from ``typing``."""

    def make(typing: Any) -> Any:
        from numba.extending import intrinsic

        return intrinsic(typing)

    return Lazy(typing, make)


def _lazy(function: F, **options: bool) -> F:
    def make(function: Any) -> Any:
        return _with_unique_files(_compiled(function, **options))

    return cast("F", Lazy(function, make))


def _compiled(function: Any, *signature: str, **options: bool) -> Any:
    import numba

    njit: Any = numba.njit
    with _cache_of(function) as cached:
        dispatcher = njit(*signature, cache=cached, error_model="numpy", no_cfunc_wrapper=True, **options)(function)
    return _without_literals(dispatcher)


def eager(function: F) -> F:
    """Return Numba's object for a kernel, whose calls do not have the overhead of :class:`Lazy`.

    This imports Numba. Use it in modules that are imported only to run kernels.
    """
    return cast("F", cast("Lazy", function).compiled)


def entry_point(function: F, signature: str) -> F:
    """Compile a kernel for one signature and return the entry point. Its calls skip Numba's dispatch on types."""
    return cast("F", cast("Any", eager(function)).compile(signature))


def typed_kernel(signature: str) -> Callable[[F], F]:
    """Like :func:`kernel`, but compiled immediately for one signature.

    Use it for a recursive function that other kernels call. Without a signature, Numba compiles such a function twice,
    the second time for literal arguments, and the two cached copies cannot call each other.
    """

    def decorate(function: F) -> F:
        return cast("F", _compiled(function, signature, nogil=True))

    return decorate


def _entry(own, opp, kings, side, context):  # type: ignore[no-untyped-def]
    """Call a decorated evaluator, which computes in int64, with the arguments of the C function."""
    return np.int32(_function(np.int64(own), np.int64(opp), np.int64(kings), np.int64(side), context))  # type: ignore[name-defined]  # noqa: F821


class EvaluatorKernel:
    """A compiled evaluator function with an address. It is compiled when the address is first used."""

    def __init__(self, function: Callable[..., int]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    @cached_property
    def address(self) -> int:
        """Address of the machine code. It is valid while this object exists."""
        address: int = self._compiled.address
        return address

    @cached_property
    def _compiled(self) -> Any:
        import numba

        function = self._function
        name = f"{function.__qualname__}.entry"
        source = function.__code__
        code = _entry.__code__.replace(
            co_filename=source.co_filename, co_firstlineno=source.co_firstlineno, co_name=name
        )
        entry = FunctionType(code, {"np": np, "_function": kernel(function)}, name)
        entry.__qualname__, entry.__module__ = name, function.__module__
        with _cache_of(entry) as cached:
            return numba.cfunc(EVALUATOR_SIGNATURE, cache=cached, error_model="numpy")(entry)


def evaluator_kernel(function: Callable[..., int]) -> EvaluatorKernel:
    """Let the compiled search call ``function(own, opp, kings, side, context)`` by its address.

    The function receives int64 arguments, which :class:`arena.Kernel` describes, and returns an integer. It may call
    other functions that :func:`kernel` or Numba has compiled.
    """
    return EvaluatorKernel(function)


def default_folder() -> Path:
    """Return the cache folder. It contains a folder for each state of the sources."""
    return user_cache_path("checkers-arena", appauthor=False) / "kernels"


def marker(name: str, code: str) -> Path | None:
    """Return the marker file of a unit of kernels, or None if there is no cache.

    The file exists if the cache holds the unit. Its name contains the ``name`` of the unit, the hash ``code`` of its
    source, and the processor, Python and Numba for which it is compiled.
    """
    from llvmlite.binding import get_host_cpu_name

    folder = _folder(frozenset())
    platform = f"{get_host_cpu_name()}-{sys.implementation.cache_tag}-numba-{version('numba')}"
    return folder and folder / "-".join(filter(None, ("compiled", *name.split(), code, platform)))


@contextmanager
def _cache_of(function: Callable[..., Any]) -> Iterator[bool]:
    """Set Numba's cache folder to the folder for ``function``. Yields False if there is no folder."""
    import numba

    config: Any = numba.config
    source = Path(function.__code__.co_filename)
    folder = _folder(_packages(function)) if source.is_file() else None
    before = config.CACHE_DIR
    if folder is not None:
        config.CACHE_DIR = str(folder)
    try:
        yield folder is not None
    finally:
        config.CACHE_DIR = before


def _with_unique_files(dispatcher: Any) -> Any:
    """Give the cache files of this process unique names.

    Numba numbers the files. If two processes compile a function for different types at the same time, both use the
    same number, and one would overwrite the code of the other.
    """
    files = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if files is not None:
        files._data_name_pattern = files._data_name_pattern.replace("{number", f"{_PROCESS}-{{number")
    return dispatcher


def _without_literals(dispatcher: Any) -> Any:
    """Compile a kernel for int64 if another kernel calls it with a literal number, as in ``f(x, 0)``.

    Numba would compile it again for each such number. LLVM can use the number in any case when it inlines the kernel.
    """
    from numba.core.types import unliteral

    plain: Any = unliteral
    template = dispatcher.get_call_template
    dispatcher.get_call_template = lambda arguments, named: template(
        tuple(map(plain, arguments)), {name: plain(argument) for name, argument in named.items()}
    )
    return dispatcher


def _packages(function: Callable[..., Any]) -> frozenset[Path]:
    """Return the packages of ``function`` and of all compiled functions that it may call, without the core."""
    packages: set[Path] = set()
    seen = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        package = _package_of(current.__code__.co_filename, current.__module__)
        if package != _HERE and current not in seen:
            seen.add(current)
            packages.add(package)
            waiting += _compiled_in(current.__globals__, current.__code__.co_names)
    return frozenset(packages)


def _compiled_in(namespace: dict[str, Any], names: tuple[str, ...]) -> Iterator[Callable[..., Any]]:
    """Yield the Python functions of the compiled functions in ``namespace``.

    Of the modules in it, only the attributes among ``names`` count.
    """
    from numba.core.dispatcher import Dispatcher

    for value in list(namespace.values()):
        if isinstance(value, (Lazy, Dispatcher)):
            yield value.py_func
        elif isinstance(value, type(_pointer.compiled)):
            yield cast("Any", value)._defn
        elif isinstance(value, ModuleType):
            for name in names:
                if name in vars(value):
                    yield from _compiled_in({name: vars(value)[name]}, tuple(other for other in names if other != name))


@cache
def _package_of(file: str, module: str) -> Path:
    """Return the folder of the top-level package of a source file, or the file if it is not in a package."""
    source = Path(file)
    depth = module.count(".") + (source.name == "__init__.py")
    return source.parents[depth - 1] if depth else source


@cache
def _folder(packages: frozenset[Path]) -> Path | None:
    """Return the cache folder for kernels of the core and ``packages``; None if it cannot be written.

    The folder is created if necessary.
    """
    digest = hashlib.blake2b(digest_size=8)
    for source in (*CORE, *sorted(packages)):
        inside = source.rglob("*.py") if source.is_dir() else [source] if source in CORE else source.parent.glob("*.py")
        for file in sorted(inside):
            with suppress(OSError):
                digest.update(str(file).encode() + b"\0" + file.read_bytes())
    folder = default_folder() / digest.hexdigest()
    try:
        new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
        os.utime(folder)
    except OSError:
        return None
    if new:
        _remove_unused(folder.parent)
    return folder


def _remove_unused(folders: Path) -> None:
    """Remove cache folders that were not used for a month. A process that still uses one compiles its kernels again."""
    with suppress(OSError):
        for folder in folders.iterdir():
            if folder.stat().st_mtime < time.time() - _KEPT:
                shutil.rmtree(folder, ignore_errors=True)


def _to_pointer(_typing: Any, _address: Any) -> Any:
    from numba import types

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.int64)(types.intp), codegen  # type: ignore[no-untyped-call]


def _make_carray(_: Any) -> Any:
    import numba

    return numba.carray  # type: ignore[attr-defined]


_pointer: Any = instruction(_to_pointer)
_carray: Any = Lazy(_make_carray, _make_carray)


@kernel
def context_array(context: int, length: int) -> np.ndarray[Any, Any]:
    """Return the first ``length`` int64 numbers of the array that an evaluator kernel received as its context."""
    array: np.ndarray[Any, Any] = _carray(_pointer(context), (length,))
    return array
