# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Workloads of the kit: requirements, preparation, execution, and hosts that offer little."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from abi_headers import REPOSITORY

from armnn_py._native import abi

from .kit_driver import Backend, Info, binary, new, table, unary

OK = abi.ARMNN_STATUS_OK
BINARY, UNARY = abi.ARMNN_LAYER_ELEMENTWISE_BINARY, abi.ARMNN_LAYER_ELEMENTWISE_UNARY
FLOATS = Info((4, 5))
NEW_MEMBERS = ("scratch_size", "scratch_alignment", "in_place_mask", "consumed_mask")


@pytest.fixture(scope="module")
def library(toolchain, tmp_path_factory):
    path = tmp_path_factory.mktemp("kit") / "Acme_Kit_backend.so"
    return toolchain.build_backend(REPOSITORY / "tests" / "abi" / "kit_backend.c", path)


class CountingHost:
    """A host table in Python that counts what the kit asks of it."""

    def __init__(self, *offered: str, struct_size: int | None = None) -> None:
        self.calls: list[str] = []
        self.table = new(abi.armnn_host_t, abi.ARMNN_STRUCT_HOST, context=0x5A)
        if struct_size is not None:
            self.table.header.struct_size = struct_size
        self._memory: dict[int, ctypes.Array[ctypes.c_char]] = {}
        kinds = dict(abi.armnn_host_t._fields_)
        for name in offered:
            setattr(self.table, name, kinds[name](getattr(self, f"_{name}")))

    def _allocate(self, context, size, alignment):
        self.calls.append(f"allocate {size} {alignment}")
        raw = ctypes.create_string_buffer(size + alignment)
        address = (ctypes.addressof(raw) + alignment - 1) // alignment * alignment
        self._memory[address] = raw
        return address

    def _release(self, context, memory):
        self.calls.append("release")
        del self._memory[memory]

    def _parallel_for(self, context, body, argument, count, grain, max_threads):
        self.calls.append(f"parallel_for {count} {grain} {max_threads}")
        for begin in range(0, count, grain):
            body(argument, begin, min(begin + grain, count), 0)
        return OK

    @property
    def live(self):
        return len(self._memory)


def negate(backend, shape=(4, 5)):
    info = Info(shape)
    return backend.make(UNARY, unary(abi.ARMNN_UNARY_NEG), [info], [info])


def run_negate(work):
    values = np.linspace(-3, 3, 20, dtype=np.float32).reshape(4, 5)
    result, scratch = np.full_like(values, 99), np.empty(20, np.float32)
    assert work.run([values], [result], scratch).status == OK
    np.testing.assert_array_equal(result, -values)
    np.testing.assert_array_equal(scratch, -values.ravel())


def test_plain_row_needs_nothing_and_computes(library):
    backend = Backend(library)
    work = backend.make(BINARY, binary(abi.ARMNN_BINARY_ADD), [FLOATS, FLOATS], [FLOATS])
    needs = work.requirements()
    assert needs.tensor_alignment == 1
    assert [getattr(needs, name) for name in NEW_MEMBERS] == [0, 0, 0, 0]
    a, b = np.arange(20, dtype=np.float32), np.linspace(5, 6, 20, dtype=np.float32)
    y = np.empty(20, np.float32)
    assert work.run([a, b], [y]).status == OK
    np.testing.assert_array_equal(y, a + b)
    work.close()
    backend.close()


def test_kernel_name_is_the_functions(library):
    backend = Backend(library)
    work = negate(backend)
    assert work.kernel_name == b"negate_f32"
    work.close()
    backend.close()


def test_requirements_come_from_prepare(library):
    backend = Backend(library)
    work = negate(backend)
    needs = work.requirements()
    assert (needs.scratch_size, needs.tensor_alignment, needs.in_place_mask) == (80, 32, 1)
    assert needs.scratch_alignment == 0
    work.close()
    backend.close()


@pytest.mark.parametrize(
    "member", [name for name, _ in abi.armnn_workload_requirements_t._fields_[1:]]
)
def test_shorter_requirements_of_an_older_host_are_not_overrun(library, member):
    """The host is older: its structure ends behind |member|, and other memory follows."""
    backend = Backend(library)
    work = negate(backend)
    full = abi.armnn_workload_requirements_t
    size = getattr(full, member).offset + getattr(full, member).size
    memory = (ctypes.c_ubyte * (ctypes.sizeof(full) + 64))(*[0xA5] * (ctypes.sizeof(full) + 64))
    needs = full.from_buffer(memory)
    needs.header.struct_size = size
    needs.header.struct_type = abi.ARMNN_STRUCT_WORKLOAD_REQUIREMENTS
    table(work.pointer).get_requirements(work.pointer, needs)
    assert bytes(memory[size:]) == b"\xa5" * (len(memory) - size)
    expected = work.requirements()
    kind = dict(full._fields_)[member]
    read = lambda stated: kind.from_buffer_copy(stated, getattr(full, member).offset)  # noqa: E731
    assert bytes(read(needs)) == bytes(read(expected))
    assert needs.header.struct_size == size
    work.close()
    backend.close()


