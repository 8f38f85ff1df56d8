# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table behind an object of a backend is checked before a function of it is called."""

from __future__ import annotations

import ctypes

import pytest

from armnn_py._native import abi
from armnn_py._native.object_table import object_table
from armnn_py.errors import BackendError

from .kit_driver import new

KIND = abi.armnn_workload_api_t
TAG = abi.ARMNN_STRUCT_WORKLOAD


@pytest.fixture
def table():
    kinds = dict(KIND._fields_)
    return new(
        KIND,
        TAG,
        destroy=kinds["destroy"](lambda _: None),
        execute=kinds["execute"](lambda *_: 0),
        get_kernel_name=kinds["get_kernel_name"](lambda _: 0),
    )


def read(table):
    item = abi.armnn_workload_t()
    if table is not None:
        item.api = ctypes.pointer(table)
    return object_table(ctypes.pointer(item), KIND, TAG, ("destroy", "execute"), "Acme")


def test_whole_table_is_copied(table):
    assert bytes(read(table)) == bytes(table)


def test_members_beyond_the_stated_size_are_null(table):
    table.header.struct_size = KIND.get_kernel_name.offset
    copy = read(table)
    assert copy.execute
    assert not copy.get_kernel_name


def test_half_a_pointer_is_null(table):
    table.header.struct_size = KIND.get_kernel_name.offset + 4
    assert not read(table).get_kernel_name


def test_larger_table_of_a_newer_backend_is_cut(table):
    table.header.struct_size = ctypes.sizeof(KIND) + 800
    assert read(table).get_kernel_name


def test_missing_mandatory_function_is_named(table):
    table.header.struct_size = KIND.execute.offset
    with pytest.raises(BackendError, match=r"backend 'Acme' .* lacks execute"):
        read(table)


def test_wrong_tag_is_refused(table):
    table.header.struct_type = abi.ARMNN_STRUCT_BACKEND
    with pytest.raises(BackendError, match=r"tag 0x414e0020 where 0x414e002a belongs"):
        read(table)


def test_object_without_table_is_refused():
    with pytest.raises(BackendError, match="without a table"):
        read(None)
