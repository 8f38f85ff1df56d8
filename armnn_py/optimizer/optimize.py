# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a network to one in which every layer has its backend."""

from __future__ import annotations

import logging
import reprlib
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from armnn_py.backends import ModelOptions
from armnn_py.backends.options.model_options import mapping_of, warn_of_unused
from armnn_py.device_ids import canonical_id, without_ids
from armnn_py.errors import BackendNotFoundError, InvalidArgumentError
from armnn_py.errors.shortage import tells_shortage
from armnn_py.network import Network
from armnn_py.optimizer.host import Host
from armnn_py.optimizer.optimized import OptimizedNetwork
from armnn_py.optimizer.options import OptimizerOptions
from armnn_py.optimizer.placing.placement import Placement
from armnn_py.optimizer.placing.placer import Placer
from armnn_py.optimizer.placing.placer_settings import PlacerSettings
from armnn_py.optimizer.run_passes import check_pass_names
from armnn_py.stopping import stoppable
from armnn_py.text import printable

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.backends.backend import Backend
    from armnn_py.backends.registry import BackendRegistry, Skipped
    from armnn_py.optimizer.placing.placement import PlacementSource
    from armnn_py.stopping import Token

__all__ = ["OptimizedNetwork", "optimize", "select_backends"]

_log = logging.getLogger("armnn_py.optimizer")


@tells_shortage("optimise the network")
@stoppable("optimize")
def optimize(
    network: Network,
    backends: Sequence[str] | str | None = None,
    *,
    runtime: Host,
    placement: PlacementSource | None = None,
    disabled_passes: Iterable[str] = (),
    reduce_fp32_to_fp16: bool = False,
    debug: bool = False,
    validate: bool = False,
    model_options: Mapping[str, Mapping[str, OptionValue]] | None = None,
    strategy: Literal["preference", "measure"] = "preference",
    measure_cache: str | os.PathLike[str] | bool | None = True,
    options: OptimizerOptions | None = None,
    timeout: float | None = None,
    cancel: Token | None = None,
) -> OptimizedNetwork:
    """Prepare a network for loading: check it and give each layer a backend.

    Parameters
    ----------
    network
        Stays as it is; the result holds a copy.
    backends
        Ids in order of preference; for each layer the first one that supports it wins. Only listed
        backends are used, except that a layer may ask for another loaded one by its own hint.
        ``"AcmeNpu:1"`` is the second device of a backend. ``"AcmeNpu?"`` may be absent: it is then
        skipped, with its model options, and ``.assignment.skipped`` says why. Default: the first
        device of every loaded backend, best score first, a reference as ``CpuRef`` last.
    runtime
        The runtime that has the backends.
    placement
        Rules that say which backend runs which layer: a `Placement`, a mapping of name patterns to
        backends, a list of rules, or the path of a TOML file.
    disabled_passes
        Names of simplifying passes that are left out.
    reduce_fp32_to_fp16, debug, validate, model_options, strategy, measure_cache
        See `OptimizerOptions`.
    options
        All of these in one object; then the others must be left out.
    timeout
        Most seconds; it stops between two steps, and in the middle of an isolated backend's work.
    cancel
        Stops it in the same way, see `CancelToken`.

    Returns
    -------
    OptimizedNetwork
        With ``.assignment``: the backend of each layer and the refusals of earlier ones. The layers
        of a network with free dimensions are assigned when the dimensions are bound, at
        `OptimizedNetwork.specialize` or at the first run with a shape; a layer that no listed
        backend takes at any size is refused now.

    Raises
    ------
    InvalidArgumentError
        If the list is empty, the runtime has no backends or the strategy is unknown.
    BackendNotFoundError
        If a listed id without ``?`` is not loaded, or none is; lists the verdicts and the searched
        folders.
    GraphValidationError
        If the network is not well formed.
    NoBackendForLayerError
        If no listed backend takes a layer; lists all such layers with all reasons.
    OutOfMemoryError
        If a backend runs out of memory: its layers are not placed elsewhere.
    ExecutionTimeoutError, ExecutionCancelledError
        If ``timeout`` passed, or ``cancel`` was used.

    Examples
    --------
    >>> import armnn_py as ann
    >>> network = ann.import_model("model.onnx")
    >>> with ann.Runtime() as runtime:
    ...     optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
    >>> optimized.assignment.counts
    {'CpuRef': 12}
    """
    # Imported here: some forty modules that only this function needs, and builders.

    if not isinstance(network, Network):
        raise InvalidArgumentError(
            f"optimize: {type(network).__name__} given, Network expected",
            hints=["import_model(path) makes a network from a file"],
        )
    if not isinstance(runtime, Host):
        raise InvalidArgumentError(
            f"optimize: {type(runtime).__name__} given as runtime, Runtime expected",
            hints=["with armnn_py.Runtime() as runtime: ..."],
        )
    runtime.check_open()
    chosen, skipped = select_backends(backends, runtime.backends)
    given = OptimizerOptions(
        placement=None if placement is None else _rules_of(placement),
        disabled_passes=check_pass_names(disabled_passes),
        reduce_fp32_to_fp16=reduce_fp32_to_fp16,
        debug=debug,
        validate=validate,
        model_options={} if model_options is None else model_options,
        strategy=strategy,
        measure_cache=measure_cache,
    )
    if options is None:
        options = given
    elif not isinstance(options, OptimizerOptions):
        raise InvalidArgumentError(
            f"optimize: {type(options).__name__} given as options, OptimizerOptions expected"
        )
    elif given != OptimizerOptions():
        raise InvalidArgumentError(
            "optimize: options= given together with single options",
            hints=["dataclasses.replace(options, validate=True) changes one of them"],
        )

    if options.placement is not None:
        options.placement.check_isolated(runtime.backends)
        rules, absent = options.placement.of_present(runtime.backends)
        options = replace(options, placement=rules)
        skipped = {**runtime.backends.present([f"{one}?" for one in absent])[1], **skipped}
    if skipped:
        model_options = without_ids(mapping_of(options.model_options, "model_options"), skipped)
        options = replace(options, model_options=model_options)
        for name, why in skipped.items():
            _log.info("backend '%s' is skipped: %s", printable(name), printable(why))
    ModelOptions(options.model_options, runtime.backends)  # reports wrong ones now
    if options.placement is None:  # its rules may name any backend
        hinted = (layer.backend_hint for layer in network.layers if layer.backend_hint)
        used = dict.fromkeys([*(backend.id for backend in chosen), *map(canonical_id, hinted)])
        warn_of_unused("model_options", options.model_options, used)
    # A call without backends= asks for nothing, so a fallback needs no warning.
    level = logging.INFO if backends is None else logging.WARNING
    if options.strategy not in ("preference", "measure"):
        raise InvalidArgumentError(
            f"strategy: {reprlib.repr(options.strategy)} given, 'preference' or 'measure' expected"
        )

    place = Placer(PlacerSettings(chosen, runtime, options, level))
    place.check_on_trial(network)
    return OptimizedNetwork(network, chosen, runtime, options, place, skipped)


