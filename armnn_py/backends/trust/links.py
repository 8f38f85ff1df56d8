# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The libraries that a file links to: names that would bring in code that its vendor did not mean.

Refused are libraries looked for in the folder where the program happens to be started, and a
SONAME by which other programs would get the backend for a library of theirs. Told is a library that
comes from another file than the vendor's own, because that one is in use already.
"""

from __future__ import annotations

import os

from armnn_py._native.table import dynamic_library
from armnn_py.backends.loader.elf import ElfInfo
from armnn_py.backends.loader.naming import parse_file_name
from armnn_py.backends.loader.verdict import RefusedError
from armnn_py.text import printable

_ORIGIN = ("$ORIGIN", "${ORIGIN}")
#: Beginnings of paths that do not depend on the folder of the program.
_FIXED = ("/", *_ORIGIN)
#: The system's loader puts a name with slashes in its place, without one in front.
_LIBRARY_FOLDER = ("$LIB", "${LIB}")


def check_links(info: ElfInfo, path: str) -> list[str]:
    """Return sentences on what is odd about the names in a file.

    Parameters
    ----------
    info
        The result of the inspection.
    path
        The file after following links.

    Raises
    ------
    RefusedError
        A name is relative, or the SONAME is that of something else.
    """
    told = []
    for run_path in info.run_paths:
        for entry in run_path.split(":"):
            if entry and not entry.startswith(_FIXED):
                raise RefusedError(
                    "inspect",
                    "run-path-relative",
                    f"looks for libraries in '{printable(entry)}', which is relative to the folder "
                    "that the program is started in: anybody's file there would run",
                    "link it with -Wl,-rpath,'$ORIGIN', or without -rpath",
                )
        if any(not entry for entry in run_path.split(":")):
            # Not refused: CMake fills the run paths of files that are not installed yet with these.
            told.append(
                f"its run path '{printable(run_path)}' has an empty entry, which stands for the "
                "folder that the program is started in; CMake's end with one until "
                "'cmake --install' writes INSTALL_RPATH in their place"
            )
    for needed in info.needed:
        is_path = any(word in needed for word in ("/", *_LIBRARY_FOLDER))
        if is_path and not needed.startswith(_FIXED):
            raise RefusedError(
                "inspect",
                "needed-relative",
                f"needs '{printable(needed)}', which is relative to the folder that the program is "
                "started in",
                f"give {os.path.basename(needed)} a SONAME without a slash, and link again",
            )
    _check_soname(info, path)
    return told


def mapped_elsewhere(info: ElfInfo, path: str) -> list[str]:
    """Return sentences on libraries that the file will get from elsewhere than it should.

    To be called just before it is opened: another vendor's file may have brought them.
    """
    found = (_mapped_elsewhere(needed, info, path) for needed in info.needed)
    return [sentence for sentence in found if sentence]


def _check_soname(info: ElfInfo, path: str) -> None:
    name = info.soname
    if not name or name == os.path.basename(path) or parse_file_name(name) is not None:
        return
    raise RefusedError(
        "inspect",
        "soname-foreign",
        f"has the SONAME '{printable(name)}': what needs a library of that name would get this "
        "file instead",
        f"link it with -Wl,-soname,{os.path.basename(path)}, or without a SONAME",
    )


def _mapped_elsewhere(needed: str, info: ElfInfo, path: str) -> str:
    """Say that a library of the vendor's own will not be used, or return an empty text."""
    if "/" in needed:
        return ""
    own = _find_own(needed, info, path)
    if own is None:
        return ""
    mapped = dynamic_library.mapped_path(needed)
    if not mapped:
        return ""
    try:
        if os.path.samefile(mapped, own):
            return ""
    except OSError:
        return ""
    return (
        f"needs '{printable(needed)}' and gets {printable(mapped)}, which is in use already, "
        f"not its own {printable(own)}; private_libraries of Runtime, or "
        "ARMNN_PY_PRIVATE_LIBRARIES, gives it its own"
    )


def _find_own(needed: str, info: ElfInfo, path: str) -> str | None:
    """The library of that name beside the file, or where its run path says."""
    folder = os.path.dirname(path)
    for run_path in info.run_paths:
        for entry in run_path.split(":"):
            for origin in _ORIGIN:
                entry = entry.replace(origin, folder)
            own = os.path.join(entry, needed)
            if entry.startswith("/") and os.path.exists(own):
                return own
    return None
