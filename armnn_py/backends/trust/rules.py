# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Whether a file from outside of the package may be opened at all: three levels of trust.

``open``: whoever may write to it. ``warn``, the default: not if anybody may write to it; other
users' files and files that the lock file does not name are told of. ``locked``: only files that the
lock file names by their hash, of root or this user.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from armnn_py import environment
from armnn_py.backends.loader.verdict import RefusedError
from armnn_py.backends.trust.lock_file import LockFile, read_lock_file
from armnn_py.backends.trust.ownership import Ownership, ownership_of
from armnn_py.environment import TRUST_LEVELS
from armnn_py.errors import InvalidArgumentError
from armnn_py.errors.shortage import reason_of
from armnn_py.text import printable

if TYPE_CHECKING:
    from armnn_py.backends.loader.elf import FileState

_log = logging.getLogger("armnn_py.backends")

_SWITCH = "trust='open' of Runtime or ARMNN_PY_TRUST=open allow it all the same"


def check_level(value: object) -> str | None:
    """Return the argument ``trust``.

    Raises
    ------
    InvalidArgumentError
        It is neither None nor one of `environment.TRUST_LEVELS`.
    """
    if value is None or value in TRUST_LEVELS:
        return value
    raise InvalidArgumentError(f"trust: {value!r} given, one of {', '.join(TRUST_LEVELS)} expected")


class TrustRules:
    """The rules of one search.

    Parameters
    ----------
    level
        One of `environment.TRUST_LEVELS`.
    lock_path
        Path of the lock file, or None.

    Raises
    ------
    InvalidArgumentError
        The lock file is invalid, or missing although the level is ``locked``.
    """

    def __init__(self, level: str = "warn", lock_path: str | None = None) -> None:
        self.level = level
        self.lock: LockFile | None = None
        self._folders: dict[str, Ownership] = {}
        if level != "open" and lock_path is not None and _is_there(lock_path, level):
            self.lock = read_lock_file(lock_path)
        if level == "locked" and self.lock is None:
            raise InvalidArgumentError(
                "trust: 'locked' given, but there is no lock file",
                details=[
                    f"looked for: {printable(lock_path)}" if lock_path else "no place for one"
                ],
                hints=["'armnn-py backends lock' writes one"],
            )

    def check(self, path: str, real_path: str, state: FileState) -> list[str]:
        """Return sentences to warn with.

        Parameters
        ----------
        path, real_path
            The file as found, and after following links.
        state
            The result of the inspection.

        Raises
        ------
        RefusedError
            The file must not be opened.
        """
        if self.level == "open":
            return []
        told = self._check_owner(path)
        if self.lock is not None:
            told += self._check_lock(self.lock, real_path, state)
        return told

    def _check_owner(self, path: str) -> list[str]:
        try:
            found = ownership_of(path, self._folders)
        except FileNotFoundError:
            return []  # it has gone: the next step says so
        except OSError as error:
            reason = f"cannot be looked at: {reason_of(error)}"
            raise RefusedError("resolve", "unreadable", reason) from None
        if found.writable:
            hint = f"chmod o-w; {_SWITCH}"
            raise RefusedError("resolve", "writable-by-anybody", found.writable, hint)
        if not found.foreign:
            return []
        if self.level == "locked" or environment.has_raised_privileges():
            raise RefusedError("resolve", "foreign-owner", found.foreign, "chown it to root")
        return [found.foreign]

    def _check_lock(self, lock: LockFile, path: str, state: FileState) -> list[str]:
        try:
            found = lock.find_file(path, state)
        except FileNotFoundError:
            return []
        except OSError as error:
            reason = f"cannot be read: {reason_of(error)}"
            raise RefusedError("inspect", "unreadable", reason) from None
        if found is not None:
            return []
        known = any(one.path == path for one in lock.backends)
        reason = (
            f"has changed since {printable(lock.path)} was written"
            if known
            else f"is not named by {printable(lock.path)}"
        )
        if self.level == "locked":
            hint = "if it is meant, 'armnn-py backends lock' adds it"
            raise RefusedError("inspect", "not-locked", reason, hint)
        return [reason]


def _is_there(path: str, level: str) -> bool:
    """Whether there is a lock file, as far as this user may know.

    A program that has given up its privileges may not look into the folder of who started it, or
    not read what is there; only ``locked`` has to know.
    """
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except PermissionError as error:
        if level != "locked":
            _log.info("lock file '%s' is not used: %s", printable(path), error.strerror)
            return False
    except OSError:
        return level == "locked"
    return True
