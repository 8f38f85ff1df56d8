# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Python's cycle collector, and when it had better rest."""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def without_collections() -> Iterator[None]:
    """Let Python's cycle collector rest while much is made that stays alive until the end.

    Walking it again and again would make the time per layer grow with the network: by a factor of
    two at 10,000 layers. The collector is the process's: what other threads leave behind meanwhile
    is collected afterwards. Blocks may be nested, and open in several threads.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
