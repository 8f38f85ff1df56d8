# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which call into a backend is under way, for the words with which a process may end.

Only backends from outside of the package are noted: calls of others cost nothing.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from armnn_py._native.library import core
from armnn_py._native.process.watchdog import watch

__all__ = [
    "Steps",
    "about",
    "closing",
    "is_noted",
    "label",
    "note_backend",
    "note_library",
    "noted_call",
]

#: By id: the file of a backend from outside of the package.
_files: dict[str, str] = {}
#: By handle: the file of a library that is open, and noted.
_libraries: dict[int, str] = {}
_subject = threading.local()


def note_backend(backend_id: str, file: str) -> None:
    """From now on, calls of the tables of this backend are noted."""
    core().armnn_core_install_last_words()
    _files[backend_id] = file


def note_library(handle: int, file: str) -> None:
    """From now on, what a library that was opened does in no call is told of, too.

    That are calls of ``exit`` and ``_exit``, and signals in threads of its own or at the end of the
    program.
    """
    _note_ending_at_exit()
    _libraries[handle] = file
    core().armnn_core_redirect_exits(handle)
    core().armnn_core_note_code(handle, _words(file))


@functools.cache
def _note_ending_at_exit() -> None:
    atexit.register(core().armnn_core_note_ending)


@contextlib.contextmanager
def closing(handle: int) -> Iterator[None]:
    """Note a block in which a library is closed, whose destructors run then."""
    file = _libraries.pop(handle, None)
    if file is None:
        yield
        return
    with _UnderWay(_words(f"the closing of {file}")):
        yield
    core().armnn_core_forget_code(handle)


def is_noted(backend_id: str) -> bool:
    """Whether calls of the backend are noted."""
    return backend_id.partition(":")[0] in _files


def label(backend_id: str, call: str) -> bytes:
    """Return the words on a call of a backend."""
    name = backend_id.partition(":")[0]
    return _words(f"{call}, backend '{backend_id}', file {_files.get(name, '?')}")


def _words(text: str) -> bytes:
    shown = text
    if not text.isprintable():
        shown = "".join(mark if mark.isprintable() else "?" for mark in text)
    return shown.encode("utf-8", "replace")[:1000]


class _UnderWay:
    """Notes and watches what the calling thread does in a ``with`` block.

    How the thread rounds is put back after it, unless ``keeps_float_control``.
    """

    __slots__ = ("_keeps_float_control", "_watch", "_words")

    def __init__(self, words: bytes, *, keeps_float_control: bool = False) -> None:
        self._keeps_float_control = keeps_float_control
        self._words = words  # the host library reads it
        self._watch = watch(words)

    def __enter__(self) -> None:
        self._watch.__enter__()
        core().armnn_core_enter_call(self._words)

    def __exit__(self, *_: object) -> None:
        core().armnn_core_leave_call(self._keeps_float_control)
        self._watch.__exit__()


class Steps:
    """Notes one step after the other, whichever backend they are of; use it in a ``with`` block."""

    def __init__(self) -> None:
        self._step: _UnderWay | None = None

    def begin(self, text: str) -> None:
        """Note a step instead of the one before."""
        core().armnn_core_install_last_words()
        self._end()
        # The block around the steps looks at the whole state of the process.
        step = _UnderWay(_words(text), keeps_float_control=True)
        step.__enter__()
        self._step = step

    def _end(self) -> None:
        step, self._step = self._step, None
        if step is not None:
            step.__exit__()

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


def noted_call(backend_id: str, function: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of a backend's table, noted."""
    layer = getattr(_subject, "layer", "")
    words = label(backend_id, f"{function} of layer {layer}" if layer else function)
    with _UnderWay(words):
        return call(*arguments)
