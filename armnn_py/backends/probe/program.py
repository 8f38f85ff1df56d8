# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Where the program is that tries files, for those who start it and those who only name it."""

from __future__ import annotations

import functools
import os
import sys

from armnn_py._native.library import core_path

_PROGRAM = "armnn_probe"


class ProbeProgramError(OSError):
    """Files cannot be tried here; the message says why."""


@functools.cache
def program_path() -> str:
    """Path of the program, beside the native library.

    Raises
    ------
    ProbeProgramError
        It is not there.
    """
    folders = [os.path.join(path, "_native", "lib") for path in sys.modules["armnn_py"].__path__]
    # A developer's library has its program beside it.
    tried = [os.path.join(path, _PROGRAM) for path in (os.path.dirname(core_path()), *folders)]
    for path in tried:
        if os.path.isfile(path):
            return path
    raise ProbeProgramError(f"the program '{_PROGRAM}' is not there, tried: {', '.join(tried)}")
