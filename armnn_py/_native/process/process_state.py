# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Process state around the opening of a backend: restored, and its changes reported."""

from __future__ import annotations

import locale
import os
import signal
from contextlib import suppress

from armnn_py._native.library import core


class KeptState:
    """A ``with`` block that restores rounding, signal mask, working folder and locale at its end.

    Rounding and signal mask are those of the thread. Other threads that change the folder or the
    locale meanwhile lose their change.

    Attributes
    ----------
    changes
        After the block: words for each part that was restored.
    """

    __slots__ = ("_folder", "_locale", "_mask", "_rounding", "changes")

    def __init__(self) -> None:
        self.changes: tuple[str, ...] = ()

    def __enter__(self) -> KeptState:
        self._rounding = core().armnn_core_float_control()
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self._locale = locale.setlocale(locale.LC_ALL)
        self._folder = -1
        with suppress(OSError):  # a folder that was removed
            self._folder = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        return self

    def __exit__(self, *_: object) -> None:
        found = []
        if core().armnn_core_float_control() != self._rounding:
            found.append("how numbers are rounded")
        core().armnn_core_set_float_control(self._rounding)
        if signal.pthread_sigmask(signal.SIG_SETMASK, self._mask) != self._mask:
            found.append("which signals are blocked")
        if self._restore_folder():
            found.append("the working folder")
        if locale.setlocale(locale.LC_ALL) != self._locale:
            locale.setlocale(locale.LC_ALL, self._locale)
            found.append("the locale")
        self.changes = tuple(found)

    def _restore_folder(self) -> bool:
        if self._folder < 0:
            return False
        try:
            with suppress(OSError):  # the folder of now may have no name any more
                here = os.stat(".")  # noqa: PTH116
                if os.path.samestat(here, os.fstat(self._folder)):
                    return False
            os.fchdir(self._folder)
            return True
        except OSError:  # the descriptor was closed
            return False
        finally:
            with suppress(OSError):
                os.close(self._folder)
