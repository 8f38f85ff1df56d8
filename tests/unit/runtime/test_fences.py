# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Queues that make fences: two devices work side by side, and unfinished work is never seen."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native import abi
from armnn_py.runtime.plan import plan_spec

from .kinds import Build, Journal

X = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)
ABS, NEG = ann.UnaryOperation.ABS, ann.UnaryOperation.NEG


def build_pair(folder: Path, build_backend: Build, *defines: str) -> Path:
    """Backends "A" and "B"."""
    for name, other in (("A", "B"), ("B", "A")):
        ids = f'-DBACKEND_ID="{name}"', f'-DOTHER_ID="{other}"'
        target = folder / f"Test_{name}_backend.so"
        build_backend("fence_backend.c", target, *ids, *defines, "-pthread")
    return folder


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, build_backend: Build) -> Path:
    return build_pair(tmp_path_factory.mktemp("pair"), build_backend)


@pytest.fixture(scope="module")
def lazy_pair(tmp_path_factory: pytest.TempPathFactory, build_backend: Build) -> Path:
    """The same, but they work only when somebody waits: as late as they may."""
    return build_pair(tmp_path_factory.mktemp("lazy"), build_backend, "-DLAZY")


@pytest.fixture
def runtime(pair: Path, journal: Journal) -> Iterator[ann.Runtime]:
    with ann.Runtime(pair) as made:
        yield made


@pytest.fixture
def meeting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "meeting"
    folder.mkdir()
    monkeypatch.setenv("ARMNN_TEST_MEETING", str(folder))
    return folder


def diamond(end: str = "CpuRef") -> ann.Network:
    """y = (|x| on A, then -) + (|x + x| on B): the branches one after the other in the network."""
    network = ann.Network("diamond")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    a = network.add_elementwise_unary(x, ABS, backend="A")
    a = network.add_elementwise_unary(a, NEG, backend="A")
    a = network.add_multiplication(a, a, backend="CpuRef")
    b = network.add_addition(x, x, backend="B")
    b = network.add_elementwise_unary(b, ABS, backend="B")
    network.add_output("y", network.add_addition(a, b, backend=end))
    return network


EXPECTED = X * X + np.abs(X + X)


def count(lines: list[str], event: str) -> int:
    return sum(event in line for line in lines)


@pytest.mark.parametrize("end", ["CpuRef", "A", "B"])
def test_two_devices_work_at_once(
    runtime: ann.Runtime, meeting: Path, journal: Journal, end: str
) -> None:
    """Each of them waits for the other's begin, in the middle of its work."""
    with ann.load(diamond(end), ["A", "B", "CpuRef"], runtime=runtime) as net:
        for _ in range(5):
            for file in meeting.iterdir():
                file.unlink()
            np.testing.assert_array_equal(net.run(X, timeout=60)["y"], EXPECTED)
        lines = journal()
        assert count(lines, "flushes") == 0
        made = sum(line in ("A fence", "B fence") for line in lines)
        assert made == count(lines, "fence gone") == 5 * (2 if end == "CpuRef" else 3)
        with net.profile() as profile:
            for file in meeting.iterdir():
                file.unlink()
            net.run(X)
        kernels = [layer.kernel for layer in profile.layers if layer.type in ("Sync", "Fence")]
        assert kernels.count("signal_fence") == (2 if end == "CpuRef" else 3)


def test_a_queue_waits_for_the_other(runtime: ann.Runtime, journal: Journal) -> None:
    """The host does not wait between the two."""
    network = ann.Network("chain")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_elementwise_unary(x, NEG, backend="A")
    y = network.add_addition(y, x, backend="B")
    y = network.add_addition(y, x, backend="A")
    network.add_output("y", y)
    with ann.load(network, ["A", "B"], runtime=runtime) as net:
        for factor in range(20):
            journal()
            np.testing.assert_array_equal(net.run(X * factor)["y"], X * factor)
        events = [line for line in journal() if "gone" not in line]
        assert events == ["A fence", "B waits for a fence", "B fence", "A waits for a fence",
                          "A fence"]  # fmt: skip


