"""Compiled functions: how they are made, and where their machine code is kept between runs.

Numba notices an edited function, but not an edited function that it calls in another file. So the folder of
the cache is named by a hash of every source that a kernel may come from: a changed source means another
folder, never a stale result. Those sources are the core, the package that defines the kernel (a module outside
packages: the modules beside it), and the packages of the compiled functions that it may call. Folders that
nobody has used for a month are removed. Where no folder can be written, kernels are compiled in each process.
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
"""Files and folders of the sources that the core's kernels come from."""
_KEPT = 30 * 24 * 3600.0
"""Seconds that an unused cache folder is kept."""
_PROCESS = secrets.token_hex(4)
EVALUATOR_SIGNATURE = "int32(uint32, uint32, uint32, int32, intp)"
"""own, opp, kings, side, context -> value; see :class:`arena.Kernel`."""


class Lazy:
    """What Numba makes of a function, made when it is first called or compiled into something else.

    Until then Numba, which takes longer to import than most commands to run, is not even imported.
    """

    def __init__(self, function: Callable[..., Any], make: Callable[[Any], Any]) -> None:
        self.py_func = function
        """As Numba calls it: the function for the interpreter."""
        self._make = make
        update_wrapper(self, function)

    @cached_property
    def made(self) -> Any:
        """What Numba makes of it."""
        return self._make(self.py_func)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.made(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        """What else Numba offers, ``inspect_llvm`` for one."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.made, name)

    @property
    def _numba_type_(self) -> Any:
        """Numba asks for it where compiled code names this."""
        from numba.core.registry import cpu_target

        made, context = self.made, cpu_target.typing_context
        context.refresh()  # it may have been made just now, within a compilation
        return context.resolve_value_type(made)


def kernel(function: F) -> F:
    """Compile ``function`` on its first call, without the interpreter and its lock."""
    return _lazy(function, nogil=True)


def inline_kernel(function: F) -> F:
    """As :func:`kernel`, with the code put into every caller: for what a hot loop calls, be it long or short."""
    return _lazy(function, nogil=True, forceinline=True)


def short_kernel(function: F) -> F:
    """As :func:`kernel`, but keeping the interpreter's lock: for what is done sooner than the lock changes hands."""
    return _lazy(function)


def instruction(typing: Callable[..., Any]) -> Callable[..., Any]:
    """An instruction for compiled code: what ``numba.extending.intrinsic`` makes of ``typing``."""

    def make(typing: Any) -> Any:
        from numba.extending import intrinsic

        return intrinsic(typing)

    return Lazy(typing, make)


def _lazy(function: F, **options: bool) -> F:
    def make(function: Any) -> Any:
        return _with_own_files(_compiled(function, **options))

    return cast("F", Lazy(function, make))


def _compiled(function: Any, *signature: str, **options: bool) -> Any:
    import numba

    njit: Any = numba.njit
    with _cache_of(function) as cached:
        dispatcher = njit(*signature, cache=cached, error_model="numpy", no_cfunc_wrapper=True, **options)(function)
    return _without_literals(dispatcher)


def made(function: F) -> F:
    """What Numba makes of a kernel, at once: for one that the interpreter calls so often that it should be spared the
    way there, in a module that is imported only where kernels run."""
    return cast("F", cast("Lazy", function).made)


def entry_point(function: F, signature: str) -> F:
    """A kernel compiled for one signature, without Numba's choice among types, which takes as long as a short one."""
    return cast("F", cast("Any", made(function)).compile(signature))


def typed_kernel(signature: str) -> Callable[[F], F]:
    """As :func:`kernel`, compiled at once for one signature.

    For a function that calls itself and is called by others: left to itself Numba compiles it twice, once for
    literal arguments, and the copies that it caches do not find each other.
    """

    def decorate(function: F) -> F:
        return cast("F", _compiled(function, signature, nogil=True))

    return decorate


def _entry(own, opp, kings, side, context):  # type: ignore[no-untyped-def]
    """The C function around a decorated evaluator, which computes in int64 throughout."""
    return np.int32(_function(np.int64(own), np.int64(opp), np.int64(kings), np.int64(side), context))  # type: ignore[name-defined]  # noqa: F821


class EvaluatorKernel:
    """A compiled evaluator function with an address, compiled when the address is first asked for."""

    def __init__(self, function: Callable[..., int]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    @cached_property
    def address(self) -> int:
        """Address of the machine code; valid as long as this object lives."""
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
    """Make ``function(own, opp, kings, side, context)`` callable from the compiled search by its address.

    Its arguments arrive as int64 and are described at :class:`arena.Kernel`; it returns an integer. It may call
    other functions that :func:`kernel` or Numba compiled.
    """
    return EvaluatorKernel(function)


def default_folder() -> Path:
    """Where machine code is kept: a folder in it for each state of the sources."""
    return user_cache_path("checkers-arena", appauthor=False) / "kernels"


def marker(name: str, code: str) -> Path | None:
    """A file to tell by its presence that kernels of that name and ``code`` (a hash) are in the cache, for this
    processor, Python and Numba; None where there is no cache."""
    from llvmlite.binding import get_host_cpu_name

    folder = _folder(frozenset())
    made = f"{get_host_cpu_name()}-{sys.implementation.cache_tag}-numba-{version('numba')}"
    return folder and folder / "-".join(filter(None, ("compiled", *name.split(), code, made)))


@contextmanager
def _cache_of(function: Callable[..., Any]) -> Iterator[bool]:
    """Point Numba's cache to the folder for ``function``; yields False where there is none."""
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


def _with_own_files(dispatcher: Any) -> Any:
    """Let this process name its files in the cache apart.

    Numba numbers them by the index as it read it: of two processes that compile a function for different types at
    the same time, one would overwrite the other's code.
    """
    files = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if files is not None:
        files._data_name_pattern = files._data_name_pattern.replace("{number", f"{_PROCESS}-{{number")
    return dispatcher


def _without_literals(dispatcher: Any) -> Any:
    """Let a kernel that others call with a literal number, ``f(x, 0)``, be compiled for int64.

    Numba would compile it once more for each such number. LLVM, which inlines it, knows the number all the same.
    """
    from numba.core.types import unliteral

    plain: Any = unliteral
    template = dispatcher.get_call_template
    dispatcher.get_call_template = lambda arguments, named: template(
        tuple(plain(each) for each in arguments), {name: plain(each) for name, each in named.items()}
    )
    return dispatcher


def _packages(function: Callable[..., Any]) -> frozenset[Path]:
    """The packages, the core apart, of ``function`` and of all compiled functions within its module's reach."""
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
    """The Python functions behind the compiled functions of a module; in other modules only what ``names`` name."""
    from numba.core.dispatcher import Dispatcher

    for value in list(namespace.values()):
        if isinstance(value, (Lazy, Dispatcher)):
            yield value.py_func
        elif isinstance(value, type(_pointer.made)):
            yield cast("Any", value)._defn
        elif isinstance(value, ModuleType):
            for name in names:
                if name in vars(value):
                    yield from _compiled_in({name: vars(value)[name]}, tuple(other for other in names if other != name))


@cache
def _package_of(file: str, module: str) -> Path:
    """The folder of the top-level package that the source ``file`` belongs to, or the file where it stands alone."""
    source = Path(file)
    depth = module.count(".") + (source.name == "__init__.py")
    return source.parents[depth - 1] if depth else source


@cache
def _folder(packages: frozenset[Path]) -> Path | None:
    """The cache folder for kernels of the core and ``packages``, made if need be; None where it cannot be written."""
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
    """Remove the cache folders whose sources are long gone; a process that still runs from one compiles again."""
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
    """The first ``length`` int64 numbers of the array that an evaluator kernel got as its context."""
    array: np.ndarray[Any, Any] = _carray(_pointer(context), (length,))
    return array
