# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shared by ``run``, ``bench`` and ``profile``: a loaded network and its inputs."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from armnn_py.cli.inputs import inputs as files
from armnn_py.cli.inputs import pictures
from armnn_py.cli.model_arguments import read_options
from armnn_py.cli.networks import AssumedShapes, parse_bounds, read_network, with_batch
from armnn_py.errors import ArmnnError, BackendError, InvalidArgumentError
from armnn_py.network.specialized import specialized
from armnn_py.runtime.bounded.bounded_sizes import read_bounds
from armnn_py.tensors import TensorInfo

if TYPE_CHECKING:
    from armnn_py import LoadedNetwork, Network, Runtime
    from armnn_py.cli.app import Session
    from armnn_py.cli.model_arguments import ModelArguments
    from armnn_py.runtime.bounded.bounded_sizes import Bounds

_log = logging.getLogger("armnn_py.cli")
_STEP = 32


class Prepared(Struct, eq=False):
    """A network that can run, and how long loading took.

    Attributes
    ----------
    runtime
        Closed at the end of the block.
    source
        The network as it was imported, with the shapes of the inputs.
    network
        The loaded network.
    arrays
        An array for each input.
    assumed
        Shapes of inputs that `with_batch` assumed.
    load_seconds
        From the model file to a network that can run, reading of inputs left out.
    run_options
        Options of each run, or None.
    """

    runtime: Runtime
    source: Network
    network: LoadedNetwork
    arrays: dict[str, files.Array]
    assumed: AssumedShapes
    load_seconds: float
    run_options: dict[str, dict[str, Any]] | None

    def run(self) -> dict[str, files.Array]:
        """Run once."""
        return self.network.run(self.arrays, options=self.run_options)


class Fed(Struct, eq=False):
    """A network with the shapes of its inputs, and these; not loaded yet.

    Attributes
    ----------
    runtime
        Closed at the end of the block.
    whole
        With limits the network as it was imported; else ``network``, which has the shapes.
    arrays, assumed
        As in `Prepared`.
    """

    runtime: Runtime
    whole: Network
    network: Network
    arrays: dict[str, files.Array]
    assumed: AssumedShapes


@contextlib.contextmanager
def fed(
    session: Session,
    given: ModelArguments,
    arguments: Sequence[str],
    *,
    seed: int | None,
    options: files.ImageOptions | None = None,
    limits: Bounds | None = None,
    quantize: bool = False,
    known: Mapping[str, files.Array] | None = None,
    also: Sequence[str] = (),
    clock: contextlib.AbstractContextManager[None] | None = None,
) -> Iterator[Fed]:
    """Give the model with inputs from files or, with a seed, random ones; see `prepared`.

    ``known`` has further arrays, for inputs that no file is given for. ``also`` names backends that
    the runtime needs beside those of the model.
    """
    clock = clock or _Clock()
    listed = given.wanted and (*given.wanted, *also)
    with _closing(session.runtime(listed, isolate=given.isolated)) as runtime:
        with session.progress(f"reading {given.name}"), clock:
            network = read_network(given.model, given.shapes, None, given.part, runtime=runtime)
        wanted = _real_infos(network.inputs) if quantize else network.inputs
        arrays = files.read_inputs(arguments, wanted, options or files.ImageOptions())
        kept = {name: array for name, array in (known or {}).items() if name in network.inputs}
        arrays = {**network.metadata.defaults, **kept, **arrays}
        missing = [name for name in network.inputs if name not in arrays]
        assumed = AssumedShapes()
        if missing and seed is None:
            raise InvalidArgumentError(
                f"no array for input '{missing[0]}'",
                details=[f"inputs: {', '.join(network.inputs)}"],
                hints=[f"-i {missing[0]}=FILE, or --random 0"],
            )
        whole = network
        with session.progress(f"reading {given.name}"), clock:
            if limits and missing and network.is_dynamic:
                network = network.specialize(_largest(network.inputs, limits), arrays)
            elif missing and network.is_dynamic:
                if arrays:  # their shapes may bind free dimensions of other inputs
                    shapes = {name: array.shape for name, array in arrays.items()}
                    with _size_hint(arguments, network.inputs, shapes):
                        network = read_network(
                            given.model, given.shapes, shapes, given.part, runtime=runtime
                        )
                network, assumed = with_batch(network)
        if seed is not None:
            infos = {name: network.inputs[name] for name in missing}
            arrays |= files.made_inputs(_real_infos(infos) if quantize else infos, seed)
        if quantize:
            arrays = {
                name: network.inputs[name].quantize(array)
                if network.inputs[name].quantization and array.dtype.kind == "f"
                else array
                for name, array in arrays.items()
            }
        with session.progress(f"reading {given.name}"), clock:
            if network.is_dynamic:
                shapes = {name: array.shape for name, array in arrays.items()}
                with _size_hint(arguments, network.inputs, shapes):
                    network = specialized(network, shapes, arrays)
        if not limits:  # what has no shapes, and its weights, can go
            whole = network
        yield Fed(runtime, whole, network, arrays, assumed)


