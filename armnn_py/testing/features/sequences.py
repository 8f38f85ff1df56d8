# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runs that follow one another on networks of layers that a backend takes: state, and sizes."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, structs

from armnn_py.network import Network
from armnn_py.optimizer import AS_IT_IS, OptimizerOptions, optimize
from armnn_py.runtime import Runtime
from armnn_py.runtime.load import load
from armnn_py.tensors import TensorInfo
from armnn_py.testing.checks.subgraphs import compare_outputs, compiled_layers
from armnn_py.testing.grown.networks import grower
from armnn_py.testing.grown.tensors import MARGIN
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.testing.outcome import NotApplicableError, NotTriedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.runtime import BoundNetwork, LoadedNetwork
    from armnn_py.testing.cases import Case
    from armnn_py.testing.grown.grower import Grower, GrownNetwork
    from armnn_py.testing.grown.tensors import Tensor
    from armnn_py.testing.target import Target

_GROWN, _ENOUGH = 10, 3  # networks; of them with state, or with a size that may change
_RUNS = 3
_DRAWS = 2  # of errors
_LATER = 2.0  # times the error of the first values, for other values


class _Sequence(Struct, frozen=True):
    """A network with a variable, what each run gives, and the variable's values before it."""

    network: Network
    runs: list[GrownNetwork]
    states: list[NDArray[Any]]


def check_state(
    target: Target, seed: int, taken: Sequence[Case], on_step: Callable[[str], None]
) -> None:
    """Run networks with a variable: two that are loaded, one that is bound, set and reset.

    Raises
    ------
    CheckFailedError
        A run does not go on where the one before it in its own sequence ended.
    NotTriedError
        No network of the kit has a state that the backend computes.
    """
    tried = 0
    with (
        Runtime(enable_dynamic_backends=False, use_environment=False) as reference,
        target.runtime(with_others=True) as runtime,
    ):
        for name, grown in _grown(
            runtime, reference, target, seed, taken, on_step, with_state=True
        ):
            on_step(f"{name} on the reference, {_RUNS} times")
            known = _sequence_of(grown, reference)
            if known is None:
                continue
            both = list(dict.fromkeys([target.id, REFERENCE]))
            has_compiler = bool(runtime.backends[target.id].api.optimize_subgraph_view)
            compiled = OptimizerOptions(simplify=False)
            for options in (AS_IT_IS, compiled) if has_compiler else (AS_IT_IS,):
                way = "one by one" if options is AS_IT_IS else "compiled"
                on_step(f"{name}, {way}")
                placed = optimize(known.network, both, runtime=runtime, options=options)
                parts = compiled_layers(placed, known.network, target.id)
                tried += bool(parts) or not has_compiler
                with (
                    runtime.load_network(placed) as first,
                    runtime.load_network(placed) as second,
                    first.bind() as bound,
                ):
                    _check_turns(first, second, bound, known, f"{name} with a state, {way}")
            if tried >= _ENOUGH:
                return
    if not tried:
        raise NotTriedError("no network of the kit has a state that it computes")


def _check_turns(
    first: LoadedNetwork, second: LoadedNetwork, bound: BoundNetwork, known: _Sequence, name: str
) -> None:
    """Let one sequence run, end and go on from a value that is set; then let three take turns."""
    for one, array in known.runs[0].inputs.items():
        bound.inputs[one][...] = array
    run_first = functools.partial(first.run, known.runs[0].inputs)
    for number in range(len(known.runs)):
        _turn(run_first, known, number, name)
    first.reset_state()
    _turn(run_first, known, 0, f"{name}, after a reset")
    _turn(run_first, known, 1, f"{name}, after a reset")
    first.state["state"] = known.states[1]
    _turn(run_first, known, 1, f"{name}, after its state was set")
    first.reset_state()
    every = (run_first, functools.partial(second.run, known.runs[0].inputs), bound.run)
    others = "in turns with the same network, loaded and bound once more"
    for number in range(len(known.runs)):
        for run in every:
            _turn(run, known, number, f"{name}, {others}")


def _turn(run: Callable[[], Mapping[str, Any]], known: _Sequence, number: int, what: str) -> None:
    compare_outputs(run(), known.runs[number], f"{what}: run {number + 1} of a sequence")


def _sequence_of(grown: Grower, reference: Runtime) -> _Sequence | None:
    """Let a tensor be the variable's next value, where that changes outputs that can be compared.

    Returns the sequence, or None if no tensor does.
    """
    assert grown.state is not None
    number = grown.grown.network.layers.index(grown.state)
    for tensor in reversed(grown.tensors[1:]):
        if tensor.info != grown.state.output.info:
            continue
        network = grown.grown.network.copy()
        layer = network.layers[tensor.slot.layer.guid]
        network.assign(network.layers[number], layer.outputs[tensor.slot.index])  # type: ignore[arg-type]
        found = _runs_of(network, grown, tensor, reference)
        if found is not None:
            return found
    return None


