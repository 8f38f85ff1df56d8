# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sub-graphs: networks, compiled, cut, saved and not, give what the reference gives."""

from __future__ import annotations

import contextlib
import functools
import itertools
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from armnn_py.comparing.compare import compare_sides
from armnn_py.comparing.groups import constant_layers
from armnn_py.comparing.sides import BackendSide
from armnn_py.errors import ArmnnError, BackendUnavailableError
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.optimizer import AS_IT_IS, OptimizedNetwork, OptimizerOptions, optimize
from armnn_py.runtime import Runtime
from armnn_py.testing.checks.reentrance import check_all, run_apart
from armnn_py.testing.grown.grower import Grower, GrownNetwork
from armnn_py.testing.grown.networks import grower
from armnn_py.testing.grown.tensors import mean_errors, zero_of
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.testing.outcome import NotApplicableError
from armnn_py.testing.random_networks import random_network
from armnn_py.testing.spreading import random_inputs, scatter
from armnn_py.types import DataType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.network import Network
    from armnn_py.runtime import LoadedNetwork
    from armnn_py.tensors import TensorInfo
    from armnn_py.testing.cases import Case
    from armnn_py.testing.target import Target

#: Of the largest absolute value of an output of a random network; 70 layers add their errors up.
TOLERANCE = 1e-4
#: Of the tolerances, where the first wrong layer is looked for.
_FACTOR = 3.0
_ROUNDS = 4  # of each thread
_RANDOM, _GROWN = "random network", "network"


def network_names(random: int, grown: int, seed: int) -> list[str]:
    """Return the names of so many networks of patterns, and of layers that the backend takes."""
    names = [f"{_RANDOM} {seed + number}" for number in range(random)]
    return names + [f"{_GROWN} {seed + number}" for number in range(grown)]


def check_subgraphs(
    target: Target, name: str, cases: Sequence[Case], on_step: Callable[[str], None]
) -> int | None:
    """Run a network in several ways.

    Parameters
    ----------
    target
        The backend under test.
    name
        One of `network_names`.
    cases
        Layers that the backend takes, for a grown network.
    on_step
        Called with what is under way.

    Returns
    -------
    int or None
        How many sub-graphs of two layers and more were compiled; None: the backend has no compiler.

    Raises
    ------
    CheckFailedError
        An output differs, or the same network run again gives something else.
    NotApplicableError
        The backend takes no layer of the network.
    """
    what, _, number = name.rpartition(" ")
    seed = int(number)
    on_step("loading the backend")
    compiled, is_tried = 0, False
    with (
        Runtime(enable_dynamic_backends=False, use_environment=False) as reference,
        target.runtime(with_others=True) as runtime,
        contextlib.ExitStack() as stack,
    ):
        backend = runtime.backends[target.id]
        grown: Grower | None = None
        if what == _RANDOM:
            on_step("the reference")
            known = _random(reference, seed)
        else:
            grown = grower(cases, backend, reference, seed, on_step)
            known = grown.grown
        both = (target.id, REFERENCE)
        devices = [target.id, *other_devices(runtime, target.id)]
        has_compiler = bool(backend.api.optimize_subgraph_view)
        other = grown.with_other_constants() if grown is not None and has_compiler else None
        kept: list[_Kept] = []  # the first that is compiled, then the other device's
        for way, known_now, plan in _ways(known, other, devices, seed):
            on_step(way)
            spread, backends, options = plan
            placed = optimize(spread, backends, runtime=runtime, options=options)
            is_tried = is_tried or target.id in placed.placed.layer_backends
            parts = compiled_layers(placed, spread, *backends)
            compiled += len(parts)
            with contextlib.ExitStack() as unload:
                loaded = unload.enter_context(runtime.load_network(placed))
                cause = functools.partial(_cause, runtime, known_now, plan)
                _compare(loaded, known_now, f"{name}, {way}", cause)
                for first in kept[:1]:
                    on_step(f"the first compiled one, loaded beside it: {way}")
                    where = f"{name}, {first.way}; loaded beside it: {way}"
                    cause = functools.partial(_in_parts, first.parts)
                    _compare(first.loaded, first.known, where, cause)
                if (parts and not kept) or backends[0] not in both:
                    kept.append(_Kept(loaded, known_now, way, parts))
                    stack.push(unload.pop_all())
        on_step("saved and loaded")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "network.armnnpy")
            placed.save(path)
            saved = OptimizedNetwork.load(path, runtime=runtime, in_place=False)
        with runtime.load_network(saved) as loaded:
            _compare(loaded, known, f"{name}, {way}, saved and loaded")
            if kept:
                on_step("threads run it at once")
                networks = [*(one.loaded for one in kept), loaded]
                _check_at_once(networks, known, name, kept[0].parts)
    if not is_tried:
        raise NotApplicableError(f"it takes no layer of {name}")
    return compiled if has_compiler else None


