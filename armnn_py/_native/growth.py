# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The growth rule of ``backend_api.h``: a backend never sees anything newer than its header.

A layer type, data type or enumerator that a later minor version brought is not shown to a backend
that was built for an earlier one. A field that changes results has a bit; a layer that uses it is
shown only to a backend whose table lists that bit in ``understood_fields``. A new field without a
bit does no harm: an older backend does not see it.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py.descriptors import DESCRIPTOR_OF
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS, MEMBERS_SINCE

if TYPE_CHECKING:
    from armnn_py.descriptors import Descriptor
    from armnn_py.tensors import TensorInfo


@functools.cache
def known_fields() -> int:
    """Every bit of ``fields_used`` that this host can make."""
    kinds = (kind for kind in DESCRIPTOR_OF.values() if kind)
    bits = (bit for kind in kinds for bit in kind.must_understand.values())
    return functools.reduce(operator.or_, bits, 0)


def why_not_shown(
    api: abi.armnn_backend_api_t,
    layer_type: LayerType,
    descriptor: Descriptor | None,
    infos: Iterable[TensorInfo | None],
) -> str:
    """Why a backend must not see a layer; empty if it may.

    Parameters
    ----------
    api
        The backend's table: ``built_minor`` and ``understood_fields`` decide.
    layer_type, descriptor
        Type and parameters of the layer.
    infos
        Infos of its operands and outputs.
    """
    built_minor, understood = int(api.built_minor), int(api.understood_fields)
    unknown = 0 if descriptor is None else descriptor.fields_used & ~understood
    if descriptor is not None and unknown:
        name = next(name for name, bit in descriptor.must_understand.items() if bit & unknown)
        return f"{type(descriptor).__name__}.{name} is a field that the backend does not know of"
    if built_minor >= abi.ARMNN_BACKEND_API_MINOR:
        return ""
    since, what = FACTS[layer_type].since, f"layer type {layer_type.label}"
    if descriptor is not None:
        for name in descriptor.__struct_fields__:
            value = getattr(descriptor, name)
            later = MEMBERS_SINCE.get(type(value), {}) if isinstance(value, IntEnum) else {}
            if later.get(value, 0) > since:
                since, what = later[value], f"{type(value).__name__}.{value.name}"
    for info in infos:
        if info is not None and info.data_type.since > since:
            since, what = info.data_type.since, f"data type {info.data_type.described}"
    if since <= built_minor:
        return ""
    major = abi.ARMNN_BACKEND_API_MAJOR
    return (
        f"{what} came with version {major}.{since} of the backend API, the backend was built for "
        f"{major}.{built_minor}"
    )