def _runs_of(
    network: Network, grown: Grower, tensor: Tensor, reference: Runtime
) -> _Sequence | None:
    """Run a network with a state on the reference, and find what a small error of it becomes."""
    first, random = grown.grown, np.random.default_rng(1)
    runs, states, error = [first], [grown.tensors[0].value], 0.0
    placed = optimize(network, [REFERENCE], runtime=reference, options=AS_IT_IS)
    with reference.load_network(placed) as loaded:

        def run_from(state: NDArray[Any]) -> tuple[dict[str, NDArray[Any]], NDArray[Any]]:
            loaded.state["state"] = state
            outputs = {one: np.array(array) for one, array in loaded.run(first.inputs).items()}
            return outputs, np.array(loaded.state["state"])

        for number in range(_RUNS):
            outputs, after = run_from(states[-1])
            if not all(np.isfinite(one).all() for one in (*outputs.values(), after)):
                break
            own = structs.replace(grown.tensors[0], value=states[-1], error=error)
            moved = [run_from(own.disturbed(random)) for _ in range(_DRAWS)]
            errors = {
                one: _LATER * first.errors[one]
                + MARGIN * max(_distance(other[one], array) for other, _ in moved)
                for one, array in outputs.items()
            }
            if number:
                runs.append(structs.replace(first, outputs=outputs, errors=errors, means={}))
            error = _LATER * tensor.error + MARGIN * max(_distance(one, after) for _, one in moved)
            states.append(after)
    # Each run has to differ from the one before by more than errors do.
    if len(runs) < _RUNS or not all(itertools.starmap(_differ, itertools.pairwise(runs))):
        return None
    return _Sequence(network, runs, states)


def _differ(one: GrownNetwork, other: GrownNetwork) -> bool:
    return any(
        _distance(array, other.outputs[name]) > 2 * (one.errors[name] + other.errors[name])
        for name, array in one.outputs.items()
    )


def _distance(one: NDArray[Any], other: NDArray[Any]) -> float:
    return float(np.abs(one.astype(np.float64) - other).max(initial=0.0))


def check_sizes(
    target: Target, seed: int, taken: Sequence[Case], on_step: Callable[[str], None]
) -> None:
    """Run networks of which a dimension is free with one size after another.

    Raises
    ------
    CheckFailedError
        An output is not that of the size of its run.
    NotTriedError
        No network of the kit that the backend takes has a dimension that may change.
    """
    tried = 0
    with (
        Runtime(enable_dynamic_backends=False, use_environment=False) as reference,
        target.runtime(with_others=True, guard=True) as runtime,
    ):
        for name, grown in _grown(runtime, reference, target, seed, taken, on_step):
            on_step(f"{name} of other sizes on the reference")
            found = _in_sizes(grown)
            if found is None:
                continue
            axis, before, sizes = found
            tried += 1
            free = _free(grown, axis, before, sizes)
            both = list(dict.fromkeys([target.id, REFERENCE]))
            options = OptimizerOptions(simplify=False)
            with load(free, both, runtime=runtime, options=options) as loaded:
                for size in (before, *sizes, before):
                    what = f"{name}, dimension {axis} of {size} after other sizes"
                    on_step(what)
                    known = sizes.get(size, grown.grown)
                    compare_outputs(loaded.run(known.inputs), known, what)
            if tried == _ENOUGH:
                return
    if not tried:
        raise NotTriedError("no network of the kit that it takes has a dimension that may change")


def _in_sizes(grown: Grower) -> tuple[int, int, dict[int, GrownNetwork]] | None:
    """Return a dimension of inputs that may change, its size, and the network of other sizes."""
    shapes = [array.shape for array in grown.grown.inputs.values() if array.ndim]
    for axis, before in dict.fromkeys(
        (axis, shape[axis]) for shape in shapes for axis in range(len(shape))
    ):
        sizes = {size: grown.resized(axis, before, size) for size in (2 * before + 1, before + 1)}
        made = {
            size: one
            for size, one in sizes.items()
            if one is not None and one.network.inputs != grown.grown.network.inputs
        }
        if len(made) == len(sizes):
            return axis, before, made
    return None


def _free(grown: Grower, axis: int, before: int, sizes: Mapping[int, GrownNetwork]) -> Network:
    """Return a network of which a dimension is free, for these sizes."""
    networks = [grown.grown.network, *(one.network for one in sizes.values())]

    def build(infos: Mapping[str, TensorInfo]) -> Network:
        shapes = {name: info.static_shape for name, info in infos.items()}
        for network in networks:
            if {name: info.static_shape for name, info in network.inputs.items()} == shapes:
                return network.copy()
        raise NotTriedError(f"shapes {shapes} are not of the kit")

    inputs = _with_free(networks, "inputs")
    return Network.from_builder("grown", inputs, build, _with_free(networks, "outputs"))


def _with_free(networks: Sequence[Network], ends: str) -> dict[str, TensorInfo]:
    """Return the infos of inputs or outputs; dimensions that differ between networks are free."""
    found = {}
    for name, info in getattr(networks[0], ends).items():
        shapes = zip(*(getattr(one, ends)[name].static_shape for one in networks), strict=True)
        sizes = tuple(each[0] if len({*each}) == 1 else None for each in shapes)
        found[name] = TensorInfo(sizes, info.data_type, info.quantization)
    return found


def _grown(
    runtime: Runtime,
    reference: Runtime,
    target: Target,
    seed: int,
    taken: Sequence[Case],
    on_step: Callable[[str], None],
    *,
    with_state: bool = False,
) -> Iterator[tuple[str, Grower]]:
    backend = runtime.backends[target.id]
    for number in range(seed, seed + _GROWN):
        with contextlib.suppress(NotApplicableError):
            made = grower(taken, backend, reference, number, on_step, with_state=with_state)
            yield f"network {number}", made