def test_longer_requirements_of_a_newer_host_keep_their_tail(library):
    backend = Backend(library)
    work = negate(backend)
    size = ctypes.sizeof(abi.armnn_workload_requirements_t)
    memory = (ctypes.c_ubyte * (size + 32))()
    needs = abi.armnn_workload_requirements_t.from_buffer(memory)
    needs.header.struct_size = size + 32
    table(work.pointer).get_requirements(work.pointer, needs)
    assert needs.header.struct_size == size + 32
    assert needs.scratch_size == 80
    assert bytes(memory[size:]) == bytes(32)
    work.close()
    backend.close()


def test_services_of_the_host_are_used(library):
    host = CountingHost("allocate", "release", "parallel_for")
    backend = Backend(library, host.table)
    work = negate(backend)
    assert host.calls == ["allocate 4 64"]
    run_negate(work)
    assert host.calls[1:] == ["parallel_for 20 4 0"]
    work.close()
    assert host.calls[2:] == ["release"]
    assert host.live == 0
    backend.close()


@pytest.mark.parametrize(
    "offered",
    [
        pytest.param((), id="every entry null"),
        pytest.param(("allocate",), id="allocate without release"),
        pytest.param(("release",), id="release without allocate"),
    ],
)
def test_missing_services_are_replaced(library, offered):
    host = CountingHost(*offered)
    backend = Backend(library, host.table)
    work = negate(backend)
    run_negate(work)
    work.close()
    backend.close()
    assert host.calls == []


def test_null_host_is_replaced(library):
    backend = Backend(library, None)
    work = negate(backend)
    run_negate(work)
    work.close()
    backend.close()


def test_entries_beyond_the_hosts_size_are_not_called(library):
    """An older host's table ends earlier; what lies behind it is not ours to read."""
    size = abi.armnn_host_t.parallel_for.offset
    host = CountingHost("allocate", "release", "parallel_for", struct_size=size)
    backend = Backend(library, host.table)
    work = negate(backend)
    run_negate(work)
    work.close()
    backend.close()
    assert host.calls == ["allocate 4 64", "release"]


def test_failing_prepare_makes_no_workload(library):
    host = CountingHost("allocate", "release")
    backend = Backend(library, host.table)
    work = negate(backend, (13,))
    assert (work.answer.status, work.answer.text) == (abi.ARMNN_STATUS_INTERNAL, "13 is unlucky")
    assert not work.pointer
    backend.close()
    assert host.live == 0


def test_out_of_memory_is_a_status(library):
    host = CountingHost("allocate", "release")
    kind = dict(abi.armnn_host_t._fields_)["allocate"]
    host.table.allocate = kind(lambda *_: None)
    backend = Backend(library, host.table)
    answer = negate(backend).answer
    assert (answer.status, answer.text) == (abi.ARMNN_STATUS_OUT_OF_MEMORY, "no memory")
    backend.close()


def test_error_of_a_kernel_comes_through(library):
    backend = Backend(library)
    tag = abi.ARMNN_STRUCT_DESCRIPTOR + abi.ARMNN_LAYER_ACTIVATION
    function = abi.ARMNN_ACTIVATION_BOUNDED_RELU
    clip = new(abi.armnn_activation_descriptor_t, tag, function=function)
    work = backend.make(abi.ARMNN_LAYER_ACTIVATION, clip, [FLOATS], [FLOATS])
    answer = work.run([None], [None])
    assert (answer.status, answer.text) == (abi.ARMNN_STATUS_DEVICE_LOST, "run 7 has no device")
    work.close()
    backend.close()


def test_two_backends_of_one_library_are_independent(library):
    hosts = [CountingHost("allocate", "release", "parallel_for") for _ in range(2)]
    backends = [Backend(library, host.table) for host in hosts]
    works = [negate(backend) for backend in backends]
    works[0].close()
    backends[0].close()
    run_negate(works[1])
    works[1].close()
    backends[1].close()
    assert [host.calls[-1] for host in hosts] == ["release", "release"]
    assert [len(host.calls) for host in hosts] == [2, 3]
