# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The field of descriptors that says how a quantised layer rounds."""

from __future__ import annotations

from msgspec import structs

from armnn_py.descriptors.base import Descriptor
from armnn_py.types import Rescaling

__all__ = ["has_rescaling", "with_rescaling"]


def has_rescaling(descriptor: Descriptor | None) -> bool:
    """Whether layers of the descriptor have more than one arithmetic for quantised numbers."""
    return hasattr(descriptor, "rescaling")


def with_rescaling(descriptor: Descriptor | None, rescaling: Rescaling) -> Descriptor | None:
    """Return the descriptor with another rescaling; one without the field as it is."""
    if descriptor is None or not has_rescaling(descriptor):
        return descriptor
    changed: Descriptor = structs.replace(descriptor, rescaling=rescaling)
    return changed
