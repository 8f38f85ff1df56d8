# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Versions of models, and their files in a folder."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct, field

from armnn_py.errors import InvalidArgumentError
from armnn_py.frontends.registry import FRONTENDS
from armnn_py.serve.model import Model

READY, UNAVAILABLE = "READY", "UNAVAILABLE"
UNLOADED = "unloaded"
_SUFFIXES = {".armnnpy", *(suffix for one in FRONTENDS for suffix in one.suffixes)}


class Version(Struct, eq=False):
    """One version of a model: its file, and the model while it is loaded."""

    name: str
    version: str
    path: Path
    model: Model | None = None
    reason: str = "not loaded"
    #: The file of the last load. It stays open, so that no other file gets its inode.
    file: BinaryIO | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_replaced(self) -> bool:
        """Whether the path names another file than that of the last load."""
        return self.file is None or not os.path.samestat(
            os.fstat(self.file.fileno()), self.path.stat()
        )

    def hold(self, file: BinaryIO | None) -> None:
        """Keep a file open instead of the one before."""
        if self.file is not None:
            self.file.close()
        self.file = file

    @property
    def row(self) -> dict[str, str]:
        """Name, version, state and reason, as the index has them."""
        why = self.reason if self.model is None else self.model.unready
        if self.model is None and self.lock.locked():
            state = "LOADING"
        else:
            state = UNAVAILABLE if why else READY
        return {"name": self.name, "version": self.version, "state": state, "reason": why}


def files_of(directory: str) -> Iterator[tuple[str, str, Path]]:
    """Yield name, version and file: ``NAME.onnx``, or ``NAME/VERSION/FILE.onnx``.

    Parameters
    ----------
    directory
        The folder of models, or an empty text without one.

    Raises
    ------
    InvalidArgumentError
        It is not a folder.
    """
    if not directory:
        return
    folder = Path(directory)
    if not folder.is_dir():
        raise InvalidArgumentError(f"folder of models: '{folder}' is not a folder")
    for path in sorted([*folder.glob("*.*"), *folder.glob("*/*/*.*")]):
        if path.suffix not in _SUFFIXES or not path.is_file():
            continue
        if path.parent == folder:
            yield path.stem, "1", path
        elif path.parent.name.isdecimal():
            yield path.parent.parent.name, path.parent.name, path
