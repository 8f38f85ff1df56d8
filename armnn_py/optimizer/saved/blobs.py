# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What backends say of the bytes of their compiled sub-graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armnn_py.backends.backend import Backend

__all__ = ["reads_in_place"]


def reads_in_place(backend: Backend) -> bool:
    """Whether blobs are weights for one kind of processor, which are read where they are."""
    return backend.capabilities.get("BlobsInPlace") is True
