# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Calls of backends from outside of the package: a label for the report of a fatal signal.

After each call the floating-point control of the thread is as before. Calls of the package's own
backends are not noted, and cost nothing.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from armnn_py._native.library import core

#: By id: the file of a backend from outside of the package.
_files: dict[str, str] = {}
_subject = threading.local()


def report_fatal_signals() -> None:
    """From now on, a fatal signal in a noted call writes a line to standard error."""
    core().armnn_core_tell_fatal_signals()


def note_backend(backend_id: str, file: str) -> None:
    """From now on, calls of the tables of this backend are noted."""
    _files[backend_id] = file


def is_noted(backend_id: str) -> bool:
    """Whether calls of the backend are noted."""
    return backend_id.partition(":")[0] in _files


def label(backend_id: str, call: str) -> bytes:
    """Return the label of a call of a backend."""
    name = backend_id.partition(":")[0]
    return _printable(f"{call}, backend '{backend_id}', file {_files.get(name, '?')}")


def _printable(text: str) -> bytes:
    shown = text
    if not text.isprintable():
        shown = "".join(mark if mark.isprintable() else "?" for mark in text)
    return shown.encode("utf-8", "replace")[:1000]


class Steps:
    """Notes one step of loading after the other; use it in a ``with`` block.

    The floating-point control is left to `KeptState`.
    """

    def __init__(self) -> None:
        self._label: bytes | None = None  # the host library reads it

    def begin(self, text: str) -> None:
        """Note a step instead of the one before."""
        self._end()
        self._label = _printable(text)
        core().armnn_core_enter_call(self._label)

    def _end(self) -> None:
        if self._label is not None:
            core().armnn_core_leave_call(True)
            self._label = None

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()


_UNNOTED: contextlib.AbstractContextManager[None] = contextlib.nullcontext()


def about(backend_id: str, layer: str) -> contextlib.AbstractContextManager[None]:
    """Name the layer that calls in a block are about, e.g. ``'conv1' (Convolution2d)``."""
    return _about(layer) if is_noted(backend_id) else _UNNOTED


@contextlib.contextmanager
def _about(layer: str) -> Iterator[None]:
    outer = getattr(_subject, "layer", "")
    _subject.layer = layer
    try:
        yield
    finally:
        _subject.layer = outer


@contextlib.contextmanager
def noted_block(backend_id: str, call: str) -> Iterator[None]:
    """Note calls of a block as one; the floating-point control is left to the caller."""
    words = label(backend_id, call)
    core().armnn_core_enter_call(words)
    try:
        yield
    finally:
        core().armnn_core_leave_call(True)


def noted_call(backend_id: str, function: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of a backend's table, noted."""
    layer = getattr(_subject, "layer", "")
    words = label(backend_id, f"{function} of layer {layer}" if layer else function)
    core().armnn_core_enter_call(words)
    try:
        return call(*arguments)
    finally:
        core().armnn_core_leave_call(False)
