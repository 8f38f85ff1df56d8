# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Placing the networks of one `OptimizedNetwork`, shape by shape."""

from __future__ import annotations

import dataclasses
import logging
from itertools import product
from typing import TYPE_CHECKING, Any

from armnn_py.backends import ModelOptions
from armnn_py.backends.questions.layer_support import LayerSupport
from armnn_py.errors import ArmnnError, NoBackendForLayerError
from armnn_py.garbage import without_collections
from armnn_py.network.conversions import kept_trial
from armnn_py.optimizer.assignment.asking import node_signature
from armnn_py.optimizer.assignment.assign import assign_nodes
from armnn_py.optimizer.assignment.candidates import pin_nodes
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.pipeline import place_network, simplify_network, write_out
from armnn_py.optimizer.placing.shape_families import ShapeFamilies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py.network import Network
    from armnn_py.network.conversions import Trial
    from armnn_py.optimizer.placing.placed_network import PlacedNetwork
    from armnn_py.optimizer.placing.placer_settings import PlacerSettings
    from armnn_py.tensors import TensorInfo


class Placer:
    """Places networks with the options of one call of `optimize`.

    Parameters
    ----------
    settings
        The settings of placing.
    """

    def __init__(self, settings: PlacerSettings) -> None:
        self._settings = settings
        self._families: ShapeFamilies | None = None

    def __call__(self, static: Network, bounded: bool, trial: bool) -> PlacedNetwork:
        """Place a network whose shapes are known; see `OptimizedNetwork.place_bounded`."""
        settings = self._settings
        options, level = settings.options, settings.level
        if trial:
            options, level = dataclasses.replace(options, strategy="preference"), logging.DEBUG
        return place_network(
            static, settings.backends, settings.host, options, fallback_level=level, bounded=bounded
        )

    def check_on_trial(self, network: Network) -> None:
        """Raise if no backend takes a layer of a network with free dimensions, whatever the sizes.

        Raises
        ------
        NoBackendForLayerError
            As `OptimizedNetwork.specialize`.
        """
        trial = kept_trial(network)
        if trial is not None and trial.network is not None:
            place_on_trial(network, trial, self._settings)

    def for_another(self) -> Placer:
        """Return what places another network with these options."""
        return Placer(self._settings)

    def for_shapes(
        self,
        dynamic: Network,
        shapes: Mapping[str, Sequence[int]],
        values: Mapping[str, NDArray[Any]],
    ) -> PlacedNetwork | None:
        """Place a network with free dimensions for these shapes, by what others had in common.

        ``values`` are those of the inputs whose values decide shapes. None if there is nothing in
        common, or if these shapes cannot be.
        """
        if self._families is None:
            self._families = ShapeFamilies(dynamic, self._settings)
        return self._families.place(shapes, values)


#: Free sizes that a backend is asked for before a network is refused.
_SIZES = range(1, 1025)


def place_on_trial(network: Network, trial: Trial, settings: PlacerSettings) -> None:
    """Ask the backends for the layers of a conversion on trial, and for those of further sizes.

    Parameters
    ----------
    network
        The network with free dimensions.
    trial
        Its conversion on trial.
    settings
        The backends, and how networks are optimised.

    Raises
    ------
    NoBackendForLayerError
        No listed backend takes a layer at any of the sizes, for one and the same reason.
    """
    assert trial.network is not None
    with without_collections():
        graph = Graph.from_network(trial.network)
        if trial.trace is not None:
            graph = graph.copy(trial.trace.numbers)
        write_out(graph)
        if settings.options.placement is not None:
            pin_nodes(graph, settings.options.placement)
        # Nearly always each layer has a backend even before the passes.
        if _refusal(graph, settings) is None:
            return
        found = list(_at_other_sizes(network, trial, settings))
    if len(found) < 2 or not all(isinstance(error, NoBackendForLayerError) for _, error in found):
        return
    common = set.intersection(*({*error.layers} for _, error in found))  # type: ignore[union-attr]
    graphs = [graph for graph, _ in found[:2]]
    first = found[0][1]
    assert first is not None
    if any(not _takes_some_size(layer.layer, graphs, settings) for layer in common):
        raise first


def _at_other_sizes(
    network: Network, trial: Trial, settings: PlacerSettings
) -> Iterator[tuple[Graph, ArmnnError | None]]:
    """Give the graph and the refusal for each of the sizes that suit the network."""
    for shapes in trial.shapes:
        try:
            static = network.specialize(shapes)
            simple = simplify_network(static, settings.backends, settings.host, settings.options)
        except ArmnnError:
            continue  # these sizes do not suit it
        refusal = _refusal(simple.graph, settings)
        yield simple.graph, refusal
        if refusal is None:
            break


def _takes_some_size(name: str, graphs: Sequence[Graph], settings: PlacerSettings) -> bool:
    """Say whether a backend takes a layer with another number in place of its free sizes.

    The free sizes of a layer are those that differ between two graphs.
    """
    one, other = (
        next((node_signature(node) for node in graph if node.name == name), None)
        for graph in graphs
    )
    if one is None or other is None or one.descriptor != other.descriptor:
        return False
    options = ModelOptions(settings.options.model_options, settings.host.backends)
    for backend in settings.backends:
        with LayerSupport(backend, options.of(backend)) as support:
            for size, keeps in product(_SIZES, (False, True)):

                def fill(info: TensorInfo, beside: TensorInfo) -> TensorInfo:
                    sizes = zip(info.static_shape, beside.static_shape, strict=True)
                    return info.with_shape(
                        [a if a == b or (keeps and a == 1) else size for a, b in sizes]  # noqa: B023
                    )

                inputs = tuple(
                    None if a is None or b is None else fill(a, b)
                    for a, b in zip(one.inputs, other.inputs, strict=True)
                )
                outputs = tuple(map(fill, one.outputs, other.outputs))
                if support.ask(one._replace(inputs=inputs, outputs=outputs)):
                    return True
    return False


def _refusal(graph: Graph, settings: PlacerSettings) -> ArmnnError | None:
    available, options = settings.host.backends, settings.options
    try:
        assign_nodes(
            graph,
            settings.backends,
            available,
            rules=options.placement,
            model_options=ModelOptions(options.model_options, available),
        )
    except ArmnnError as error:
        return error
    return None
