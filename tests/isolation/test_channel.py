# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A worker answers the request that it took, and never one that an ended worker left."""

from __future__ import annotations

import mmap
import os
import struct
import time

import pytest

import armnn_py as ann
from armnn_py._native import abi
from armnn_py._native.channel import TENSORS_OFFSET, NativeChannel, WorkerChannel
from armnn_py.worker import loaded_part
from tests.isolation.conftest import absolute

SIZE = TENSORS_OFFSET + 64
REQUESTS, ANSWERS = 0, 64  # offsets in the page


def number(memory: mmap.mmap, offset: int) -> int:
    (found,) = struct.unpack_from("=I", memory, offset)
    return int(found)


def request(memory: mmap.mmap, count: int) -> None:
    struct.pack_into("=I", memory, REQUESTS, count)


def channel(memory: mmap.mmap) -> NativeChannel:
    return NativeChannel(memory, [(TENSORS_OFFSET, 64)], [], -1, None)


def test_a_request_is_taken_once() -> None:
    memory = mmap.mmap(-1, SIZE)
    worker = WorkerChannel(memory)
    assert not worker.wait(0.0)
    request(memory, 1)
    assert worker.wait(0.0)
    worker.answer()
    assert number(memory, ANSWERS) == 1
    assert not worker.wait(0.0)


def test_the_answer_is_to_the_request_that_was_taken() -> None:
    memory = mmap.mmap(-1, SIZE)
    worker = WorkerChannel(memory)
    request(memory, 1)
    assert worker.wait(0.0)
    request(memory, 2)  # of a host that has given up the first
    worker.answer()
    assert number(memory, ANSWERS) == 1
    assert worker.wait(0.0)


def test_a_worker_does_not_see_what_was_asked_of_the_one_before() -> None:
    memory = mmap.mmap(-1, SIZE)
    host = channel(memory)
    request(memory, 1)
    host.end(abi.ARMNN_CHANNEL_WORKER_ENDED)
    assert host.settle()
    assert not WorkerChannel(memory).wait(0.0)
    host.close()


def test_the_first_reason_of_an_end_stays() -> None:
    host = channel(mmap.mmap(-1, SIZE))
    assert host.end(abi.ARMNN_CHANNEL_PAST_DEADLINE) == abi.ARMNN_CHANNEL_PAST_DEADLINE
    assert host.end(abi.ARMNN_CHANNEL_WORKER_ENDED) == abi.ARMNN_CHANNEL_PAST_DEADLINE
    host.close()


@pytest.mark.parametrize("place", [(0, 64), (TENSORS_OFFSET, 65), (SIZE + 1, 0), (2**63, 2**63)])
def test_tensors_lie_in_the_memory(place: tuple[int, int]) -> None:
    with pytest.raises(MemoryError):
        NativeChannel(mmap.mmap(-1, SIZE), [place], [], -1, None)


def test_closing_wakes_a_channel_that_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaded_part, "_SLICE", 3600.0)
    file = os.memfd_create("test", os.MFD_CLOEXEC)
    os.truncate(file, TENSORS_OFFSET + 4096)
    with ann.Runtime() as runtime:
        part = loaded_part.LoadedPart(absolute(), "CpuRef", runtime, {})
        places = [(TENSORS_OFFSET, 256)], [(TENSORS_OFFSET + 256, 256)]
        part.channels[1] = loaded_part.Channel(part, file, [], *places, (0, 0), {})
        time.sleep(0.1)  # its thread sleeps now
        part.close()
