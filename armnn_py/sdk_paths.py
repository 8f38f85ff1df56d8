# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Where the installed SDK lies: the folders that a vendor's build needs.

The SDK folders are made by the build, so in an editable install they are apart from the sources;
the package's search path names both places.
"""

from __future__ import annotations

import sys
from pathlib import Path

from armnn_py.errors import InternalError


def get_include() -> Path:
    """Return the folder for the compiler's ``-I``; holds ``armnn/backend_api.h``.

    Raises
    ------
    InternalError
        If the package was not installed, so that there is no SDK folder.
    """
    return _sdk_folder("include")


def get_cmake_dir() -> Path:
    """Return the folder with ``armnn_py-config.cmake``, for ``armnn_py_DIR`` or a prefix path.

    Raises
    ------
    InternalError
        If the package was not installed, so that there is no SDK folder.
    """
    return _sdk_folder("cmake")


def get_cflags() -> str:
    """Return the compiler flags that make a one-file backend, in C or C++, without CMake.

    Raises
    ------
    InternalError
        If the package was not installed, so that there is no SDK folder.
    """
    return f"-I{get_include()} -O2 -fPIC -shared -fvisibility=hidden"


def _sdk_folder(name: str) -> Path:
    tried = []
    for folder in sys.modules["armnn_py"].__path__:
        candidate = Path(folder) / "sdk" / name
        if candidate.is_dir():
            return candidate
        tried.append(f"tried: {candidate}")
    raise InternalError(
        f"the SDK folder '{name}' is not there",
        details=tried,
        hints=["install the package: pip install . (a plain source tree has no SDK folder)"],
    )