def other_devices(runtime: Runtime, backend: str) -> list[str]:
    """Return the id of another device of a backend that can be opened now; empty without one."""
    for device in runtime.backends[backend].devices:
        with contextlib.suppress(BackendUnavailableError):
            if device.id != backend and runtime.backends[device.id]:
                return [device.id]
    return []


def compiled_layers(
    placed: OptimizedNetwork, network: Network, *backends: str
) -> list[tuple[str, ...]]:
    """Return the names of the layers that backends made one of, two or more each."""
    constants = constant_layers(network)
    found = []
    for guid, origins in placed.placed.origins.items():
        names = [network.layers[one].name for one in origins if one not in constants]
        if placed.placed.layer_backends[guid] in backends and len(names) > 1:
            found.append(tuple(names))
    return found


def _random(reference: Runtime, seed: int) -> GrownNetwork:
    network = random_network(seed)
    inputs = random_inputs(network, seed)
    plain = optimize(network, [REFERENCE], runtime=reference, options=AS_IT_IS)
    with reference.load_network(plain) as loaded:
        outputs = {name: np.array(array) for name, array in loaded.run(inputs).items()}
    errors = {
        name: TOLERANCE * (float(np.abs(array).max()) or 1.0) for name, array in outputs.items()
    }
    return GrownNetwork(network, DataType.FLOAT32, inputs, outputs, errors)


_Plan = tuple["Network", list[str], OptimizerOptions]
_Part = tuple[str, ...]


class _Kept(NamedTuple):
    """A network that stays loaded."""

    loaded: LoadedNetwork
    known: GrownNetwork
    way: str
    parts: Sequence[_Part]


def _compare(
    loaded: LoadedNetwork, known: GrownNetwork, what: str, cause: Callable[[], str] = lambda: ""
) -> None:
    for turn in ("first", "second"):
        outputs = loaded.run(known.inputs)
        compare_outputs(outputs, known, what, f" of the {turn} run", cause)


def compare_outputs(
    outputs: Mapping[str, Any],
    known: GrownNetwork,
    what: str,
    of_run: str = "",
    cause: Callable[[], str] = lambda: "",
) -> None:
    """Compare the outputs of a run with those of the reference.

    Raises
    ------
    CheckFailedError
        An element differs by more than it may; the message has ``what`` and ``of_run``, and why
        by ``cause``.
    """
    for name, expected in known.outputs.items():
        found = np.array(outputs[name])
        words = _difference(found, expected, known.errors[name]) or _mean_difference(
            found, expected, known.means.get(name), known.network.outputs[name]
        )
        if words:
            raise CheckFailedError(
                f"{what}: output '{name}'{of_run}: {words}{cause()}",
                found=found,
                expected=expected,
                **{f"input_{one}": array for one, array in known.inputs.items()},
            )


def _check_at_once(
    networks: Sequence[LoadedNetwork], known: GrownNetwork, name: str, parts: Sequence[_Part]
) -> None:
    """Run each network on two sets of inputs at once: each gives what it gives alone."""
    others = {one: np.flip(array).copy() for one, array in known.inputs.items()}
    what = f"threads run {name}, every layer compiled, at once{_in_parts(parts)}"
    expected = []
    for network, inputs in itertools.product(networks, (known.inputs, others)):
        run = functools.partial(_outputs, network, inputs)
        expected.append((run, run()))
    check_all([run_apart(run, outputs, _ROUNDS, what) for run, outputs in expected])


