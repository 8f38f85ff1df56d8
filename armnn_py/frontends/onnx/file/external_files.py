# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files of external data, which must lie in the model's own folder.

A model from elsewhere must not make its reader open any file of the machine. Whoever owns the
folder may exchange files while it is read, so that the file that was judged is the one that is
read: it is opened folder by folder, following no link, and judged by its descriptor.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted

__all__ = ["open_external_file"]

_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY
# Without O_NONBLOCK a pipe would make us wait.
_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW


def open_external_file(folder: str, location: str, what: str) -> BinaryIO:
    """Open a file of external data for reading.

    A link into the ``blobs`` of the model cache that the folder is a snapshot of stays in that
    cache.

    Parameters
    ----------
    folder
        The model's folder.
    location
        Path in the model, relative to the folder.
    what
        Names the tensor in an error.

    Raises
    ------
    ParseError
        It is missing, lies outside of the folder, or may do so by another name.
    """
    if location.rpartition("/")[2] in ("", ".", ".."):  # a folder, which Path forgets
        raise _missing(what, location)
    try:
        root = Path(folder).resolve()
        file = (root / location).resolve()
        base = _home_of(file, root)
        if base is None or Path(location).is_absolute():
            raise ParseError(
                f"{what}: external data {quoted(location)} lies outside the model's folder",
                hints=["put the data file beside the model and store a relative location"],
            )
        descriptor = _open_below(base, file.relative_to(base).parts)
    except (FileNotFoundError, NotADirectoryError):
        raise _missing(what, location) from None
    except (OSError, ValueError, RuntimeError) as error:
        raise ParseError(f"{what}: external data {quoted(location)}: {error}") from error
    try:
        _check(os.fstat(descriptor), location, what)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check(status: os.stat_result, location: str, what: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _missing(what, location)
    if status.st_nlink > 1:
        raise ParseError(
            f"{what}: external data {quoted(location)} is a file of {status.st_nlink} names "
            "(hard links)",
            details=["another of them may lie outside the model's folder"],
            hints=["copy the file, and put the copy in its place"],
        )


def _home_of(file: Path, root: Path) -> Path | None:
    """Return the folder that a file has to stay in, or None if it is in none."""
    if file.is_relative_to(root):
        return root
    blobs = _blobs_of(root)
    return blobs if file.parent == blobs else None


def _blobs_of(folder: Path) -> Path | None:
    """Return ``X/blobs`` for ``X/snapshots/REVISION`` and folders in it: a cache of the hub."""
    for above in folder.parents:
        if above.name == "snapshots":
            return above.parent / "blobs"
    return None


def _open_below(base: Path, names: Sequence[str]) -> int:
    """Open a file by its names below a folder; none of them may be a link."""
    folder = os.open(base, _FOLDER)
    try:
        for name in names[:-1]:
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(names[-1] if names else ".", _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _missing(what: str, location: str) -> ParseError:
    return ParseError(
        f"{what}: external data file {quoted(location)} is missing",
        hints=[f"copy {quoted(location)} into the folder of the model"],
    )
