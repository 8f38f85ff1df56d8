# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a model and two sides to a comparison."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from armnn_py.comparing.comparison import Comparison, OutputDifference
from armnn_py.comparing.differences import Difference, difference
from armnn_py.comparing.layers import LayerComparer, LayerDifference
from armnn_py.comparing.narrowing import Finding, narrow
from armnn_py.comparing.networks import StagesSeen, network_of
from armnn_py.comparing.random_inputs import random_inputs
from armnn_py.comparing.reduce import Reducible
from armnn_py.comparing.sides import ENGINES, BackendSide, FileSide, Side, read_arrays
from armnn_py.comparing.tensors import Tensors, place_of, scaled_by
from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.optimizer.options import OptimizerOptions
from armnn_py.runtime.runtime import Runtime

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from armnn_py.comparing.sides import Arrays
    from armnn_py.frontends.registry import ModelLike
    from armnn_py.network import Network


def compare(
    model: ModelLike | Network,
    backends: Sequence[str] | str | None = None,
    *,
    reference: str | os.PathLike[str] = "CpuRef",
    inputs: Arrays | Sequence[Arrays] | None = None,
    seed: int = 0,
    shapes: Mapping[str, Sequence[int]] | None = None,
    layers: bool = False,
    factor: float = 1.0,
    times: int = 1,
    options: OptimizerOptions | None = None,
    runtime: Runtime | None = None,
    on_step: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Compare the numbers of backends with those of another backend, engine or kept result.

    Parameters
    ----------
    model
        As `load` takes it. A saved network must have no compiled sub-graphs.
    backends
        Ids of the compared backends in order of preference. Default: all, best first.
    reference
        The side that is right: the id of a backend, ``"onnxruntime"``, ``"litert"``, or the path of
        an ``.npz`` file with arrays by the names of outputs, tensors or layers. A backend computes
        the layers one by one, as the model has them.
    inputs
        Arrays by name, or a list of such inputs, of which the worst errors count. Default: those in
        the ``.npz`` file, else random ones.
    seed
        Seed of random inputs: floats in [0, 1), quantised elements over their range, other
        integers 0 and 1.
    shapes
        Shapes of inputs by name, for free dimensions that ``inputs`` does not bind.
    layers
        Also compare each tensor inside, and find the layer that causes an error.
    factor
        Multiplies the tolerances, see ``docs/tolerances.md``. An output may have the largest error
        of the layers before it, times the square root of their number.
    times
        How many times each kernel runs in a comparison of layers; the worst run counts.
    options
        Options of `optimize` for the compared backends.
    runtime
        Has the backends. Default: a new `Runtime`.
    on_step
        Called with the name of each step, for display.

    Returns
    -------
    Comparison
        ``passed`` says whether all outputs, and with ``layers`` all layers, are within the
        tolerance.

    Raises
    ------
    InvalidArgumentError
        The model has free dimensions, an input is missing, a file cannot be read, an engine does
        not run the model, or no output is on both sides.
    ModelError, BackendError, NoBackendForLayerError
        As `load`.

    Examples
    --------
    >>> import armnn_py as ann
    >>> comparison = ann.compare("model.onnx", ["CpuAcc"], reference="CpuRef", layers=True)
    >>> comparison.passed
    True
    """
    owns_runtime = runtime is None
    with contextlib.ExitStack() as stack:
        runtime = runtime or stack.enter_context(Runtime())
        on_step("reading the model")
        listed = [backends] if isinstance(backends, str) else backends
        kept = read_arrays(reference) if is_file(reference) else {}
        network, sets = _fed(model, runtime, inputs, kept, shapes, seed)
        subject = BackendSide(network, listed, runtime, options or OptimizerOptions())
        return compare_sides(
            subject, reference, sets, model, layers=layers, factor=factor, times=times,
            on_step=on_step, owns_runtime=owns_runtime,
        )  # fmt: skip


def compare_sides(
    subject: BackendSide,
    reference: str | os.PathLike[str] | BackendSide,
    sets: Sequence[dict[str, Any]],
    model: Any = None,
    *,
    layers: bool = False,
    factor: float = 1.0,
    times: int = 1,
    on_step: Callable[[str], None] = lambda _: None,
    owns_runtime: bool = False,
) -> Comparison:
    """Compare backends that have their network; see `compare`.

    Of a network in stages each stage is compared by itself, with the tensors of the reference.

    Parameters
    ----------
    subject
        The backends, and a network whose shapes are known.
    sets
        An array for each input, one or several times.
    model
        The file that another engine reads.
    owns_runtime
        Whether the runtime is closed afterwards: a reduction makes another one.
    """
    if not subject.network.stages:
        return _compare_one(
            subject, reference, sets, model, layers, factor, times, on_step, owns_runtime
        )
    if not isinstance(reference, BackendSide):
        if is_file(reference) or reference in ENGINES:
            raise InvalidArgumentError(
                f"compare: network '{subject.network.name}' runs in stages, "
                f"so that the reference must be a backend; '{reference}' given"
            )
        assert isinstance(reference, str)
        subject.runtime.backends.present([reference], asked_by="the reference")
        reference = BackendSide(subject.network, [reference], subject.runtime)
    with StagesSeen(reference) as seen:
        for inputs in sets:
            on_step(f"running {reference.name}")
            seen.run(subject.network, inputs)
    found = [
        _in_stage(
            called,
            _compare_one(
                BackendSide(network, subject.backends, subject.runtime, subject.options),
                BackendSide(network, reference.backends, reference.runtime),
                read, None, layers, factor, times, on_step, owns_runtime,
            ),
        )
        for called, (network, read) in seen.found.items()
    ]  # fmt: skip
    if not found:
        raise InvalidArgumentError(
            f"compare: network '{subject.network.name}' has no stage that a backend computes"
        )
    guilty = next((one for one in found if one.finding is not None), found[0])
    return replace(
        guilty,
        network=subject.network.name,
        inputs=len(sets),
        outputs=tuple(output for one in found for output in one.outputs),
        layers=tuple(row for one in found for row in one.layers),
    )


def _in_stage(called: str, found: Comparison) -> Comparison:
    """Return a comparison with the name of its stage before those of outputs and tensors."""
    return replace(
        found,
        outputs=tuple(replace(one, name=f"stage {called}: {one.name}") for one in found.outputs),
        layers=tuple(replace(row, tensor=f"stage {called}: {row.tensor}") for row in found.layers),
    )


def _compare_one(
    subject: BackendSide,
    reference: str | os.PathLike[str] | BackendSide,
    sets: Sequence[dict[str, Any]],
    model: Any,
    layers: bool,
    factor: float,
    times: int,
    on_step: Callable[[str], None],
    owns_runtime: bool,
) -> Comparison:
    tensors = Tensors(subject.network)
    other = _reference(reference, model, subject, tensors)
    outputs, finding, rows = _compared(
        subject, other, tensors, sets, factor, times, layers=layers, on_step=on_step
    )
    return Comparison(
        subject.network.name,
        subject.name,
        other.name,
        len(sets),
        outputs,
        rows,
        finding,
        Reducible(tensors, subject, factor, times, owns_runtime),
    )


def is_file(reference: str | os.PathLike[str]) -> bool:
    """Whether a reference is an archive of arrays."""
    return not isinstance(reference, str) or reference.endswith(".npz")


def _reference(
    reference: str | os.PathLike[str] | BackendSide,
    model: Any,
    subject: BackendSide,
    tensors: Tensors,
) -> Side:
    if isinstance(reference, BackendSide):
        return reference
    if is_file(reference):
        return FileSide(reference, tensors)
    assert isinstance(reference, str)
    if reference in ENGINES:
        return ENGINES[reference](model, tensors)
    subject.runtime.backends.present([reference], asked_by="the reference")
    return BackendSide(subject.network, [reference], subject.runtime)


def _fed(
    model: Any,
    runtime: Runtime,
    inputs: Arrays | Sequence[Arrays] | None,
    kept: Arrays,
    shapes: Mapping[str, Sequence[int]] | None,
    seed: int,
) -> tuple[Network, list[dict[str, Any]]]:
    """Return the network with known shapes, and the inputs that it is fed."""
    given: list[Arrays] = []
    if inputs is not None:
        given = [inputs] if isinstance(inputs, Mapping) else list(inputs)
        if not given:
            raise InvalidArgumentError("compare: an empty list of inputs given")
    first = dict(given[0]) if given else {}
    network = network_of(model, runtime, {**kept, **first}, shapes, in_stages=True)
    own = {name: array for name, array in kept.items() if name in network.inputs}
    sets = []
    for number, one in enumerate(given or [{}]):
        for name in one:
            if name not in network.inputs:
                raise UnknownNameError(
                    f"'{name}' is not an input of the network", name=name, valid=[*network.inputs]
                )
        known = {**network.metadata.defaults, **own, **one}
        missing = {name: info for name, info in network.inputs.items() if name not in known}
        known |= random_inputs(missing, seed + number, whole_range=True)
        sets.append({name: known[name] for name in network.inputs})
    return network, sets


def _compared(
    subject: BackendSide,
    other: Side,
    tensors: Tensors,
    sets: Sequence[dict[str, Any]],
    factor: float,
    times: int,
    *,
    layers: bool,
    on_step: Callable[[str], None],
) -> tuple[tuple[OutputDifference, ...], Finding | None, tuple[LayerDifference, ...]]:
    by_output: dict[str, list[Difference]] = {}
    tables: list[list[LayerDifference]] = []
    finding = None
    for inputs in sets:
        on_step(f"running {subject.name} and {other.name}")
        for name, found in _output_differences(subject, other, tensors, inputs, factor):
            by_output.setdefault(name, []).append(found)
        if not layers:
            continue
        comparer = LayerComparer(subject, other, tensors, factor, times)
        on_step("running each layer")
        groups, values = comparer.known_tensors(inputs)
        rows = comparer.compare(groups, inputs, values)
        tables.append(rows)
        if finding is None:
            on_step("finding the cause")
            finding = narrow(comparer, rows, inputs, values)
    outputs = tuple(
        OutputDifference(name, subject.network.outputs[name], Difference.largest(found))
        for name, found in by_output.items()
    )
    return outputs, finding, _worst_rows(tables)


def _output_differences(
    subject: BackendSide, other: Side, tensors: Tensors, inputs: Arrays, factor: float
) -> Iterator[tuple[str, Difference]]:
    found, expected = subject.outputs(inputs), other.outputs(inputs)
    slots = {
        name: layer.inputs[0]
        for name, layer in zip(found, subject.network.output_layers, strict=True)
    }
    gathered = tensors.accumulated([slot for slot in slots.values() if slot is not None])
    shared = [name for name in found if name in expected]
    if not shared:
        raise InvalidArgumentError(
            f"compare: '{other.name}' has none of the outputs",
            details=[f"outputs: {', '.join(found)}", f"it has: {', '.join([*expected][:8])}"],
        )
    for name in shared:
        slot = slots[name]
        assert slot is not None
        allowed = scaled_by(gathered[place_of(slot)], factor)
        yield name, difference(found[name], expected[name], slot.info, allowed)


def _worst_rows(tables: Sequence[Sequence[LayerDifference]]) -> tuple[LayerDifference, ...]:
    if len(tables) < 2:
        return tuple(tables[0]) if tables else ()
    return tuple(
        LayerDifference(
            same[0].tensor,
            same[0].layer,
            same[0].type,
            same[0].backend,
            Difference.largest(row.accumulated for row in same),
            Difference.largest(row.own for row in same),
            same[0].group,
        )
        for same in zip(*tables, strict=True)
    )
