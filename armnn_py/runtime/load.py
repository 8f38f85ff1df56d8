# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a model to a loaded network in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Never, Protocol

from armnn_py import environment
from armnn_py.errors import InvalidArgumentError
from armnn_py.errors.shortage import tells_shortage
from armnn_py.frontends import import_network
from armnn_py.garbage import without_collections
from armnn_py.habits import unexpected_arguments
from armnn_py.network import Network
from armnn_py.network.extra_outputs import with_extra_outputs
from armnn_py.network.saved_files import is_saved_network
from armnn_py.network.specialized import specialized
from armnn_py.optimizer import OptimizedNetwork, optimize
from armnn_py.optimizer.optimize import select_backends
from armnn_py.optimizer.placing.placement import Placement
from armnn_py.runtime.network_growth import Growth
from armnn_py.runtime.runtime import Runtime
from armnn_py.runtime.threads import limited_threads
from armnn_py.stopping import stoppable

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.frontends.registry import ModelLike
    from armnn_py.optimizer import OptimizerOptions
    from armnn_py.optimizer.placing.placement import PlacementSource
    from armnn_py.runtime.bounded.bounded_sizes import Bounds
    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.loaded_network import LoadedNetwork
    from armnn_py.runtime.network_facts import Following


class Follower(Protocol):
    """Sees the runs of a network that is loaded; `Shadow` is one."""

    backend: str

    def follow(self, loaded: LoadedNetwork, network: Network, runtime: Runtime) -> Following:
        """Return what sees the runs."""


def _as_network(model: ModelLike | Network) -> Network | None:
    """The network that was given instead of a model, if one was."""
    return model if isinstance(model, Network) else None


def _only_named(
    backends: Sequence[str] | str | None,
    placement: PlacementSource | None,
    options: OptimizerOptions | None,
) -> Sequence[str] | str | None:
    """The backends whose files are opened; None, all, where hints or rules may name others."""
    if placement is not None or options is not None:
        return None
    is_list = isinstance(backends, (list, tuple)) and all(isinstance(b, str) for b in backends)
    return backends if is_list or isinstance(backends, str) else None  # else optimize says why


def _isolated_by(
    placement: PlacementSource | None, options: OptimizerOptions | None
) -> tuple[str, ...] | None:
    """The backends that rules want isolated; None: as the environment says."""
    if placement is None:
        rules = None if options is None else options.placement
    else:
        rules = Placement.of(placement)
    return None if rules is None else rules.isolate or None