def test_the_host_waits_for_a_queue_that_cannot(
    tmp_path: Path, build_backend: Build, journal: Journal, meeting: Path
) -> None:
    folder = build_pair(tmp_path, build_backend, "-DNO_WAIT_FENCE")
    with ann.Runtime(folder) as runtime:
        for end in ("CpuRef", "A", "B"):
            for file in meeting.iterdir():
                file.unlink()
            with ann.load(diamond(end), ["A", "B", "CpuRef"], runtime=runtime) as net:
                np.testing.assert_array_equal(net.run(X, timeout=60)["y"], EXPECTED)
    assert count(journal(), "waits for a fence") == 0


def broken(operation: ann.UnaryOperation, backend: str) -> ann.Network:
    """A and B side by side; one of them does not go well."""
    network = ann.Network("broken")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    for name in ("A", "B"):
        y = network.add_elementwise_unary(x, NEG, backend=name)
        if name == backend:
            y = network.add_elementwise_unary(y, operation, backend=name)
        network.add_output(name.lower(), y)
    return network


@pytest.mark.parametrize("backend", ["A", "B"])
def test_a_device_that_fails(runtime: ann.Runtime, journal: Journal, backend: str) -> None:
    with ann.load(broken(ann.UnaryOperation.LOG, backend), ["A", "B"], runtime=runtime) as net:
        for _ in range(3):
            with pytest.raises(ann.ExecutionError) as caught:
                net.run(X)
            assert caught.value.backend == backend
            assert str(caught.value).splitlines()[:2] == [
                f"backend '{backend}' did not finish its layers: device lost",
                "  a job burnt",
            ]
            lines = journal()
            assert count(lines, "A flushes") == count(lines, "B flushes") == 1


@pytest.mark.parametrize("backend", ["A", "B"])
def test_stops_while_a_fence_is_pending(
    runtime: ann.Runtime, journal: Journal, backend: str
) -> None:
    """Both queues are empty when the run has ended: the buffers are the caller's again."""
    with ann.load(broken(ann.UnaryOperation.SQRT, backend), ["A", "B"], runtime=runtime) as net:
        with pytest.raises(ann.ExecutionTimeoutError):
            net.run(X, timeout=0.05)
        lines = journal()
        assert count(lines, "A flushes") == count(lines, "B flushes") == 1
        token = ann.CancelToken()
        timer = threading.Timer(0.05, token.cancel)
        timer.start()
        with pytest.raises(ann.ExecutionCancelledError):
            net.run(X, cancel=token)
        timer.join()
        assert count(journal(), "flushes") == 2


def test_fences_without_a_flush_are_refused(tmp_path: Path, build_backend: Build) -> None:
    build_pair(tmp_path, build_backend, "-DNO_FLUSH")
    with pytest.warns(ann.BackendSkippedWarning), ann.Runtime(tmp_path) as runtime:
        words = str([verdict.reason for verdict in runtime.load_report])
    assert "has 'signal_fence' but no 'after_enqueue_workload'" in words


# ---- Random networks -----------------------------------------------------------------------------


def random_network(seed: int) -> tuple[ann.Network, Callable[[np.ndarray], dict[str, np.ndarray]]]:
    """Layers on A, B and CpuRef at random, also sub-tensors, and what they compute."""
    draw = random.Random(seed)
    network = ann.Network(f"random {seed}")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    slots: list[Any] = [x]
    values: list[Callable[[np.ndarray], np.ndarray]] = [lambda a: a]
    for number in range(draw.randint(5, 30)):
        backend = draw.choice(["A", "B", "CpuRef"])
        i, k = draw.randrange(len(slots)), draw.randrange(len(slots))
        f, g = values[i], values[k]
        kind = draw.random()
        if kind < 0.1:
            whole = network.add_concat([slots[i], slots[k]], 0, name=f"concat {number}")
            halves = network.add_split(whole, 2, 0)
            slots += halves.outputs
            values += [f, g]
        elif kind < 0.4:
            slots.append(network.add_elementwise_unary(slots[i], NEG, backend=backend))
            values.append(lambda a, f=f: -f(a))
        else:
            slots.append(network.add_addition(slots[i], slots[k], backend=backend))
            values.append(lambda a, f=f, g=g: f(a) + g(a))
    ends = draw.sample(range(1, len(slots)), min(3, len(slots) - 1))
    for end in ends:
        network.add_output(f"y{end}", slots[end])
    return network, lambda a: {f"y{end}": values[end](a) for end in ends}


