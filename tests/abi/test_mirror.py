# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The ctypes mirror has the bytes that the C compiler sees."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import layer_table
import pytest
from abi_headers import REPOSITORY

from armnn_py._native import abi


def merged(layout, section):
    return {**layout["public"][section], **layout["private"][section]}


def test_the_generated_file_is_up_to_date(toolchain):
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "scripts" / "generate_layers.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_table_says_the_major_of_the_header():
    assert layer_table.API_MAJOR == abi.ARMNN_BACKEND_API_MAJOR


def test_every_structure_of_the_headers_is_mirrored(layout):
    assert set(abi.STRUCTS) == set(merged(layout, "structs"))


@pytest.mark.parametrize("name", abi.STRUCTS)
def test_structure_has_the_compilers_layout(layout, name):
    expected = merged(layout, "structs")[name]
    mirror = abi.STRUCTS[name]
    members = {key: list(kind[:2]) for key, kind in expected["members"].items()}
    measured = {}
    for key, _ in mirror._fields_:
        member = getattr(mirror, key)
        measured[key] = [member.offset, member.size]
    assert measured == members
    assert list(measured) == list(members)
    assert ctypes.sizeof(mirror) == expected["size"]
    assert ctypes.alignment(mirror) == expected["align"]


def test_enumerators_have_the_compilers_numbers(layout):
    assert merged(layout, "enums") == abi.ENUMS
    for values in abi.ENUMS.values():
        for name, value in values.items():
            assert getattr(abi, name) == value


def test_macros_have_the_compilers_numbers(layout):
    assert merged(layout, "macros") == abi.MACROS
    for name, value in abi.MACROS.items():
        assert getattr(abi, name) == value


def test_every_core_function_is_mirrored(layout):
    assert set(abi.CORE_FUNCTIONS) == set(layout["private"]["functions"])


def test_a_table_can_be_filled_and_called_from_python():
    """Callbacks of Python behind a table: what the optimisation sink and the registry need."""
    kept = []

    def get_factory(_context, name):
        kept.append(name)
        return 0x1000

    registry = abi.armnn_tensor_handle_factory_registry_t()
    field = dict(abi.armnn_tensor_handle_factory_registry_t._fields_)["get_factory"]
    registry.get_factory = field(get_factory)
    assert registry.get_factory(None, b"Acme/Npu/Device") == 0x1000
    assert kept == [b"Acme/Npu/Device"]
    assert not registry.register_factory