def _outputs(loaded: LoadedNetwork, inputs: dict[str, NDArray[Any]]) -> list[NDArray[Any]]:
    return [np.array(array) for array in loaded.run(inputs).values()]


def _difference(found: NDArray[Any], expected: NDArray[Any], allowed: float) -> str:
    """Say by how much an output is off; empty if it is not."""
    if found.shape != expected.shape:
        return f"shape {found.shape}, {expected.shape} expected"
    with np.errstate(invalid="ignore"):
        error = np.abs(found.astype(np.float64) - expected.astype(np.float64))
    error = np.asarray(np.nan_to_num(error, nan=np.inf, posinf=np.inf))
    if not error.size or error.max() <= allowed:
        return ""
    place = np.unravel_index(int(error.argmax()), error.shape)
    index = ", ".join(map(str, place))
    return f"[{index}] is {found[place]}, {expected[place]} expected (within {allowed:.2g})"


def _mean_difference(
    found: NDArray[Any], expected: NDArray[Any], allowed: float | None, info: TensorInfo
) -> str:
    """Say by how much the mean of an output is off; empty if it is not, or nothing is known."""
    if allowed is None:
        return ""
    (mean, outward), count = mean_errors(found, expected, zero_of(info))
    off, way = max(
        (abs(mean), "too high" if mean > 0 else "too low"),
        (abs(outward), "too far from 0" if outward > 0 else "too near to 0"),
    )
    if off <= allowed:
        return ""
    return (
        f"elements are {off:.2g} {way} in the mean of {count} different numbers, {allowed:.2g} is "
        "allowed: a layer does not round to the nearest step"
    )


def _cause(runtime: Runtime, known: GrownNetwork, plan: _Plan) -> str:
    """Name the first layer or tensor that is wrong, and the sub-graph that it is in."""
    network, backends, options = plan
    subject = BackendSide(network, backends, runtime, options)
    try:
        finding = compare_sides(
            subject, REFERENCE, [known.inputs], layers=True, factor=_FACTOR
        ).finding
    except ArmnnError as error:
        return f"; the layer is not found: {error.message}"
    placed = optimize(network, backends, runtime=runtime, options=options)
    if finding is None:
        parts = compiled_layers(placed, network, *backends)
        where = _in_parts(parts) if parts else ""
        return f"; each layer and each sub-graph alone is within its tolerance{where}"
    wrong = {layer.name for layer in finding.group.layers}
    whole = next(
        (one for one in compiled_layers(placed, network, *backends) if wrong & {*one}), None
    )
    return f"; {finding}{'' if whole is None else _in_parts([whole])}"


def _in_parts(parts: Sequence[_Part]) -> str:
    """Name compiled sub-graphs in which something is wrong."""
    names = (f"of {len(part)} layers, '{part[0]}' to '{part[-1]}'" for part in parts)
    return f"; in the compiled sub-graph {' or '.join(names)}"


def _ways(
    known: GrownNetwork, other: GrownNetwork | None, devices: Sequence[str], seed: int
) -> Iterator[tuple[str, GrownNetwork, _Plan]]:
    """Give ways to run a network, or the ``other`` one, which has other constants."""
    network, compiled, layers = known.network, OptimizerOptions(simplify=False), AS_IT_IS
    both = list(dict.fromkeys([devices[0], REFERENCE]))
    yield "every layer that it takes, one by one", known, (network, both, layers)
    yield "every layer that it takes, compiled", known, (network, both, compiled)
    if other is not None:
        yield "compiled with other constants", other, (other.network, both, compiled)
    for device in devices[1:]:
        there = other or known
        way = f"every layer that '{device}' takes, compiled"
        yield way, there, (there.network, [device, REFERENCE], compiled)
        mixed = scatter(network, [device, *both], seed)
        way = "cut at random between devices"
        yield f"{way}, one by one", known, (mixed, [*both, device], layers)
        yield f"{way}, compiled", known, (mixed, [*both, device], compiled)
    cut = scatter(network, both, seed)
    yield "cut at random, one by one", known, (cut, both, layers)
    yield "cut at random, compiled", known, (cut, both, compiled)
    yield "simplified and compiled", known, (network, both, OptimizerOptions())
