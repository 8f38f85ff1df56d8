# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Texts that C gets with their size."""

from __future__ import annotations

import ctypes

from armnn_py._native import abi


def counted(text: str | bytes) -> abi.armnn_string_t:
    """Return a text as ``armnn_string_t``, which keeps its bytes, also when it is copied.

    Bytes that are no UTF-8 are surrogates in Python, as in names of files; others that cannot be
    written become question marks.
    """
    data = text if isinstance(text, bytes) else _bytes_of(text)
    return abi.armnn_string_t(ctypes.create_string_buffer(data), len(data))


def _bytes_of(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")
