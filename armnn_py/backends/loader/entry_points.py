# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Folders that installed wheels name by an entry point of group ``armnn_py.backends``.

::

    [project.entry-points."armnn_py.backends"]
    acme-npu = "acme_npu_backend"

The value names a package; its folder is searched, and the package is never imported. Only
metadata in folders that packages are installed into counts: ``python -m`` puts the working folder
before them, and scripts their own; whoever can write there must not bring native code.

``importlib.metadata`` gives the same answer, but importing it and parsing all metadata takes longer
than the rest of making a runtime. So the files are read here, and only those in folders that have
changed since the last time.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import time
from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py.cache_files import read_file
from armnn_py.interrupts import deferred_interrupts
from armnn_py.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GROUP = "armnn_py.backends"

_METADATA_FOLDERS = (".dist-info", ".egg-info")
_PACKAGE = r"(?a)[A-Za-z_]\w*(\.[A-Za-z_]\w*)*"
_TRUSTED_AGE_NS = 2_000_000_000
_MOST_BYTES = 1 << 20  # of an entry_points.txt
_SITE_NAMES = ("site-packages", "dist-packages")


class EntryPointFolders(Struct, frozen=True):
    """One entry point; if it cannot be used, ``folders`` is empty and ``reason`` says why."""

    distribution: str
    name: str
    value: str
    folders: tuple[str, ...]
    reason: str = ""

    @property
    def label(self) -> str:
        """The ``place`` of its verdicts."""
        return f"entry-point {self.distribution}/{self.name}"


class _Declaration(Struct, frozen=True):
    distribution: str
    name: str
    value: str
    location: str


# Folder of sys.path -> (time of its last change, declarations of its distributions).
_cache: dict[str, tuple[int, tuple[_Declaration, ...]]] = {}


def entry_point_folders(search_path: Sequence[str] | None = None) -> list[EntryPointFolders]:
    """Return the entry points of the group, sorted by distribution and name.

    Of a distribution that is installed twice, the first on the search path counts.
    """
    # An empty entry stands for the working folder, which is never searched for backends.
    listed = sys.path if search_path is None else search_path
    folders = [folder for folder in listed if folder and isinstance(folder, str)]
    declarations: dict[tuple[str, str], _Declaration] = {}
    owners: dict[str, str] = {}
    for folder in dict.fromkeys(folders):
        for declaration in _declarations(folder):
            if owners.setdefault(declaration.distribution, folder) == folder:
                declarations[declaration.distribution, declaration.name] = declaration
    return [_resolve(declarations[key]) for key in sorted(declarations)]


def _declarations(folder: str) -> tuple[_Declaration, ...]:
    try:
        changed = os.stat(folder).st_mtime_ns
    except (OSError, ValueError):  # a null character in the name is a ValueError
        return ()
    cached = _cache.get(folder)
    if cached is not None and cached[0] == changed:
        return cached[1]
    with deferred_interrupts():  # each file would ask all signals what they do
        found = tuple(_read_folder(folder))
    # Two changes within one tick of the file system's clock look like one.
    if time.time_ns() - changed > _TRUSTED_AGE_NS:
        _cache[folder] = (changed, found)
    return found


def _read_folder(folder: str) -> Iterator[_Declaration]:
    try:
        names = os.listdir(folder)
    except OSError:  # a zip file, an unreadable folder: no distributions with files on disk
        return
    for name in sorted(names):
        if not name.endswith(_METADATA_FOLDERS):
            continue
        path = f"{folder}/{name}/entry_points.txt"
        if not os.path.exists(path):  # as of most: an error takes longer than the question
            continue
        try:
            data = read_file(path, _MOST_BYTES)
        except OSError:
            continue
        if GROUP.encode() not in data:
            continue
        distribution = re.sub(r"[-_.]+", "-", name.rpartition(".")[0].split("-")[0]).lower()
        for key, value in _read_group(data.decode("utf-8", "replace")):
            yield _Declaration(distribution, key, value, folder)


def _read_group(text: str) -> Iterator[tuple[str, str]]:
    inside = False
    for raw_line in text.splitlines():
        line = raw_line.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("["):
            inside = line == f"[{GROUP}]"
        elif inside:
            key, _, value = line.partition("=")
            yield key.strip(), value.strip()


def _is_site(folder: str) -> bool:
    """Whether packages are installed into a folder: one of `site`'s, or one that looks like it."""
    path = os.path.abspath(folder)
    parent, name = os.path.split(path)
    if name in _SITE_NAMES and os.path.basename(parent).startswith("python"):
        return True
    site = sys.modules.get("site")  # absent with -S
    known = [*site.getsitepackages(), site.getusersitepackages()] if site is not None else []
    return path in map(os.path.abspath, known)


def _resolve(declaration: _Declaration) -> EntryPointFolders:
    def place(*found: str, reason: str = "") -> EntryPointFolders:
        return EntryPointFolders(
            declaration.distribution, declaration.name, declaration.value, found, reason
        )

    if not _is_site(declaration.location):
        where = printable(declaration.location)
        return place(reason=f"its metadata lies in {where}, which no packages are installed into")
    if not re.fullmatch(_PACKAGE, declaration.value):
        return place(reason=f"'{declaration.value}' is not the name of a package")
    parts = declaration.value.split(".")
    beside = os.path.join(os.path.abspath(declaration.location), *parts)
    if os.path.isdir(beside):
        return place(beside)
    # An editable install: a finder knows the package's folder. Only the topmost package is looked
    # up, because looking up a subpackage would import its parents.

    try:
        spec = importlib.util.find_spec(parts[0])
        locations = list(spec.submodule_search_locations or ()) if spec is not None else []
    except (ImportError, ValueError, AttributeError):
        locations = []
    folders = [os.path.abspath(os.path.join(location, *parts[1:])) for location in locations]
    folders = [folder for folder in folders if os.path.isdir(folder)]
    missing = f"the package '{declaration.value}' is not there"
    return place(*folders, reason="" if folders else missing)
