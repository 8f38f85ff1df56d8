# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Placement by time over backends with memory of their own and a compiler.

Times are those of a made-up machine, so that no test depends on a clock, and the best placement is
found by trying all of them on the whole network.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

HOST = ("Input", "Output", "Constant")
ALL = ("CpuRef", "Sample_Npu", "Sample_Zero")
SHAPE = (1, 2, 2, 4)


@pytest.fixture(scope="module")
def runtime(sample_backend: Callable[[str], Path]) -> Iterator[ann.Runtime]:
    folders = [sample_backend(name).parent for name in ("sample_npu", "sample_zero")]
    with ann.Runtime(folders) as runtime:
        yield runtime


class Machine:
    """Stands for `Runtime.measure`: microseconds that add up, drawn by lot.

    A layer is told by the bound of its BoundedReLu. A value is copied once to each memory in which
    it is read and was not made. Neighbours that the compiler gets together save a little.
    """

    def __init__(self, seed: int, *, scale: float = 1.0) -> None:
        rng = random.Random(seed)
        self.layers = [{name: rng.randrange(1, 40) for name in ALL} for _ in range(16)]
        self.copies = {
            pair: rng.randrange(1, 30) * scale for pair in itertools.permutations(ALL, 2)
        }
        # Memory to memory goes by way of the host.
        for one, other in itertools.permutations(ALL[1:], 2):
            self.copies[one, other] = self.copies[one, "CpuRef"] + self.copies["CpuRef", other]
        self.fused = rng.randrange(0, 4)
        self.any_run = 7
        self.asked = 0

    def __call__(
        self, network: ann.Network, ids: Sequence[str], options: ann.OptimizerOptions
    ) -> float:
        self.asked += 1
        assert options.strategy == "preference"
        assert len(set(ids)) == len(ids)
        rules = () if options.placement is None else options.placement.rules
        places = {
            layer.name: rule.backends[0]
            for layer in network.layers
            for rule in rules
            if rule.matches(layer.name, layer.type)
        }
        return 1e-6 * self.total(network, places)

    def total(self, network: ann.Network, places: Mapping[str | None, str]) -> float:
        sum_of_all: float = self.any_run
        for layer in network.layers:
            kind = layer.type.label
            home = "CpuRef" if kind in HOST else places[layer.name]
            if kind not in HOST:
                number = int(layer.descriptor.a) if kind == "Activation" else 0
                sum_of_all += self.layers[number][home]
            if kind == "Constant":
                continue
            for slot in layer.outputs:
                readers = [
                    "CpuRef" if user.type.label in HOST else places[user.name]
                    for user in network.layers
                    if slot in user.inputs
                ]
                sum_of_all += sum(self.copies[home, to] for to in {*readers} - {home})
                if home == "Sample_Npu" and kind not in HOST:
                    sum_of_all -= self.fused * readers.count("Sample_Npu")
        return sum_of_all


def chain(seed: int, layers: int) -> ann.Network:
    rng = random.Random(seed)
    network = ann.Network(f"chain {seed}")
    x = network.add_input("x", ann.TensorInfo(SHAPE)).output
    for number in range(layers):
        x = bounded(network, x, rng, number)
    network.add_output("y", x)
    return network


def bounded(
    network: ann.Network, x: ann.OutputSlot, rng: random.Random, number: int
) -> ann.OutputSlot:
    function = ann.ActivationFunction.BOUNDED_RELU
    a = float(rng.randrange(1, 16))
    return network.add_activation(x, function, a=a, name=f"l{number}").output


def branched(seed: int, layers: int) -> ann.Network:
    """Values with several readers, some of them outputs too, and layers with two inputs."""
    rng = random.Random(seed)
    network = ann.Network(f"branched {seed}")
    pool = [network.add_input("x", ann.TensorInfo(SHAPE)).output]
    for number in range(layers):
        if number > 1 and rng.random() < 0.4:
            one, other = rng.sample(pool[-3:], 2)
            pool.append(network.add_addition(one, other, name=f"l{number}").output)
        else:
            pool.append(bounded(network, rng.choice(pool[-3:]), rng, number))
    read = {slot for layer in network.layers for slot in layer.inputs}
    for number, slot in enumerate(pool[1:]):
        if slot not in read or rng.random() < 0.15:
            network.add_output(f"y{number}", slot)
    return network