@pytest.mark.parametrize("kind", ["pair", "lazy_pair"])
def test_random_networks(
    request: pytest.FixtureRequest, journal: Journal, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Values are right whether devices work as early or as late as they may."""
    plans = []
    original = plan_spec.NativePlan

    def capture(spec: Any, **numbers: Any) -> Any:
        plans.append((spec, numbers["fence_count"]))
        return original(spec, **numbers)

    monkeypatch.setattr(plan_spec, "NativePlan", capture)
    with ann.Runtime(request.getfixturevalue(kind)) as runtime:
        for seed in range(60):
            network, expected = random_network(seed)
            with ann.load(network, ["A", "B", "CpuRef"], runtime=runtime) as net:
                for factor in (1, 2):
                    outputs = net.run(X * factor)
                    for name, value in expected(X * factor).items():
                        np.testing.assert_array_equal(outputs[name], value, err_msg=str(seed))
            check_memory(plans[-1][0].struct, seed)
    assert sum(fences for _, fences in plans) > 60


def check_memory(spec: Any, seed: int) -> None:
    """No step of another queue uses the arena's bytes of a row that is at work, but to read too."""
    steps = [spec.steps[i] for i in range(spec.step_count)]
    arena = abi.ARMNN_PLAN_TENSOR_ARENA

    def ranges(step: Any) -> list[tuple[int, int, bool]]:
        found = []
        for numbers, size, writes in (
            (step.inputs, step.input_count, False),
            (step.outputs, step.output_count, True),
        ):
            for number in numbers[:size]:
                if number == abi.ARMNN_PLAN_NONE:
                    continue
                tensor = spec.tensors[number]
                if tensor.kind == arena:
                    found.append((tensor.offset, tensor.offset + tensor.size, writes))
        if step.scratch_size:
            found.append((step.scratch_offset, step.scratch_offset + step.scratch_size, True))
        return found

    def is_wait(step: Any, fence: int) -> bool:
        return step.kind == abi.ARMNN_PLAN_STEP_WAIT and step.fence == fence

    def queue(step: Any) -> int | None:
        return step.execution_data_index if step.backend_context else None

    signals = {s.fence: s for s in steps if s.kind == abi.ARMNN_PLAN_STEP_SIGNAL}

    def hands_over(begin: int, end: int, signal: Any, other: int | None) -> bool:
        """Whether ``other`` waits for it, or for a later fence of the same queue."""
        later = [f for f, s in signals.items() if f >= signal.fence and queue(s) == queue(signal)]
        return any(is_wait(s, f) and queue(s) == other for s in steps[begin:end] for f in later)

    for end, signal in enumerate(steps):
        if signal.kind != abi.ARMNN_PLAN_STEP_SIGNAL:
            continue
        begin = end
        while (
            begin
            and steps[begin - 1].backend_context
            and (
                steps[begin - 1].kind == abi.ARMNN_PLAN_STEP_EXECUTE
                and queue(steps[begin - 1]) == queue(signal)
            )
        ):
            begin -= 1
        done = next(
            i
            for i, step in enumerate(steps)
            if i > end and is_wait(step, signal.fence) and not step.backend_context
        )
        row = [r for step in steps[begin:end] for r in ranges(step)]
        for position in range(end + 1, done):
            step = steps[position]
            if queue(step) == queue(signal):
                continue
            if queue(step) is not None and hands_over(end, position, signal, queue(step)):
                continue
            for first, last, writes in ranges(step):
                for other_first, other_last, other_writes in row:
                    if first < other_last and other_first < last:
                        assert (writes, other_writes) == (False, False), (seed, begin, position)
