# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``ARMNN_PY_LOG``: levels of this package's loggers, and lines on standard error.

A library leaves logging to the program. If the variable is set, lines go to standard error as long
as the program has no handlers of its own.
"""

from __future__ import annotations

import logging
import sys

from armnn_py import environment

_decided = False


class _LastHandler(logging.Handler):
    """Writes to the current standard error, unless the program has handlers."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        if logging.getLogger().handlers or sys.stderr is None:
            return
        try:
            print(self.format(record), file=sys.stderr)
        except Exception:
            self.handleError(record)


def keep_log_levels() -> None:
    """Ignore the variable from now on: levels were chosen in another way."""
    global _decided
    _decided = True


def use_log_levels_once() -> None:
    """Apply ``ARMNN_PY_LOG`` the first time, if it is set.

    Raises
    ------
    InvalidArgumentError
        Its value makes no sense.
    """
    if _decided:
        return
    levels = environment.log_levels()
    keep_log_levels()
    if not levels:
        return
    for name, level in levels.items():
        logging.getLogger(f"armnn_py.{name}" if name else "armnn_py").setLevel(level)
    logger = logging.getLogger("armnn_py")
    if all(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
        handler = _LastHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        logger.addHandler(handler)