@tells_shortage("load {}")
@stoppable("load")
def load(
    model: ModelLike | Network,
    backends: Sequence[str] | str | None = None,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    format: str | None = None,
    data_folder: str | os.PathLike[str] | None = None,
    signature: str | None = None,
    subgraph: int | str | None = None,
    placement: PlacementSource | None = None,
    validate: bool = False,
    model_options: Mapping[str, Mapping[str, OptionValue]] | None = None,
    strategy: Literal["preference", "measure"] = "preference",
    options: OptimizerOptions | None = None,
    runtime: Runtime | None = None,
    plan_cache_size: int | None = None,
    plan_cache_bytes: int | None = None,
    bounds: Bounds | None = None,
    threads: int | None = None,
    extra_outputs: Sequence[str] = (),
    cache: str | os.PathLike[str] | bool | None = None,
    timeout: float | None = None,
    cancel: CancelToken | None = None,
    shadow: Follower | None = None,
    **others: Never,
) -> LoadedNetwork:
    """Import, optimise and load a model.

    Parameters
    ----------
    model
        A `Network`, or a model for `import_model`: the path of a model file (ONNX, TensorFlow
        Lite), the bytes of a model, a binary file, an ``onnx.ModelProto``. Or the path of a file
        that `OptimizedNetwork.save` wrote: it has its backends and options, so that only
        ``runtime`` may be given with it.
    backends
        Ids in order of preference; ``"AcmeNpu?"`` may be absent. Default: every loaded backend,
        best first.
    shapes
        Shapes of inputs by name, to bind free dimensions now instead of at each run.
    format, data_folder
        As `import_model` takes them: the format of the model, recognised if not given, and
        the folder of weights that are stored outside of it. Not for a `Network`.
    signature, subgraph
        As `import_model` takes them: the part of a TensorFlow Lite model that is wanted.
    placement
        Rules that say which backend runs which layer, as `optimize` takes them.
    validate, model_options, strategy
        As `optimize` takes them: checks between its steps, options of this model for the backends,
        and whether backends are chosen by preference or by measured times.
    options
        All options of `optimize` in one object; then those above must be left out.
    runtime
        The runtime to load it in. Default: a new `Runtime` that is closed together with the result.
    plan_cache_size, plan_cache_bytes
        For a network with free dimensions: for how many input shapes plans are kept, as many as
        there is room for if not given, and how many bytes these plans may take together, without
        the weights that they share; 64 MiB if not given, and 256 MiB for up to 4 shapes. The least
        recently used goes first.
    bounds
        Largest sizes of free dimensions, by name: ``{"sequence": 128}``. Dimensions without a name
        are given by input: ``{"tokens": (1, 128)}``. One plan then serves all shapes up to them, on
        CpuRef and backends that can; CpuAcc makes a plan for each shape as without. The layers must
        not depend on the sizes. `LoadedNetwork.bounded_shapes` says whether, and why not.
    threads
        Most threads of the process that a layer of this network takes, the caller's included;
        default: all, see `set_num_threads`.
    extra_outputs
        Names of tensors inside, as the model file has them, or names of layers, which are outputs
        of the network as well, under these names; a tensor is meant if there are both.
        ``"split:1"`` is the second output of a layer. A value computed at import is a constant;
        what is inside of a layer, or large and read by none, is refused.
    cache
        A folder that keeps the optimised network, so that it is imported and optimised only once;
        True for the user's cache folder. Default: as ``ARMNN_PY_CACHE`` says, else none. What is
        not kept is told at level INFO: free dimensions, weights in other files, models that are
        neither files nor bytes, backends in Python.
    timeout
        Most seconds; it stops between two steps, and in the middle of an isolated backend's work.
    cancel
        Stops it in the same way, see `CancelToken`.
    shadow
        A `Shadow`: a share of the runs is compared with a reference in the background. The network
        is then imported for each load, whatever ``cache`` says, and its weights stay in memory.

    Returns
    -------
    LoadedNetwork
        Use it in a ``with`` block, or call ``close``.

    Raises
    ------
    ModelError
        If the model cannot be read or has unsupported operators.
    BackendError
        If a backend does not take its part of a saved network any more.
    InvalidArgumentError, BackendNotFoundError, NoBackendForLayerError
        As `optimize`.
    ShortageError
        Memory, open files, threads or disk space ran out. `OutOfMemoryError` of a backend names
        it, and the layer.
    ExecutionTimeoutError, ExecutionCancelledError
        ``timeout`` passed, or ``cancel`` was used.

    Examples
    --------
    >>> import numpy as np
    >>> import armnn_py as ann
    >>> with ann.load("model.onnx") as network:
    ...     outputs = network.run({"image": np.load("image.npy")})
    >>> outputs["probabilities"].shape
    (1, 10)
    """
    if others:
        raise unexpected_arguments("load()", others)
    growth = Growth(has_weights=isinstance(model, Network))
    is_saved = is_saved_network(model)
    given_network = None if is_saved else _as_network(model)
    if is_saved:
        given = {
            "backends": backends, "shapes": shapes, "format": format, "data_folder": data_folder,
            "signature": signature, "subgraph": subgraph, "placement": placement,
            "validate": validate or None, "model_options": model_options,
            "strategy": None if strategy == "preference" else strategy, "options": options,
            "bounds": bounds, "extra_outputs": list(extra_outputs) or None, "shadow": shadow,
        }  # fmt: skip
        for name, value in given.items():
            if value is not None:
                raise InvalidArgumentError(
                    f"load: {name} given with a saved network, which has its backends and options",
                    hints=["save it anew with others, or load the model that it was made from"],
                )
    elif given_network is not None:
        of_a_file = {
            "format": format, "data_folder": data_folder, "signature": signature,
            "subgraph": subgraph,
        }  # fmt: skip
        for name, value in of_a_file.items():
            if value is not None:
                raise InvalidArgumentError(
                    f"{name} given with a Network, a model file or its bytes expected"
                )
    place = cache
    if shadow is not None:
        place = False
    elif cache is None and (runtime is None or runtime._uses_environment):
        place = environment.network_cache()
    owns_runtime = runtime is None
    if runtime is None:
        named = _only_named(backends, placement, options) if given_network is None else None
        if shadow is not None and named is not None:
            named = [*([named] if isinstance(named, str) else named), shadow.backend]
        runtime = Runtime(backends=named, isolate=_isolated_by(placement, options))

    sources: list[Network] = []

    def make(*, is_kept: bool = True) -> OptimizedNetwork:
        if given_network is not None:
            network = given_network
            if shapes is not None:
                network = specialized(given_network, shapes)
        else:
            network = import_network(
                model,  # type: ignore[arg-type]
                shapes=shapes,
                format=format,
                data_folder=data_folder,
                signature=signature,
                subgraph=subgraph,
                backends=tuple(runtime.backends.values()),
                # A network that is kept, or has outputs inside of loops, has turns as layers.
                keeps_loops=not is_kept and not extra_outputs,
            )
        if extra_outputs:
            network = with_extra_outputs(network, extra_outputs)
        # An imported network has no other owner: weights that passes copy or drop are freed.
        given = is_kept or given_network is not None or network.is_dynamic or shadow is not None
        if shadow is not None:
            sources.append(network)
        network._gives_up_values = not given and not runtime.is_followed(None)
        with limited_threads(threads):
            return optimize(
                network,
                backends,
                runtime=runtime,
                placement=placement,
                validate=validate,
                model_options=model_options,
                strategy=strategy,
                options=options,
            )

    try:
        if is_saved:
            optimized = OptimizedNetwork.load(model, runtime=runtime)  # type: ignore[arg-type]
        elif place not in (None, False) and bounds is None and not extra_outputs:
            arguments = {
                "backends": backends, "shapes": shapes, "format": format,
                "data_folder": data_folder, "signature": signature, "subgraph": subgraph,
                "placement": placement, "model_options": model_options, "strategy": strategy,
                "options": options,
            }  # fmt: skip

            from armnn_py.runtime.network_cache import through_cache

            optimized = through_cache(place, model, arguments, runtime, make)
            if backends is not None and not optimized.skipped:  # of the cache
                optimized.skipped = select_backends(backends, runtime.backends)[1]
        else:
            optimized = make(is_kept=bounds is not None)
        optimized.forget_sources(keeps_given=runtime.is_followed(None))  # it is never saved
        with without_collections():  # modules are imported
            loaded = runtime._load(
                optimized,
                plan_cache_size=plan_cache_size,
                plan_cache_bytes=plan_cache_bytes,
                owns_runtime=owns_runtime,
                bounds=bounds,
                threads=threads,
            )
        loaded._growth = growth.end()
        if shadow is not None:
            try:
                loaded.shadow = shadow.follow(loaded, sources[0], runtime)
            except BaseException:
                loaded.close()
                raise
        return loaded
    except BaseException:
        if owns_runtime:
            runtime.close()
        raise
