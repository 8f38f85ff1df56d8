# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From folders to candidate files: steps *name* and *resolve*. Runs and opens nothing."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Sequence

from msgspec import Struct

from armnn_py.backends.loader.naming import FILE_NAME_RULE, name_mismatch, parse_file_name
from armnn_py.backends.loader.verdict import Place, Stage, Status, Verdict, printable
from armnn_py.errors import InvalidArgumentError
from armnn_py.errors.shortage import reason_of
from armnn_py.text import with_article

BackendPath = str | os.PathLike[str]
FileIdentity = tuple[int, int]

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Candidate(Struct, frozen=True):
    """A regular file whose name follows the rule."""

    place: str
    path: str
    real_path: str


Finding = Candidate | Verdict


def refusal(
    place: str,
    path: str,
    stage: Stage,
    code: str,
    reason: str,
    hint: str = "",
    *,
    status: Status = "refused",
    real_path: str | None = None,
) -> Verdict:
    """Return the verdict on a file or folder that was not asked for its id."""
    return Verdict(place, path, real_path, None, None, status, stage, code, reason, hint)


# ---- Folders ------------------------------------------------------------------------------------


def split_path_list(text: str) -> list[str]:
    """Split a colon-separated list; empty entries vanish, of equal folders the first is kept."""
    return distinct_folders(entry for entry in text.split(":") if entry)


def argument_paths(value: BackendPath | Sequence[BackendPath]) -> list[str]:
    """Return the folders named by ``dynamic_backends_path``: one path, or a sequence of them.

    A text is one path: a colon is part of its name.

    Raises
    ------
    InvalidArgumentError
        The value, or one in the sequence, is not a path.
    """
    values = [value] if isinstance(value, str | bytes | os.PathLike) else value
    try:
        items = iter(values) if isinstance(values, Iterable) else None
    except TypeError:  # it only claims to be iterable, as an array without dimensions does
        items = None
    if items is None:
        raise InvalidArgumentError(
            f"dynamic_backends_path: {type(value).__name__} given, a path or a list expected"
        )
    paths = []
    for item in items:
        if not isinstance(item, str | bytes | os.PathLike):
            raise InvalidArgumentError(
                f"dynamic_backends_path: the list has {with_article(type(item).__name__)}, "
                "paths expected"
            )
        paths.append(os.fsdecode(item))
    return distinct_folders(paths)


def distinct_folders(paths: Iterable[str]) -> list[str]:
    """Return paths without those that name a folder a second time.

    ``/opt/p``, ``/opt/p/`` and ``/opt/./p`` are one folder, whether it exists or not. Where two
    paths lead to one folder through links, `look_at` sees that the files are the same.
    """
    first: dict[tuple[str, ...], str] = {}
    for path in paths:
        steps = tuple(step for step in path.split("/") if step not in ("", "."))
        # ".." stays: after a link it may lead elsewhere.
        first.setdefault(("/" if path[:1] == "/" else path[:1] and ".", *steps), path)
    return list(first.values())


def check_folder(place: str, path: str) -> Verdict | None:
    """Return why a place cannot be searched, or None.

    The order of the checks is Arm NN's: empty, missing, not a directory, not absolute. A file that
    is named like a backend is also a place, with one entry.
    """
    hint = ""
    if place == "argument" and ":" in path:
        hint = "give several folders as a list; a text is one path"
    if not path:
        return refusal(place, path, "place", "path-empty", "is empty", "name an absolute folder")
    if "\0" in path:
        return refusal(place, path, "place", "path-invalid", "contains a null character")
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            if path.startswith("~"):
                hint = "'~' is not expanded here: use os.path.expanduser()"
            return refusal(place, path, "place", "path-missing", "does not exist", hint)
        return refusal(
            place, path, "place", "path-unreadable", f"cannot be read: {reason_of(error)}"
        )
    names_file = stat.S_ISREG(mode) and parse_file_name(os.path.basename(path)) is not None
    if not (stat.S_ISDIR(mode) or names_file):
        hint = f"name a folder, or a file that is called {FILE_NAME_RULE}"
        return refusal(place, path, "place", "path-not-directory", "is not a directory", hint)
    if not os.path.isabs(path):
        hint = f"use '{os.path.abspath(path)}'; the working folder is never searched"
        return refusal(place, path, "place", "path-not-absolute", "is not absolute", hint)
    return None


