# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rights that a process gives up for good: files, sockets, other programs; landlock(7), seccomp(2).

Each step holds for all threads of the process, for those to come and for its children.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable
from pathlib import Path

_PR_SET_NO_NEW_PRIVS = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # on all architectures
_RULE_PATH_BENEATH = 1
_VERSION_FLAG = 1
#: Rights of files: execute, write, read, list, remove and make entries, refer, truncate, ioctl.
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15
#: All rights by version of Landlock; later versions add none for files.
_ALL_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}

# Machine -> its number for filters, and those of seccomp, socket, execve, execveat.
_CALLS = {
    "x86_64": (0xC000003E, 317, 41, 59, 322),
    "aarch64": (0xC00000B7, 277, 198, 221, 281),
}
_SET_MODE_FILTER, _FLAG_TSYNC = 1, 1
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _JUMP_EQUAL, _RETURN = 0x20, 0x15, 0x06  # of 32 bits, by a constant
_AT_NUMBER, _AT_MACHINE, _AT_FIRST_ARGUMENT = 0, 4, 16
_AF_UNIX = 1


class ConfinementError(OSError):
    """The kernel lacks what is asked for, or refuses it."""


def landlock_version() -> int:
    """Version of the kernel's Landlock; 0: it has none, or it is switched off."""
    answer: int = _library().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)
    return max(0, answer)


def confine_files(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Leave the process only files below these folders, or these files.

    Parameters
    ----------
    readable
        May be read, listed and executed; paths that do not exist are left out.
    writable
        Everything may be done with them.

    Raises
    ------
    ConfinementError
        The kernel lacks Landlock.
    """
    version = landlock_version()
    if not version:
        raise ConfinementError(errno.ENOSYS, "the kernel has no Landlock")
    rights = next(bits for least, bits in sorted(_ALL_RIGHTS.items())[::-1] if version >= least)
    attributes = struct.pack("=Q", rights)
    ruleset = _call(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        for paths, allowed in ((readable, _READ), (writable, rights)):
            for path in paths:
                _allow(ruleset, path, allowed & rights)
        give_up_privileges()
        _call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):  # noqa: PTH112
            rights &= _OF_FILES
        _call(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, struct.pack("=Qi", rights, handle), 0)
    finally:
        os.close(handle)


def confine_system_calls(*, network: bool, programs: bool) -> None:
    """Let calls fail with EACCES.

    Parameters
    ----------
    network
        False: no sockets but those of the machine itself (AF_UNIX).
    programs
        False: no other program in the place of this one, or of a child.

    Raises
    ------
    ConfinementError
        The kernel lacks seccomp, or this machine is unknown.
    """
    if network and programs:
        return
    known = _CALLS.get(platform.machine())
    if known is None:
        raise ConfinementError(errno.ENOSYS, f"no filter for {platform.machine()}")
    machine, seccomp, socket, *executes = known
    denied = _ERRNO | errno.EACCES
    # Calls of another machine (32 bits) have other numbers: none of them is allowed.
    program = [(_LOAD, 0, 0, _AT_MACHINE), (_JUMP_EQUAL, 1, 0, machine), (_RETURN, 0, 0, denied)]
    program += [(_LOAD, 0, 0, _AT_NUMBER)]
    for call in executes if not programs else ():
        program += [(_JUMP_EQUAL, 0, 1, call), (_RETURN, 0, 0, denied)]
    if not network:
        program += [
            (_JUMP_EQUAL, 0, 3, socket),
            (_LOAD, 0, 0, _AT_FIRST_ARGUMENT),
            (_JUMP_EQUAL, 1, 0, _AF_UNIX),
            (_RETURN, 0, 0, denied),
        ]
    program += [(_RETURN, 0, 0, _ALLOW)]
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
    memory = ctypes.create_string_buffer(code)
    filters = struct.pack("@HP", len(program), ctypes.addressof(memory))
    give_up_privileges()
    _call(seccomp, _SET_MODE_FILTER, _FLAG_TSYNC, filters)


def give_up_privileges() -> None:
    """No set-user-id program gives this process more rights: without it, no filter is taken."""
    _library().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def has_filters() -> bool:
    """Whether the kernel has seccomp, and this machine is known."""
    has_them = "seccomp" in Path("/proc/self/status").read_text().lower()
    return has_them and platform.machine() in _CALLS


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    answer: int = _library().syscall(number, *arguments)
    if answer < 0:
        code = ctypes.get_errno()
        raise ConfinementError(code, os.strerror(code))
    return answer
