# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The arena planner, checked by brute force over every pair of records."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armnn_py._native import abi
from armnn_py.runtime.plan import memory_plan
from armnn_py.runtime.plan.memory_plan import ArenaPlan, UsageRecord, plan_arena
from armnn_py.runtime.plan.plan_build import plan_memory
from armnn_py.runtime.plan.planned import Build, PlannedStep, PlannedTensor


def check(records: list[UsageRecord], plan: ArenaPlan) -> None:
    """Independent of the planner: walk all steps and mark bytes; nobody may mark twice."""
    assert len(plan.offsets) == len(records)
    for offset, record in zip(plan.offsets, records, strict=True):
        assert offset % 64 == 0
        assert offset >= 0
        assert offset + record.size <= plan.size
    steps = range(max((r.last for r in records), default=-1) + 1)
    for step in steps:
        alive = sorted(
            (offset, offset + record.size)
            for offset, record in zip(plan.offsets, records, strict=True)
            if record.first <= step <= record.last and record.size
        )
        for (_, end), (start, _) in itertools.pairwise(alive):
            assert end <= start, f"two buffers overlap at step {step}"


records_strategy = st.lists(
    st.builds(
        lambda first, length, size: UsageRecord(first, first + length, size),
        st.integers(0, 30),
        st.integers(0, 10),
        st.one_of(st.integers(0, 5000), st.sampled_from([0, 1, 63, 64, 65])),
    ),
    max_size=60,
)


@given(records_strategy)
@settings(max_examples=200)
def test_no_two_living_buffers_overlap(records: list[UsageRecord]) -> None:
    check(records, plan_arena(records))


@given(records_strategy)
@settings(max_examples=200)
def test_few_buffers_are_planned_as_many(records: list[UsageRecord]) -> None:
    few = plan_arena(records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_plan, "_FEW", 0)
        assert plan_arena(records) == few


@given(records_strategy)
def test_arena_is_between_the_peak_and_the_sum(records: list[UsageRecord]) -> None:
    def rounded(size: int) -> int:
        return -(-size // 64) * 64

    peak = max(
        (
            sum(rounded(r.size) for r in records if r.first <= step <= r.last)
            for step in range(max((r.last for r in records), default=-1) + 1)
        ),
        default=0,
    )
    assert peak <= plan_arena(records).size <= sum(rounded(r.size) for r in records)


def test_a_chain_needs_two_buffers() -> None:
    chain = [UsageRecord(i, i + 1, 1000) for i in range(50)]
    assert plan_arena(chain).size == 2 * 1024


def test_a_small_buffer_goes_into_the_smallest_gap() -> None:
    # Two gaps open up at step 5: one of 1024 bytes (after b died) and one of 128 (after d died).
    records = [
        UsageRecord(0, 9, 4096),  # a
        UsageRecord(0, 4, 1024),  # b
        UsageRecord(0, 9, 512),  # c
        UsageRecord(0, 4, 128),  # d
        UsageRecord(0, 9, 64),  # e
        UsageRecord(5, 9, 64),  # f: fits both gaps
    ]
    plan = plan_arena(records)
    check(records, plan)
    d = plan.offsets[3]
    assert d <= plan.offsets[5] < d + 128


@pytest.mark.parametrize("records", [[], [UsageRecord(0, 0, 0)]], ids=["none", "one empty"])
def test_no_layers_to_place(records: list[UsageRecord]) -> None:
    assert plan_arena(records).size == 0


def test_the_copy_of_an_output_needs_its_place_from_its_first_part_on() -> None:
    """The output as a whole is written by no step; earlier tensors may lie where its copy will."""
    build = Build()
    size = 4096
    source = build.add(PlannedTensor(abi.ARMNN_PLAN_TENSOR_INPUT, size))
    inner = [build.add(PlannedTensor(abi.ARMNN_PLAN_TENSOR_ARENA, size)) for _ in range(3)]
    output = PlannedTensor(abi.ARMNN_PLAN_TENSOR_OUTPUT, size, alignment=64)
    build.add(output)
    parts = []
    for i in range(2):
        part = PlannedTensor(abi.ARMNN_PLAN_TENSOR_ARENA, size // 2)
        part.parent, part.offset = output, i * size // 2
        parts.append(build.add(part))
    small = build.add(PlannedTensor(abi.ARMNN_PLAN_TENSOR_ARENA, size // 2))
    for begin, end in itertools.pairwise([source, *inner, small, parts[0]]):
        build.steps.append(PlannedStep([begin], [end]))
    build.steps.append(PlannedStep([small], [parts[1]]))
    memory = plan_memory(build)
    assert (output.first, output.last) == (4, 5)
    assert memory.size == 2 * size  # with a place from the start on it would be three
