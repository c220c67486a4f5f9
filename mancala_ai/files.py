"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast


def whole_file(path: str | Path) -> AbstractContextManager[TextIO]:
    """A UTF-8 text file that appears under its name complete, or not at all.

    It is opened at once, so that a place that cannot be written to is found before
    the work. Anything but a regular file (``/dev/null``, a pipe) is written directly.

    Raises
    ------
    OSError
        If the file cannot be written; it names ``path``.
    """
    opened = _whole(path, mode="w", encoding="utf-8", newline="\n")
    return cast(AbstractContextManager[TextIO], opened)


def whole_binary_file(path: str | Path) -> AbstractContextManager[BinaryIO]:
    """:func:`whole_file` for bytes."""
    return cast(AbstractContextManager[BinaryIO], _whole(path, mode="wb"))


@contextmanager
def _whole(path: str | Path, **how: Any) -> Iterator[IO[Any]]:
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        with path.open(**how) as file:
            yield file
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        file = draft.open(**how)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with file:
            yield file
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