def _rules_of(placement: PlacementSource) -> Placement:
    return Placement.of(placement)


def select_backends(
    backends: Sequence[str] | str | None, registry: BackendRegistry
) -> tuple[list[Backend], Skipped]:
    """Turn a list of ids into backends, without repeats and in order, and those skipped."""
    if backends is None:
        if not registry:
            raise _nothing_loaded(registry)
        return [registry[name] for name in registry.by_preference], {}
    try:
        given = iter([backends] if isinstance(backends, str) else backends)
    except TypeError:
        raise InvalidArgumentError(
            f"backends: {type(backends).__name__} given, a list of backend ids expected",
            hints=["backends=['CpuRef']"],
        ) from None
    ids = []
    for name in given:
        if not isinstance(name, str):
            raise InvalidArgumentError(
                f"a backend id is a str, not {type(name).__name__}: {reprlib.repr(name)}"
            )
        ids.append(name)
    if not ids:
        raise InvalidArgumentError(
            "the list of backends is empty",
            hints=["name at least one, or pass None for all loaded backends"],
        )
    present, skipped = registry.present(ids, asked_by=f"backends={ids!r}")
    if not present:
        raise BackendNotFoundError(
            "no backend of the list is loaded",
            loaded=tuple(registry),
            verdicts=tuple(registry.load_report),
            details=[f"{name}: {why}" for name, why in skipped.items()],
            hints=["end the list with a backend that is always there, as 'CpuRef' is"],
        )
    found = (registry[name] for name in present)
    return list({backend.id: backend for backend in found}.values()), skipped


def _nothing_loaded(registry: BackendRegistry) -> BackendNotFoundError:
    return BackendNotFoundError(
        "no backend is loaded",
        verdicts=registry.load_report,
        details=[str(verdict) for verdict in registry.load_report] or ["no files were found"],
        hints=["'armnn-py backends list -v' shows every file and why it was refused"],
    )