# ---- Files --------------------------------------------------------------------------------------


def find_candidates(
    place: str, path: str, seen: dict[FileIdentity, str]
) -> tuple[Place, list[Finding]]:
    """Search one folder, or look at one file; ``seen`` maps known files to their first name.

    Every entry has a finding; they are in the order of the entries' names in bytes.
    """
    unusable = check_folder(place, path)
    if unusable is None and not os.path.isdir(path):
        return Place(place, path, "", 1), [look_at(place, path, seen)]
    if unusable is None:
        try:
            with os.scandir(path) as entries:
                found = sorted(entries, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            reason = f"cannot be read: {reason_of(error)}"
            unusable = refusal(place, path, "place", "path-unreadable", reason)
    if unusable is not None:
        return Place(place, path, unusable.reason, 0), [unusable]
    folder = _real_path(path)
    findings = [
        look_at(place, entry.path, seen, None if entry.is_symlink() else folder) for entry in found
    ]
    return Place(place, path, "", len(found)), findings


def _real_path(path: str) -> str | None:
    try:
        return os.path.realpath(path, strict=True)
    except OSError:  # gone meanwhile: each entry says so
        return None


def look_at(
    place: str,
    path: str,
    seen: dict[FileIdentity, str],
    real_folder: str | None = None,
) -> Finding:
    """Return a candidate for one file, or the verdict why it is not a backend.

    ``seen`` maps known files to their first name; the file is added to it. ``real_folder`` is the
    folder's path without links, if that is known and the file itself is not a link.
    """
    name = os.path.basename(path)
    if parse_file_name(name) is None:
        return _skip(place, path)
    try:
        status = os.stat(path)
        if real_folder is None:
            real_path = os.path.realpath(path, strict=True)
        else:
            real_path = os.path.join(real_folder, name)
    except OSError as error:
        return _unresolved(place, path, error)
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        reason = f"is {_KINDS.get(kind, 'a special file')}, not a file"
        return refusal(place, path, "resolve", "not-a-file", reason, real_path=real_path)
    identity = (status.st_dev, status.st_ino)
    first = seen.get(identity)
    if first is not None:
        reason = f"is the same file as '{printable(first)}'"
        return refusal(
            place, path, "resolve", "same-file", reason, status="duplicate", real_path=real_path
        )
    seen[identity] = path
    return Candidate(place, path, real_path)


def _skip(place: str, path: str) -> Verdict:
    if os.path.isdir(path) and not os.path.islink(path):
        reason, hint = "is a folder; subfolders are not searched", ""
    else:
        reason = f"is not named {FILE_NAME_RULE}"
        hint = printable(name_mismatch(os.path.basename(path)) or "")
    return refusal(place, path, "name", "name-mismatch", reason, hint, status="skipped")


def _unresolved(place: str, path: str, error: OSError) -> Verdict:
    if error.errno == errno.ELOOP:
        reason = "is a link that leads back to itself"
        return refusal(place, path, "resolve", "link-loop", reason, "remove the link")
    if error.errno == errno.ENOENT:
        try:
            reason = f"is a link to '{printable(os.readlink(path))}', which does not exist"
        except OSError:
            return refusal(place, path, "resolve", "vanished", "was removed during the search")
        return refusal(place, path, "resolve", "dangling-link", reason, "remove or mend the link")
    reason = f"cannot be read: {reason_of(error)}"
    return refusal(place, path, "resolve", "unreadable", reason)
