# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Enumerations and descriptors of the Python package are those of the C headers."""

from __future__ import annotations

import re
import typing
from enum import IntEnum

import pytest
from abi_headers import INCLUDE_DIR, Array, Named, Pointer, Scalar, read_headers
from layer_table import read_table

from armnn_py import types
from armnn_py.descriptors import DESCRIPTOR_OF, Attribute, View

# The table tells only what the C name of each enumeration is; the numbers come from the C header.
ENUMS = {
    **{
        name: (enum.tag, f"ARMNN_{enum.prefix}_")
        for name, enum in read_table().enumerations.items()
    },
    "DataType": ("armnn_data_type_e", "ARMNN_DATA_TYPE_"),
    "LayerType": ("armnn_layer_type_e", "ARMNN_LAYER_"),
}


@pytest.fixture(scope="module")
def headers():
    return read_headers()


@pytest.fixture(scope="module")
def structure_of():
    """Map each layer type to its structure, as the comments of descriptors.h say."""
    text = (INCLUDE_DIR / "armnn" / "descriptors.h").read_text(encoding="utf-8")
    found = {}
    pattern = r"/\*((?:(?!\*/).)*)\*/\ntypedef struct (armnn_\w+_descriptor_t) \{"
    for comment, name in re.findall(pattern, text, re.DOTALL):
        for words in re.findall(r"^[ *]*([A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*)\b", comment, re.M):
            for word in words.split(", "):
                if word in types.LayerType.__members__:
                    found[types.LayerType[word]] = name
    return found


def test_no_enumeration_is_forgotten():
    ours = {
        name
        for name, kind in vars(types).items()
        if isinstance(kind, type) and issubclass(kind, IntEnum)
    }
    assert ours == set(ENUMS)


@pytest.mark.parametrize("name", ENUMS)
def test_enumeration_has_the_numbers_of_c(headers, name):
    tag, prefix = ENUMS[name]
    expected = {
        key.removeprefix(prefix): value
        for key, value in headers.enums[tag].items()
        if not key.endswith(("_COUNT", "_MAX_ENUM"))
    }
    members = getattr(types, name).__members__
    assert {key: int(value) for key, value in members.items()} == expected


def test_every_layer_type_is_described_by_the_header(structure_of):
    text = (INCLUDE_DIR / "armnn" / "descriptors.h").read_text(encoding="utf-8")
    tail = text[text.index("Layers without a descriptor") :]
    bare = set(re.findall(r"^/\* ([A-Z][A-Z0-9_]+) \[", tail, re.MULTILINE))
    assert not bare & {item.name for item in structure_of}
    assert bare | {item.name for item in structure_of} == set(types.LayerType.__members__)


def test_layer_types_with_a_descriptor_are_those_of_c(structure_of):
    ours = {item for item, kind in DESCRIPTOR_OF.items() if kind is not None}
    assert ours == set(structure_of)


def test_one_structure_is_one_class(structure_of):
    pairs = {(name, DESCRIPTOR_OF[item]) for item, name in structure_of.items()}
    assert len(pairs) == len(dict(pairs)) == len({kind for _, kind in pairs})


@pytest.mark.parametrize("layer_type", [item for item in types.LayerType if DESCRIPTOR_OF[item]])
def test_descriptor_has_the_fields_of_c(headers, structure_of, layer_type):
    members = dict(headers.structs[structure_of[layer_type]])
    kind = DESCRIPTOR_OF[layer_type]
    hints = typing.get_type_hints(kind)
    fields = list(kind.__struct_fields__)
    own = ("header", "reserved", "reserved2", kind.length_member)
    expected = [name for name in members if name not in own]
    assert sorted(fields) == sorted(expected)
    for name in fields:
        assert fits(hints[name], members[name]), f"{name}: {hints[name]} for {members[name]}"


def fits(hint, kind):
    if typing.get_origin(hint) is tuple:
        item = typing.get_args(hint)[0]
        targets = {View: "armnn_view_t", Attribute: "armnn_attribute_t"}
        if item in targets:
            return isinstance(kind, Pointer) and targets[item] in str(kind.target)
        return isinstance(kind, Array) and kind.count == 8 and fits(item, kind.element)
    if hint is str:
        return isinstance(kind, Named) and kind.name == "armnn_string_t"
    if hint is bool:
        return kind == Scalar("uint32_t")
    if hint is float:
        return kind == Scalar("float")
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return kind == Scalar("int32_t")
    return hint is int and isinstance(kind, Scalar) and kind.name.endswith(("int32_t", "int64_t"))


def test_view_has_the_fields_of_c(headers):
    fields = list(View.__struct_fields__)
    assert fields == list(headers.structs["armnn_view_t"])
