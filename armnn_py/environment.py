# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The one module that reads environment variables.

Each function returns the value of one variable, or its default if it is not set. A variable that is
set to the empty text counts as not set. A value that makes no sense raises
:class:`~armnn_py.errors.InvalidArgumentError`. In a process that runs with raised privileges
(set-user-id, set-group-id, file capabilities) no variable is read at all: they name files that will
be executed.
"""

from __future__ import annotations

import math
import os
from typing import Literal

from armnn_py._native.secure_mode import began_secure
from armnn_py.errors import InvalidArgumentError

_MAX_THREADS = 1024
#: How far files from outside of the package are trusted, see `armnn_py.backends.trust.rules`.
TRUST_LEVELS = ("open", "warn", "locked")
_MAX_SECONDS = 3600.0
_UNITS = {"K": 10, "M": 20, "G": 30}
_LOG_LEVELS = {"trace": 5, "debug": 10, "info": 20, "warning": 30, "error": 40}


def has_raised_privileges() -> bool:
    """Whether the process may do more than the user who started it."""
    return os.getuid() != os.geteuid() or os.getgid() != os.getegid() or began_secure()


def _read(name: str) -> str | None:
    value = os.environ.get(name)  # few are set: the other question is asked of those alone
    return value if value and not has_raised_privileges() else None


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


def dynamic_backends() -> bool:
    """``ARMNN_PY_NO_DYNAMIC=1`` gives False, as ``Runtime(enable_dynamic_backends=False)``."""
    return not _read_switch("ARMNN_PY_NO_DYNAMIC", default=False)


def allowed_backends() -> tuple[str, ...] | None:
    """``ARMNN_PY_ALLOW_BACKENDS``: ids between commas, as ``Runtime(allowed_backends=...)``."""
    return _read_ids("ARMNN_PY_ALLOW_BACKENDS")


def denied_backends() -> tuple[str, ...] | None:
    """``ARMNN_PY_DENY_BACKENDS``: ids between commas, as ``Runtime(denied_backends=...)``."""
    return _read_ids("ARMNN_PY_DENY_BACKENDS")


def isolated_backends() -> tuple[str, ...] | None:
    """``ARMNN_PY_ISOLATE``: ids between commas, or ``all``, as ``Runtime(isolate=...)``."""
    return _read_ids("ARMNN_PY_ISOLATE")


def private_libraries() -> tuple[str, ...] | None:
    """``ARMNN_PY_PRIVATE_LIBRARIES``: ids between commas, as ``Runtime(private_libraries=...)``."""
    return _read_ids("ARMNN_PY_PRIVATE_LIBRARIES")


def _read_ids(name: str) -> tuple[str, ...] | None:
    value = _read(name)
    if value is None:
        return None
    return tuple(text.strip() for text in value.split(",") if text.strip())


def guard() -> bool:
    """``ARMNN_PY_GUARD=1`` gives True, as ``Runtime(guard=True)``."""
    return _read_switch("ARMNN_PY_GUARD", default=False)


def record() -> str | Literal[False] | None:
    """``ARMNN_PY_RECORD``: absolute path of a file, or ``0``, as ``Runtime(record=...)``."""
    value = _read("ARMNN_PY_RECORD")
    if value == "0":
        return False
    if value is not None and not os.path.isabs(value):  # noqa: PTH117
        raise InvalidArgumentError(
            f"environment variable ARMNN_PY_RECORD: '{value}' given, an absolute path or 0 expected"
        )
    return value


def crash_report() -> bool:
    """``ARMNN_PY_CRASH_REPORT=0`` gives False: no line for a fatal signal in a backend's call."""
    return _read_switch("ARMNN_PY_CRASH_REPORT", default=True)


def trust_level() -> str | None:
    """``ARMNN_PY_TRUST``: ``open``, ``warn`` or ``locked``, as ``Runtime(trust=...)``.

    Raises
    ------
    InvalidArgumentError
        The value is another one.
    """
    value = _read("ARMNN_PY_TRUST")
    if value is not None and value not in TRUST_LEVELS:
        raise InvalidArgumentError(
            f"environment variable ARMNN_PY_TRUST: '{value}' given, "
            f"one of {', '.join(TRUST_LEVELS)} expected",
            hints=["unset ARMNN_PY_TRUST for the default, warn"],
        )
    return value


def lock_file() -> str | None:
    """``ARMNN_PY_LOCK_FILE``, else ``armnn_py/backends.lock`` in the user's configuration folder.

    That is ``XDG_CONFIG_HOME``, else ``~/.config``. None with raised privileges.

    Raises
    ------
    InvalidArgumentError
        The path is relative: whoever made the working folder would say what may be loaded.
    """
    given = _read("ARMNN_PY_LOCK_FILE")
    if given is not None:
        if not given.startswith("/"):
            raise InvalidArgumentError(
                f"environment variable ARMNN_PY_LOCK_FILE: '{given}' given, an absolute path "
                "expected",
                hints=[f'ARMNN_PY_LOCK_FILE="$PWD/{given}"'],
            )
        return given
    folder = _read_folder("XDG_CONFIG_HOME", ".config")
    return None if folder is None else f"{folder}/backends.lock"


def probe_seconds() -> float | None:
    """``ARMNN_PY_PROBE_SECONDS``: time for the probe of a file, as ``Runtime(probe_seconds=...)``.

    Raises
    ------
    InvalidArgumentError
        The value is not a number from 0 to 3600.
    """
    value = _read("ARMNN_PY_PROBE_SECONDS")
    if value is None:
        return None
    return _seconds(
        "ARMNN_PY_PROBE_SECONDS", value, "0: files are opened without a probe in another process"
    )


def _seconds(name: str, value: str, hint: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= _MAX_SECONDS:
        raise InvalidArgumentError(
            f"environment variable {name}: '{value}' given, "
            f"a number from 0 to {_MAX_SECONDS:g} expected",
            hints=[hint],
        )
    return seconds


def memory_budget() -> int | None:
    """``ARMNN_PY_MEMORY_BUDGET``: bytes, with K, M or G for KiB, MiB or GiB; `set_memory_budget`.

    Raises
    ------
    InvalidArgumentError
        The value is not such a number of at least 1.
    """
    value = _read("ARMNN_PY_MEMORY_BUDGET")
    if value is None:
        return None
    shift = _UNITS.get(value[-1:].upper(), 0)
    digits = value[:-1] if shift else value
    if not (digits.isascii() and digits.isdigit() and int(digits[:18]) > 0):
        raise InvalidArgumentError(
            f"environment variable ARMNN_PY_MEMORY_BUDGET: '{value}' given, "
            "a number of bytes of at least 1 expected",
            hints=["512M are 512 MiB, 2G are 2 GiB"],
        )
    return int(digits) << shift


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
        A level is not trace, debug, info, warning or error.
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
    return _read_folder("XDG_CACHE_HOME", ".cache")


def _read_folder(variable: str, otherwise: str) -> str | None:
    base, home = _read(variable), _read("HOME")
    if base is not None and os.path.isabs(base):  # noqa: PTH117
        return os.path.join(base, "armnn_py")  # noqa: PTH118
    if home is not None and os.path.isabs(home):  # noqa: PTH117
        return os.path.join(home, otherwise, "armnn_py")  # noqa: PTH118
    return None


def network_cache() -> str | bool | None:
    """``ARMNN_PY_CACHE``: where `load` keeps optimised networks unless ``cache=`` is given.

    ``1`` gives True, the user's cache folder; ``0`` gives False; an absolute path is a folder.

    Raises
    ------
    InvalidArgumentError
        It is another value.
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
