# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend with memory of its own: what is made, told, copied and destroyed, in which order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import armnn_py as ann

from .kinds import Journal, MakeRuntime

X = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)


def chain() -> ann.Network:
    """Two layers of "Handle" between two of CpuRef."""
    network = ann.Network("chain")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_addition(x, x, backend="CpuRef")
    y = network.add_elementwise_unary(y, ann.UnaryOperation.NEG, backend="Handle", name="first")
    y = network.add_elementwise_unary(y, ann.UnaryOperation.NEG, backend="Handle", name="second")
    y = network.add_multiplication(y, y, backend="CpuRef")
    network.add_output("y", y)
    return network


def test_life_of_handles(make_runtime: MakeRuntime, journal: Journal) -> None:
    with make_runtime("handle") as runtime:
        net = ann.load(chain(), ["Handle", "CpuRef"], runtime=runtime)
        journal()
        for factor in (1, 2):
            np.testing.assert_array_equal(net.run(factor * X)["y"], (2 * factor * X) ** 2)
        lines = journal()
        # Inputs of a step begin before its outputs; each ends after its last reader.
        told = [line for line in lines if line.startswith(("manage", "allocate"))]
        words = " ".join(line.split()[0] for line in told)
        assert words == "manage manage allocate manage allocate allocate"
        assert len({line.split()[1] for line in told}) == 3
        assert lines.index("acquire") > lines.index(told[-1])
        copies = [line.rpartition(" ")[0] for line in lines if line.startswith("copy")]
        assert copies == ["copy in", "copy out"] * 2
        net.close()
        lines = journal()
        assert lines[0] == "release"
        assert sorted(lines[1:4]) == [f"destroy handle {i}" for i in range(3)]
        assert lines[4:] == ["destroy factory", "destroy manager"] * 2


def test_contexts_have_handles_of_their_own(make_runtime: MakeRuntime, journal: Journal) -> None:
    with (
        make_runtime("handle") as runtime,
        ann.load(chain(), ["Handle", "CpuRef"], runtime=runtime) as net,
        ThreadPoolExecutor(4) as pool,
    ):
        for factor, outputs in enumerate(pool.map(lambda f: net.run(f * X), range(50))):
            np.testing.assert_array_equal(outputs["y"], (2 * factor * X) ** 2)


def test_copies_have_lines_of_their_own_in_profiles(make_runtime: MakeRuntime) -> None:
    with (
        make_runtime("handle") as runtime,
        ann.load(chain(), ["Handle", "CpuRef"], runtime=runtime) as net,
    ):
        with net.profile() as profile:
            net.run(X)
        assert [layer.type for layer in profile.layers].count("MemCopy") == 2


def test_a_failed_allocation_leaves_nothing_behind(
    make_runtime: MakeRuntime, journal: Journal
) -> None:
    with (
        make_runtime("handle", "-DNO_MEMORY") as runtime,
        ann.load(chain(), ["Handle", "CpuRef"], runtime=runtime) as net,
    ):
        journal()
        with pytest.raises(ann.OutOfMemoryError, match=r"'Handle': .* allocate of") as caught:
            net.run(X)
        assert "the device is full" in str(caught.value)
        lines = journal()
        assert "acquire" not in lines
        assert sum(line.startswith("destroy handle") for line in lines) == 3
        assert lines[-2:] == ["destroy factory", "destroy manager"]


@pytest.mark.parametrize(
    ("define", "words"),
    [
        ("-DNULL_FACTORY", "'Handle' registers a tensor handle factory that is null"),
        ("-DSAME_TWICE", "'Handle' registers a tensor handle factory 'Test/Handle/Device', but"),
        ('-DFACTORY_ID=""', "the id of a factory is ''"),
        ("-DOTHER_THREAD", "'Handle' uses the registry from another thread than its call's"),
        (
            '-DFACTORY_ID="Other"',
            "'Handle' prefers tensor handle factories that are not registered",
        ),
    ],
)
def test_faulty_registration(make_runtime: MakeRuntime, define: str, words: str) -> None:
    with make_runtime("handle", define) as runtime, pytest.raises(ann.BackendError) as caught:
        ann.load(chain(), ["Handle", "CpuRef"], runtime=runtime)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("define", "words", "gone"),
    [
        ("-DSAME_HANDLE", "'Handle' gives a tensor handle that it gave before", "destroy handle 0"),
        (
            "-DSAME_WORKLOAD",
            "'Handle' gives layer 'second' a workload that it gave before",
            "destroy workload",
        ),
    ],
)
def test_repeated_objects_are_destroyed_once(
    make_runtime: MakeRuntime, journal: Journal, define: str, words: str, gone: str
) -> None:
    def use(runtime: ann.Runtime) -> None:
        with ann.load(chain(), ["Handle", "CpuRef"], runtime=runtime) as net:
            net.run(X)

    with make_runtime("handle", define) as runtime:
        journal()
        with pytest.raises(ann.BackendError) as caught:
            use(runtime)
        assert words in str(caught.value)
        assert journal().count(gone) == 1


def test_a_registry_is_not_used_after_its_call(make_runtime: MakeRuntime, journal: Journal) -> None:
    with make_runtime("handle", "-DLATE") as runtime:
        with ann.load(chain(), ["Handle", "CpuRef"], runtime=runtime) as net:
            np.testing.assert_array_equal(net.run(X)["y"], (2 * X) ** 2)
        assert journal().count("refused late") == 2
