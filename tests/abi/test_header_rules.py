# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The headers keep the rules of types.h: what may grow, where padding is, how numbers are used."""

from __future__ import annotations

import pytest
from abi_headers import Named, Pointer, read_headers


@pytest.fixture(scope="module")
def headers():
    return read_headers()


def growable(headers):
    return {
        name
        for name, members in headers.structs.items()
        if members and next(iter(members.values())) == Named("armnn_header_t")
    }


def test_no_growable_structure_lies_inside_another(headers):
    """Its growth would move every member behind it."""
    inside = [
        f"{name}.{key}"
        for name, members in headers.structs.items()
        for key, kind in (members or {}).items()
        if isinstance(kind, Named) and kind.name in growable(headers)
    ]
    assert inside == []


def test_no_growable_structure_is_passed_by_value(headers):
    functions = [kind.target for kind in headers.function_types.values()]
    functions += headers.functions.values()
    for members in headers.structs.values():
        for kind in (members or {}).values():
            if isinstance(kind, Pointer) and hasattr(kind.target, "parameters"):
                functions.append(kind.target)
    for function in functions:
        for kind in (function.result, *function.parameters):
            assert not (isinstance(kind, Named) and kind.name in growable(headers)), str(function)


def test_all_padding_is_spelt_out(layout):
    """Hidden holes carry what was on the stack, and other languages may place them elsewhere."""
    for section in ("public", "private"):
        for name, kind in layout[section]["structs"].items():
            end = 0
            for key, (offset, size, _) in kind["members"].items():
                assert offset == end, f"hole before {name}.{key}"
                end = offset + size
            assert end == kind["size"], f"hole at the end of {name}"


def test_every_table_and_descriptor_can_grow(headers):
    ends = ("_api_t", "_descriptor_t", "_args_t")
    names = {name for name, members in headers.structs.items() if members and name.endswith(ends)}
    assert len(names) > 50
    assert names <= set(growable(headers))


def test_enumerations_are_stored_as_32_bits(headers):
    for tag, values in headers.enums.items():
        assert max(values.values()) == 0x7FFFFFFF, tag
        names = [name for name in values if name.endswith("_MAX_ENUM")]
        assert len(names) == 1, tag


def test_struct_tags_are_unique_and_ours(headers):
    tags = dict(headers.enums["armnn_struct_type_e"])
    tags.pop("ARMNN_STRUCT_TYPE_MAX_ENUM")
    assert len(set(tags.values())) == len(tags)
    assert {value >> 16 for value in tags.values()} == {0x414E}
    # Descriptors take a whole range, one tag a layer type.
    first = tags.pop("ARMNN_STRUCT_DESCRIPTOR")
    count = headers.enums["armnn_layer_type_e"]["ARMNN_LAYER_TYPE_COUNT"]
    assert not set(range(first, first + count)) & set(tags.values())
