"""Compiled kernels on disk: found again by the next process, never stale, never in the way.

Numba's cache of a function looks only at the file of that function, while our
generic loops inline the rules of games from other files. So the cache lives in a
folder named after a digest of all sources of the package: an edit anywhere
means a new folder. It lies under ``NUMBA_CACHE_DIR`` if that is set, else
``$XDG_CACHE_HOME`` or ``~/.cache``; where nothing can be written, kernels are
compiled in every process. Folders of other versions unused for 30 days are removed.

The digest knows nothing of a game that lies outside the package, in a notebook or a module
of the user's. Its kernels are compiled in every process, and nothing of it is written.

Read next: ``playout.py``, which has the first ``@entry``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache

IN_CHECKOUT = (Path(__file__).parents[1] / "pyproject.toml").is_file()
UNUSED_SECONDS = 30 * 24 * 3600


def _sources() -> list[Path]:
    """The package's folder, and in a checkout those that are installed inside it."""
    package = Path(__file__).parent
    beside = [package.parent / name for name in ("agents", "envs")] if IN_CHECKOUT else []
    return sorted(path for folder in (package, *beside) for path in folder.rglob("*.py"))


def sources_digest() -> str:
    """A digest of all Python sources with kernels or the rules in them (names and contents)."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _cache_home() -> Path:
    chosen = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return (Path(chosen) if chosen else Path.home() / ".cache") / "mancala_ai"


def _prepare() -> str | None:
    """The folder for compiled kernels, made and found writable; None where there is none."""
    try:
        home = _cache_home()
        folder = home / sources_digest()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        os.utime(folder)
        _remove_unused(home, folder)
    except (OSError, RuntimeError):  # RuntimeError: no home folder can be determined
        return None
    return str(folder)


def _remove_unused(home: Path, kept: Path) -> None:
    for other in home.iterdir():
        with suppress(OSError):  # another process may be removing it
            unused = time.time() - other.stat().st_mtime > UNUSED_SECONDS
            if unused and other != kept and other.is_dir():
                shutil.rmtree(other, ignore_errors=True)


_folder = _prepare()


class _KernelCache(FunctionCache):
    """Numba's cache of a function, for the games of this package.

    Another game's kernel would be found again after its rules were edited, and its types be
    imported wherever this function is, or fail to be.
    """

    def save_overload(self, sig: Any, data: Any) -> None:
        if not any(map(_is_foreign, data.signature.args)):
            super().save_overload(sig, data)


def _is_foreign(argument: Any) -> bool:
    """Whether a Numba type stands for rules or a state from outside the package."""
    module = getattr(argument, "instance_class", _KernelCache).__module__
    return module.partition(".")[0] != __package__


def entry(function: Callable[..., Any]) -> Any:
    """``njit`` for a function that Python calls: cached on disk, and the GIL released.

    It must not return a ``NamedTuple``: Numba 0.68 crashes if Ctrl-C comes before it makes one.
    Nor can it make arrays, or assign one to a part of another: references are not counted
    (``_nrt``), neither in it nor in the kernels it calls. Numba counts them wherever an array is
    passed on, even to a function that is inlined, by an atomic instruction.
    """
    if _folder is None or numba.config.DISABLE_JIT:
        return numba.njit(nogil=True, _nrt=False)(function)
    users = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _folder  # read while decorating only
    try:
        compiled = numba.njit(nogil=True, _nrt=False)(function)
        compiled._cache = _KernelCache(function)
        return compiled
    finally:
        numba.config.CACHE_DIR = users


def resolved(kernel: Any, *args: Any) -> Callable[..., Any]:
    """What a kernel was, or is now, compiled to for arguments of these types, in Python.

    Calling it takes 0.2 us where calling the kernel takes 1.1, or with twenty arrays 0.5 instead
    of 2.4: it does not look at the types again. Nobody does, so they have to be the same.
    """
    if numba.config.DISABLE_JIT:
        return kernel
    return kernel.compile(tuple(numba.typeof(arg) for arg in args))