def measured(
    runtime: ann.Runtime,
    network: ann.Network,
    ids: Sequence[str],
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    cache: Path | None = None,
) -> ann.OptimizedNetwork:
    monkeypatch.setattr(runtime, "measure", machine)
    options = ann.OptimizerOptions(strategy="measure", measure_cache=cache, simplify=False)
    return ann.optimize(network, list(ids), runtime=runtime, options=options)


def least(machine: Machine, network: ann.Network, ids: Sequence[str]) -> float:
    """All placements are tried."""
    names = [layer.name for layer in network.layers if layer.type.label not in HOST]
    return min(
        machine.total(network, dict(zip(names, places, strict=True)))
        for places in itertools.product(ids, repeat=len(names))
    )


def places_of(optimized: ann.OptimizedNetwork) -> dict[str | None, str]:
    return {record.layer: record.backend for record in optimized.assignment.layers}


@pytest.mark.parametrize("scale", [0.1, 1.0])
@pytest.mark.parametrize("ids", [ALL[:2], ALL[::2], ALL], ids="+".join)
@pytest.mark.parametrize("seed", range(4))
def test_chains_are_placed_as_by_trying_all(
    runtime: ann.Runtime,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    ids: Sequence[str],
    scale: float,
) -> None:
    network, machine = chain(seed, 6), Machine(seed, scale=scale)
    optimized = measured(runtime, network, ids, machine, monkeypatch)
    found = machine.total(network, places_of(optimized))
    assert found == pytest.approx(least(machine, network, ids))


@pytest.mark.parametrize("ids", [ALL[:2], ALL[::2], ALL], ids="+".join)
@pytest.mark.parametrize("seed", range(16))
def test_branched_networks_are_placed_as_by_trying_all(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch, seed: int, ids: Sequence[str]
) -> None:
    network, machine = branched(seed, 6), Machine(seed, scale=0.4)
    optimized = measured(runtime, network, ids, machine, monkeypatch)
    found = machine.total(network, places_of(optimized))
    assert found == pytest.approx(least(machine, network, ids))


def test_a_second_time_measures_nothing(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    network, machine = branched(3, 6), Machine(3, scale=0.4)
    first = measured(runtime, network, ALL, machine, monkeypatch, tmp_path)
    assert machine.asked
    machine.asked = 0
    again = measured(runtime, network, ALL, machine, monkeypatch, tmp_path)
    assert machine.asked == 0
    assert places_of(again) == places_of(first)
    assert [r.note for r in again.assignment] == [r.note for r in first.assignment]


def test_neighbours_that_do_not_run_together_are_kept_apart(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each alone is fastest on its own device, but tensors do not get from one to the other."""
    network = chain(1, 2)
    machine = Machine(1, scale=0.0)
    first, second = (int(layer.descriptor.a) for layer in network.layers[1:3])
    machine.layers[first] = {"CpuRef": 30, "Sample_Npu": 1, "Sample_Zero": 20}
    machine.layers[second] = {"CpuRef": 30, "Sample_Npu": 20, "Sample_Zero": 1}
    places = places_of(measured(runtime, network, ALL, machine, monkeypatch))
    assert places == {"l0": "Sample_Npu", "l1": "Sample_Zero"}

    def apart(net: ann.Network, ids: Sequence[str], options: ann.OptimizerOptions) -> float | None:
        if list(ids) == ["Sample_Npu", "Sample_Zero"]:
            return None
        return machine(net, ids, options)

    monkeypatch.setattr(runtime, "measure", apart)
    options = ann.OptimizerOptions(strategy="measure", measure_cache=None, simplify=False)
    optimized = ann.optimize(network, list(ALL), runtime=runtime, options=options)
    assert places_of(optimized) in (
        {"l0": "Sample_Npu", "l1": "Sample_Npu"},
        {"l0": "Sample_Zero", "l1": "Sample_Zero"},
    )


def test_really_measured_networks_give_what_cpu_ref_gives(
    runtime: ann.Runtime, tmp_path: Path
) -> None:
    """Whatever the clock says: all places are right, and the times are kept."""
    network = branched(5, 8)
    x = np.random.default_rng(5).standard_normal(SHAPE).astype(np.float32)
    with ann.load(network, ["CpuRef"], runtime=runtime) as reference:
        expected = reference.run(x)
    options = ann.OptimizerOptions(strategy="measure", measure_cache=tmp_path)
    optimized = ann.optimize(network, list(ALL), runtime=runtime, options=options)
    assert any(record.note.startswith("measured: ") for record in optimized.assignment)
    assert list(tmp_path.iterdir())
    with runtime.load_network(optimized) as loaded:
        found = loaded.run(x)
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-6)
