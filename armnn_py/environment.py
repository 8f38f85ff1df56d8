# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The one module that reads environment variables.

Each function returns the value of one variable, or what stands for "not set". A variable that is
set to the empty text counts as not set. A value that makes no sense raises
:class:`~armnn_py.errors.InvalidArgumentError`. In a process that runs with raised privileges
(set-user-id, set-group-id) no variable is read at all: they name files that will be executed.
"""

from __future__ import annotations

import os

from armnn_py.errors import InvalidArgumentError

__all__ = [
    "bundled_backends",
    "cache_folder",
    "core_library",
    "debug",
    "dynamic_backend_paths",
    "entry_points",
    "log_levels",
    "network_cache",
    "thread_count",
]

_MAX_THREADS = 1024
_LOG_LEVELS = {"trace": 5, "debug": 10, "info": 20, "warning": 30, "error": 40}


def _read(name: str) -> str | None:
    if os.getuid() != os.geteuid() or os.getgid() != os.getegid():
        return None
    return os.environ.get(name) or None


def _read_switch(name: str, *, default: bool) -> bool:
    value = _read(name)
    if value is None:
        return default
    if value not in ("0", "1"):
        raise InvalidArgumentError(
            f"environment variable {name}: '{value}' given, 0 or 1 expected",
            hints=[f"unset {name} for the default, {int(default)}"],
        )
    return value == "1"


def dynamic_backend_paths() -> str | None:
    """``DYNAMIC_BACKEND_PATHS``: colon-separated absolute folders that are searched."""
    return _read("DYNAMIC_BACKEND_PATHS")


def entry_points() -> bool:
    """``ARMNN_PY_NO_ENTRY_POINTS=1`` gives False: installed wheels are not searched."""
    return not _read_switch("ARMNN_PY_NO_ENTRY_POINTS", default=False)


def bundled_backends() -> bool:
    """``ARMNN_PY_BUNDLED_BACKENDS=0`` gives False, as ``Runtime(bundled_backends=False)``."""
    return _read_switch("ARMNN_PY_BUNDLED_BACKENDS", default=True)


def thread_count() -> int | None:
    """``ARMNN_PY_NUM_THREADS``: threads of the shared pool, the caller's included.

    Raises
    ------
    InvalidArgumentError
        The value is not a whole number from 1 to 1024.
    """
    value = _read("ARMNN_PY_NUM_THREADS")
    if value is None:
        return None
    if not (value.isascii() and value.isdigit()) or not 1 <= int(value) <= _MAX_THREADS:
        raise InvalidArgumentError(
            f"environment variable ARMNN_PY_NUM_THREADS: '{value}' given, "
            f"a number from 1 to {_MAX_THREADS} expected",
            hints=["unset it to use every processor that this process may use"],
        )
    return int(value)


def log_levels() -> dict[str, int]:
    """``ARMNN_PY_LOG``: a level, or ``name=level,...``; keys are logger names below armnn_py.

    The key of a level without a name is the empty text, which stands for all of armnn_py.

    Raises
    ------
    InvalidArgumentError
        A level is none of trace, debug, info, warning and error.
    """
    levels: dict[str, int] = {}
    for item in (_read("ARMNN_PY_LOG") or "").split(","):
        if not item.strip():
            continue
        name, _, level = item.strip().rpartition("=")
        if level.lower() not in _LOG_LEVELS:
            raise InvalidArgumentError(
                f"environment variable ARMNN_PY_LOG: level '{level}' is unknown",
                details=[f"levels: {', '.join(_LOG_LEVELS)}"],
                hints=["ARMNN_PY_LOG=info, or ARMNN_PY_LOG=backends=debug,runtime=info"],
            )
        levels[name] = _LOG_LEVELS[level.lower()]
    return levels


def cache_folder() -> str | None:
    """The user's cache of this package: ``$XDG_CACHE_HOME/armnn_py``, else ``~/.cache/armnn_py``.

    As of the XDG base directory specification a relative path counts as not set. None if the user
    has no home, and in a process with raised privileges.
    """
    base, home = _read("XDG_CACHE_HOME"), _read("HOME")
    if base is not None and os.path.isabs(base):  # noqa: PTH117
        return os.path.join(base, "armnn_py")  # noqa: PTH118
    if home is not None and os.path.isabs(home):  # noqa: PTH117
        return os.path.join(home, ".cache", "armnn_py")  # noqa: PTH118
    return None


def network_cache() -> str | bool | None:
    """``ARMNN_PY_CACHE``: where `load` keeps optimised networks unless ``cache=`` is given.

    ``1`` gives True, the user's cache folder; ``0`` gives False; an absolute path is a folder.

    Raises
    ------
    InvalidArgumentError
        It is none of these.
    """
    value = _read("ARMNN_PY_CACHE")
    if value is None or value in ("0", "1"):
        return None if value is None else value == "1"
    if not os.path.isabs(value):  # noqa: PTH117
        raise InvalidArgumentError(
            f"environment variable ARMNN_PY_CACHE: '{value}' given, 1 or an absolute path expected",
            hints=["1 is the user's cache folder, and 0 none"],
        )
    return value


def core_library() -> str | None:
    """``ARMNN_PY_CORE_LIBRARY``: use this libarmnn_core.so instead of the packaged one.

    Raises
    ------
    InvalidArgumentError
        The path is not absolute.
    """
    value = _read("ARMNN_PY_CORE_LIBRARY")
    if value is not None and not os.path.isabs(value):  # noqa: PTH117
        raise InvalidArgumentError(
            f"environment variable ARMNN_PY_CORE_LIBRARY: '{value}' is not an absolute path",
            hints=["name the file from the root, or unset the variable"],
        )
    return value


def debug() -> bool:
    """``ARMNN_PY_DEBUG=1``: the command line shows tracebacks."""
    return _read_switch("ARMNN_PY_DEBUG", default=False)
