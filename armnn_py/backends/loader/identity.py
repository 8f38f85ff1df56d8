# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The id and the version of a backend, which two of its three exported functions tell."""

from __future__ import annotations

from typing import NamedTuple

from armnn_py._native import abi
from armnn_py._native.table import dynamic_library
from armnn_py.backends.loader.verdict import RefusedError
from armnn_py.device_ids import OPTIONAL, SEPARATOR
from armnn_py.later import public_class


@public_class
class BackendVersion(NamedTuple):
    """A version of the backend API, ordered by major, then minor."""

    major: int
    minor: int

    def is_compatible_with(self, host: BackendVersion) -> bool:
        """Say whether a backend of this version runs in ``host``: same major, minor not above."""
        return self.major == host.major and self.minor <= host.minor

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


#: The major version of Arm NN's own backends, which export the same three functions.
ARM_NN_MAJOR = 1
HOST_VERSION = BackendVersion(abi.ARMNN_BACKEND_API_MAJOR, abi.ARMNN_BACKEND_API_MINOR)

#: Not in an id: the command line writes ``ID.option=value`` and ``ID,ID``.
_MARKS_OF_OPTIONS = f".=,{OPTIONAL}"


def find_exports(handle: int) -> dynamic_library.Exports:
    """Find the three functions in a library that was opened.

    Raises
    ------
    RefusedError
        One is missing, or is not a function.
    """
    addresses = []
    for name in dynamic_library.EXPORTS:
        address = dynamic_library.symbol(handle, name)
        if address is None:
            raise RefusedError(
                "symbols",
                "symbol-missing",
                f"does not export '{name}'",
                'declare the entry points extern "C" with default visibility, '
                "as armnn/backend_api.h does",
            )
        if not dynamic_library.is_code(address):
            reason = f"exports '{name}', which is not a function"
            raise RefusedError("symbols", "symbol-not-function", reason)
        addresses.append(address)
    return dynamic_library.Exports(*addresses)


def read_id(exports: dynamic_library.Exports) -> str:
    """Ask a backend for its id.

    Raises
    ------
    RefusedError
        It is not an id that people can use.
    """
    try:
        data = dynamic_library.call_get_backend_id(exports.get_backend_id)
    except dynamic_library.UnreadableTextError as error:
        raise RefusedError("id", "id-unreadable", f"the text of GetBackendId {error}") from None
    if data is None:
        raise RefusedError("id", "id-null", "GetBackendId returned null")
    if not data:
        raise RefusedError("id", "id-empty", "GetBackendId returned the empty text")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        reason = f"GetBackendId returned {_start_of(data)}, which is not UTF-8"
        raise RefusedError("id", "id-not-text", reason) from None
    if text == "Unknown":
        reason = "GetBackendId returned 'Unknown', which is reserved"
        raise RefusedError("id", "id-reserved", reason, "give the backend a name of its own")
    if SEPARATOR in text:
        reason = f"GetBackendId returned {_start_of(text)}, which has a '{SEPARATOR}'"
        hint = "users write it between id and index of a device: take another character"
        raise RefusedError("id", "id-colon", reason, hint)
    if not text.isprintable() or text != text.strip():
        reason = (
            f"GetBackendId returned {_start_of(text)}, which has characters that cannot be printed"
        )
        raise RefusedError("id", "id-not-text", reason)
    mark = next((mark for mark in _MARKS_OF_OPTIONS if mark in text), None)
    if mark is not None:
        reason = f"GetBackendId returned {_start_of(text)}, which has a '{mark}'"
        hint = "users write ID.option=value, and ids in lists, also ID?: take letters and digits"
        raise RefusedError("id", "id-mark", reason, hint)
    return text


def _start_of(text: str | bytes) -> str:
    return repr(text) if len(text) <= 32 else f"{text[:32]!r}..."


def check_version(backend_id: str, version: BackendVersion) -> None:
    """Check that the host and a backend speak one version of the backend API.

    Raises
    ------
    RefusedError
        They do not.
    """
    if version.is_compatible_with(HOST_VERSION):
        return
    reason = f"'{backend_id}' speaks backend API {version}, this host speaks {HOST_VERSION}"
    if version == BackendVersion(0, 0):
        hint = "GetVersion must write ARMNN_BACKEND_API_MAJOR and ARMNN_TARGET_MINOR"
    elif version.major == ARM_NN_MAJOR:
        reason = (
            f"'{backend_id}' speaks version {version} of the backend API, which is Arm NN's C++ "
            f"interface, this host speaks {HOST_VERSION}"
        )
        hint = (
            "a backend for armnn-py is written to its C headers; 'armnn-py backends new' begins one"
        )
    elif version.major == HOST_VERSION.major:
        hint = (
            f"upgrade armnn-py, or build the backend with ARMNN_TARGET_MINOR={HOST_VERSION.minor}"
        )
    elif version.major > HOST_VERSION.major:
        hint = f"upgrade armnn-py to a release whose backend API is {version.major}.x"
    else:
        hint = f"build the backend against backend API {HOST_VERSION}"
    code = "version-minor" if version.major == HOST_VERSION.major else "version-major"
    raise RefusedError("version", code, reason, hint)
