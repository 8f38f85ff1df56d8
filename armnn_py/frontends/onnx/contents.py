# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The bytes of a model file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native.large_pages import read_bytes
from armnn_py.errors import ParseError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_contents"]

_PROTOBUF_LIMIT = 2**31 - 1


def read_contents(path: Path) -> bytes:
    """Read a file.

    Raises
    ------
    ParseError
        It cannot be read, is empty, or is larger than protobuf allows.
    """
    try:
        size = path.stat().st_size
        if size > _PROTOBUF_LIMIT:
            raise ParseError(
                f"model '{path.name}' has {size} bytes, protobuf allows {_PROTOBUF_LIMIT}",
                path=str(path),
                hints=["save it with external data: onnx.save(..., save_as_external_data=True)"],
            )
        data = read_bytes(path)
    except OSError as error:
        raise ParseError(
            f"cannot read model '{path.name}': {error.strerror or error}", path=str(path)
        ) from error
    if not data:
        raise ParseError(f"model '{path.name}' is empty", path=str(path))
    return data