@contextlib.contextmanager
def prepared(
    session: Session,
    given: ModelArguments,
    arguments: Sequence[str],
    *,
    seed: int | None,
    options: files.ImageOptions | None = None,
    run_options: Sequence[str] = (),
    bounds: Sequence[str] = (),
    quantize: bool = False,
) -> Iterator[Prepared]:
    """Give the model, loaded, with inputs from files or, with a seed, random ones.

    With ``bounds`` random inputs have the largest shapes that these allow. With ``quantize`` the
    inputs are real numbers, which are quantised where the network takes quantised ones.

    Raises
    ------
    InvalidArgumentError
        An input cannot be read or made, or an option is not understood.
    ModelError, BackendError, NoBackendForLayerError
        As `armnn_py.load`.
    """
    clock = _Clock()
    limits = parse_bounds(bounds)
    with fed(
        session, given, arguments, seed=seed, options=options, limits=limits, quantize=quantize,
        clock=clock,
    ) as ready:  # fmt: skip
        runtime, network = ready.runtime, ready.network
        # Nothing reads the values of its constants again: passes that copy weights free them.
        network._gives_up_values = not (limits or network.is_dynamic or runtime.is_followed(None))
        with session.progress(f"loading {given.name}"), clock:
            optimized = given.placed(ready.whole if limits else network, runtime)
            optimized.forget_sources(keeps_given=runtime.is_followed(None))
            loaded = runtime.load_network(optimized, bounds=limits or None)
        own = read_options("run", run_options, [one.id for one in optimized.backends], runtime)
        yield Prepared(
            runtime=runtime,
            source=network,
            network=loaded,
            arrays=ready.arrays,
            assumed=ready.assumed,
            load_seconds=clock.seconds,
            run_options=own or None,
        )


@contextlib.contextmanager
def _size_hint(
    arguments: Sequence[str],
    infos: Mapping[str, TensorInfo],
    shapes: Mapping[str, Sequence[int]],
) -> Iterator[None]:
    """Add to an error of shapes that ``--size`` gives a picture another size.

    Most networks take sides that are multiples of 32: they halve them five times.
    """
    try:
        yield
    except ArmnnError as error:
        is_picture = any(
            argument.lower().endswith(tuple(pictures.SUFFIXES)) for argument in arguments
        )
        for name, shape in shapes.items():
            sides = [size for size, dim in zip(shape, infos[name].shape, strict=False) if not dim]
            if is_picture and len(shape) in (3, 4) and len(sides) >= 2:
                height, width = (-(-side // _STEP) * _STEP for side in sides[-2:])
                if [height, width] != sides[-2:]:
                    error.hints = (
                        f"--size {height}x{width} stretches the picture to sides that most "
                        f"networks take: multiples of {_STEP}",
                        *error.hints,
                    )
                    break
        raise


def _real_infos(infos: Mapping[str, TensorInfo]) -> dict[str, TensorInfo]:
    """Return the infos of inputs with floats in place of quantised numbers."""
    return {
        name: TensorInfo(info.shape, dimension_names=info.dimension_names)
        if info.quantization
        else info
        for name, info in infos.items()
    }


def _largest(infos: Mapping[str, TensorInfo], limits: Bounds) -> dict[str, list[int]]:
    """Return the shapes of inputs under their bounds."""
    shapes: dict[str, list[Any]] = {name: list(info.shape) for name, info in infos.items()}
    for size in read_bounds(infos, limits):
        for name, axis in size.places:
            shapes[name][axis] = size.bound
    return shapes


class _Clock:
    """Adds up the seconds of ``with`` blocks."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._start


@contextlib.contextmanager
def _closing(runtime: Runtime) -> Iterator[Runtime]:
    """Close the runtime at the end; a veto is logged, and the answer stays as it is."""
    try:
        yield runtime
    finally:
        try:
            runtime.close()
        except BackendError as error:
            _log.warning("%s", error)
