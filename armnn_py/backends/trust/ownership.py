# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The users that may change a file: its mode and owner, and those of every folder above it.

As OpenSSH judges keys: whoever may write to a folder can put another file there, so that one folder
on the way, or one link, decides. A sticky folder, such as ``/tmp``, keeps others from replacing
what is in it, which is enough on the way, but not for the folder that holds backends: anybody may
add a file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator

from msgspec import Struct

from armnn_py import environment
from armnn_py.text import printable

_ROOT = 0
#: Parts of a path and of the links in it; more are a loop.
_MOST_NAMES = 1000


class Ownership(Struct, frozen=True):
    """What is wrong with a file's modes and owners.

    Attributes
    ----------
    writable
        A sentence on the file or the first folder that anybody may write to, or empty.
    foreign
        A sentence on the file or the first folder of a user who is neither root nor this
        process's own, or empty.
    """

    writable: str
    foreign: str


def ownership_of(path: str, known: dict[str, Ownership]) -> Ownership:
    """Judge a file as it is found and as it lies behind links.

    Parameters
    ----------
    path
        Absolute path of a file.
    known
        Judgements on folders, to which new ones are added.

    Raises
    ------
    OSError
        The file or a folder above it cannot be looked at.
    """
    found = [_file(path), _folder(os.path.dirname(path), known)]
    real = os.path.realpath(path)
    if real != path:  # whoever may change either, or a link on the way, can put in a file
        found += [_file(real), _folder(os.path.dirname(real), known), *_links(path)]
    return Ownership(
        next((one.writable for one in found if one.writable), ""),
        next((one.foreign for one in found if one.foreign), ""),
    )


def _links(path: str) -> Iterator[Ownership]:
    """Judge each link that is followed on the way to a file."""
    folder, names = "/", path.split("/")[::-1]
    for _ in range(_MOST_NAMES):
        if not names:
            return
        name = names.pop()
        if name == "..":
            folder = os.path.dirname(folder)
        if name in ("", ".", ".."):
            continue
        full = os.path.join(folder, name)
        status = os.lstat(full)
        if not stat.S_ISLNK(status.st_mode):
            folder = full
            continue
        above = _above(folder)
        foreign = _owner(f"the link {printable(full)}", status) or above.foreign
        yield Ownership(above.writable, foreign)
        target = os.readlink(full)
        if target.startswith("/"):
            folder = "/"
        names += target.split("/")[::-1]
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def _file(path: str) -> Ownership:
    status = os.stat(path)
    writable = "anybody may write to it" if status.st_mode & stat.S_IWOTH else ""
    return Ownership(writable, _owner("it", status))


def _folder(path: str, known: dict[str, Ownership]) -> Ownership:
    """Judge the folder of a file and the folders above it."""
    found = known.get(path)
    if found is None:
        status = os.stat(path)
        what = f"its folder {printable(path)}"
        writable = f"anybody may write to {what}" if status.st_mode & stat.S_IWOTH else ""
        above = _above(os.path.dirname(path))
        found = Ownership(writable or above.writable, _owner(what, status) or above.foreign)
        known[path] = found
    return found


def _above(path: str) -> Ownership:
    writable = foreign = ""
    while True:
        status = os.stat(path)
        what = f"{printable(path)}, which it lies under,"
        is_sticky = bool(status.st_mode & stat.S_ISVTX)
        if not writable and status.st_mode & stat.S_IWOTH and not is_sticky:
            writable = f"anybody may write to {what}".rstrip(",")
        foreign = foreign or _owner(what, status)
        above = os.path.dirname(path)
        if above == path:
            return Ownership(writable, foreign)
        path = above


def _owner(what: str, status: os.stat_result) -> str:
    if status.st_uid in (_ROOT, _user()):
        return ""
    return (
        f"{what} belongs to user {status.st_uid}, who is neither root nor the user of this program"
    )


def _user() -> int:
    """The user whose files are as good as root's.

    A program with capabilities of its file, or with another group, may more than its caller.
    """
    user = os.geteuid()
    is_raised = environment.has_raised_privileges() and os.getuid() == user
    return _ROOT if is_raised else user
