# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Where the command ``armnn-py`` starts: outside the package, so that Ctrl-C is met early on.

Importing anything of ``armnn_py`` imports numpy and the rest first, which takes most of the time of
a short command. Here that happens inside ``try``, and nothing else does.
"""

from __future__ import annotations

import gc
import sys

__all__ = ["main"]

_INTERRUPTED = 130

# Many more than Python's 700: what a short command makes stays alive to its end, all of it. With
# 50,000 a run of a small model met one collection, which took 10 of its 190 ms.
_OBJECTS_BETWEEN_COLLECTIONS = 200_000


def main() -> int:
    """Run the command line of this process and return its exit code."""
    try:
        gc.disable()
        from armnn_py.cli.main import main as run

        gc.freeze()  # modules stay until the end: to walk them for garbage is in vain
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        gc.enable()
        return run()
    except KeyboardInterrupt:  # later ones are met where the form of the answer is known
        if sys.stderr is not None:
            sys.stderr.write("error: interrupted\n")
        return _INTERRUPTED
    finally:
        gc.freeze()  # what is left ends with the process: to walk it for garbage is in vain
