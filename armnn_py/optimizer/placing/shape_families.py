# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks that differ in sizes alone: converted, simplified and placed once for many input shapes.

Other shapes put numbers into the symbolic sizes and ask the backends again, and nothing else.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, structs

from armnn_py._native.layers.known_answer import KnownAnswer
from armnn_py._native.layers.reusable import RepeatedQuestions, ReusableSubgraph, SizePlaces
from armnn_py.backends.questions.layer_support import LayerSupport
from armnn_py.descriptors.base import plain_descriptor
from armnn_py.garbage import without_collections
from armnn_py.network import AssignLayer, ConstantLayer, Network, VariableLayer
from armnn_py.network.conversions import take_trial
from armnn_py.optimizer.pipeline import SimplifiedNetwork, place_simplified, simplify_network
from armnn_py.optimizer.placing.placement_record import PlacementRecord
from armnn_py.symbolic import SizeTrace
from armnn_py.tensors.info import plain_info

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.backends.backend import Backend
    from armnn_py.network import NetworkStorage, OutputSlot
    from armnn_py.network.conversions import Trial
    from armnn_py.optimizer.placing.placed_network import PlacedNetwork
    from armnn_py.optimizer.placing.placement_record import CompiledPart
    from armnn_py.optimizer.placing.placer_settings import PlacerSettings
    from armnn_py.symbolic import Evaluate
    from armnn_py.tensors import TensorInfo

_log = logging.getLogger("armnn_py.optimizer")

#: Families that are kept, those used last first.
_CAPACITY = 8
#: Families without a second member, after which no more are made: making one costs a little more
#: than converting the network for one set of shapes.
_PATIENCE = 4
#: Of an input whose values decide shapes. More are data.
_MOST_VALUES = 16


class _Family(Struct, eq=False):
    """Networks that differ in sizes alone.

    Attributes
    ----------
    evaluate
        The numbers of all sizes from those of the free dimensions, or None for another family.
    simple
        The simplified network; sizes are symbolic.
    evaluate_placed, placed
        The same for the placed network, if backends were not asked too much for that.
    """

    evaluate: Evaluate
    simple: SimplifiedNetwork
    evaluate_placed: Evaluate | None = None
    placed: PlacedFamily | None = None


class ShapeFamilies:
    """The families of one network with free dimensions.

    Parameters
    ----------
    network
        The network.
    settings
        The settings with which its members are placed.
    """

    def __init__(self, network: Network, settings: PlacerSettings) -> None:
        self._network = network
        self._settings = settings
        self._families: tuple[_Family, ...] = ()
        self._fruitless = 0

    def place(
        self, shapes: Mapping[str, Sequence[int]], values: Mapping[str, NDArray[Any]]
    ) -> PlacedNetwork | None:
        """Place the network for these shapes; None if it must be converted for them alone.

        Integers that decide shapes count as sizes.

        Raises
        ------
        NoBackendForLayerError
            No listed backend takes a layer.
        """
        free = _free_sizes(self._network, shapes, values)
        if free is None:
            return None
        for family in self._families:
            numbers = family.evaluate(free)
            if numbers is not None:
                self._fruitless = 0
                others = tuple(other for other in self._families if other is not family)
                self._families = (family, *others)
                if family.placed is not None and family.evaluate_placed is not None:
                    numbers_placed = family.evaluate_placed(free)
                    if numbers_placed is not None:
                        placed = family.placed.member(numbers_placed)
                        if placed is not None:
                            return placed
                return self._member(family, numbers)
        if self._fruitless >= _PATIENCE:
            return None
        self._fruitless += 1
        return self._found(shapes, values, free)

    def _found(
        self,
        shapes: Mapping[str, Sequence[int]],
        values: Mapping[str, NDArray[Any]],
        free: Sequence[int],
    ) -> PlacedNetwork | None:
        """Make the family of these shapes, if converter and passes let sizes be symbolic."""
        settings, trace = self._settings, SizeTrace()
        tried = None if values else take_trial(self._network)
        if tried is not None and tried.trace is None:
            return None  # sizes stayed numbers at load
        try:
            with without_collections():
                network = _gone_on(self._network, tried, free)
                if network is not None and tried is not None and tried.trace is not None:
                    trace = tried.trace
                else:
                    network = self._network.trace(shapes, trace, values)
                if network is None or any(
                    slot.info.bounded for layer in network.layers for slot in layer.outputs
                ):
                    self._fruitless = _PATIENCE
                    return None
                simple = simplify_network(
                    network, settings.backends, settings.host, settings.options
                )
                family = _Family(trace.compile(), simple)
                placed = self._place_family(family, trace, free)
        except Exception as error:
            # Whatever is wrong shows, in its own words, when the network is made for these shapes.
            _log.debug("network '%s': sizes stay numbers: %r", self._network.name, error)
            self._fruitless += 1
            return None
        finally:
            trace.closed = True
        if placed is None:
            numbers = family.evaluate(free)
            if numbers is None:
                return None
            placed = self._member(family, numbers)
        self._families = (family, *self._families)[:_CAPACITY]
        return placed

    def _place_family(
        self, family: _Family, trace: SizeTrace, free: Sequence[int]
    ) -> PlacedNetwork | None:
        """Place a simplified network with its symbolic sizes; None if that serves no others."""
        settings, simple, record = self._settings, family.simple, PlacementRecord()
        options = settings.options
        if options.debug or options.strategy != "preference":
            return None
        placed = place_simplified(
            structs.replace(simple, graph=simple.graph.copy()),
            settings.backends,
            settings.host,
            options,
            fallback_level=settings.level,
            record=record,
        )
        if not record.is_complete:
            return None
        evaluate = trace.compile()
        numbers = evaluate(free)
        if numbers is None:
            return None
        family.placed = PlacedFamily(placed, record, settings.host.backends)
        family.evaluate_placed = evaluate
        return family.placed.first(placed.blobs, numbers)

    def _member(self, family: _Family, numbers: Sequence[int]) -> PlacedNetwork:
        settings, simple = self._settings, family.simple
        with without_collections():
            return place_simplified(
                structs.replace(simple, graph=simple.graph.copy(numbers)),
                settings.backends,
                settings.host,
                settings.options,
                fallback_level=settings.level,
            )


def _gone_on(network: Network, tried: Trial | None, free: Sequence[int]) -> Network | None:
    """Return the network of a conversion on trial, if it holds for these free sizes too."""
    if tried is None or tried.network is None or tried.trace is None:
        return None
    numbers = tried.trace.compile()(free)
    if numbers is None:
        return None
    tried.trace.go_on_with(numbers)
    tried.network._metadata = network.metadata
    return tried.network


def _free_sizes(
    network: Network, shapes: Mapping[str, Sequence[int]], values: Mapping[str, NDArray[Any]]
) -> list[int] | None:
    """Return the sizes of the free dimensions, input by input, and the integers of ``values``.

    None if the shapes do not fit, or if values are not few integers.
    """
    infos = network.inputs
    if not shapes.keys() <= infos.keys() or values.keys() != set(network.value_inputs):
        return None
    for array in values.values():
        if array.dtype not in (np.int32, np.int64) or array.size > _MOST_VALUES:
            return None
    free: list[int] = []
    for name, info in infos.items():
        shape = shapes.get(name, info.shape)
        if len(shape) != info.rank:
            return None
        for given, expected in zip(shape, info.shape, strict=True):
            if type(given) is not int or given < 0 or (expected is not None and given != expected):
                return None
            if expected is None:
                free.append(given)
        if name in values:
            free += values[name].reshape(-1).tolist()
    return free


class PlacedFamily:
    """The members of a family that backends place alike.

    Parameters
    ----------
    placed
        The network for the trace's own shapes; sizes are symbolic.
    record
        The backends' answers that it depends on.
    available
        All loaded backends by id.
    """

    def __init__(
        self, placed: PlacedNetwork, record: PlacementRecord, available: Mapping[str, Backend]
    ) -> None:
        self._available = available
        guid_of = {id(blob): guid for guid, blob in placed.blobs.items()}
        self._sizes = SizePlaces()
        self._parts = [
            _Part(part, [guid_of[id(blob)] for blob in part.blobs], self._sizes)
            for part in record.parts
        ]
        #: Without the blobs and what only saving needs.
        self._placed = structs.replace(placed, blobs={}, sources={})
        self._questions: dict[str, RepeatedQuestions] = {}
        for backend_id, layer, answer in record.questions:
            questions = self._questions.setdefault(backend_id, RepeatedQuestions())
            questions.add(layer, bool(answer), self._sizes)

    def first(self, blobs: Mapping[int, NativeBlob], numbers: Sequence[int]) -> PlacedNetwork:
        """The member for the trace's own shapes, with its blobs."""
        return self._with(numbers, blobs)

    def member(self, numbers: Sequence[int]) -> PlacedNetwork | None:
        """The member for these numbers of all sizes; None if a backend gives another answer."""
        options = self._placed.model_options
        try:
            self._sizes.write(numbers)
        except OverflowError:
            return None
        for backend_id, questions in self._questions.items():
            backend = self._available[backend_id]
            with LayerSupport(backend, options.of(backend)) as support:
                if not support.repeats(questions):
                    return None
        blobs: dict[int, NativeBlob] = {}
        for part in self._parts:
            backend = self._available[part.backend]
            made = part.ask(backend, options.of(backend))
            if made is None:
                return None
            blobs.update(made)
        return self._with(numbers, blobs)

    def _with(self, numbers: Sequence[int], blobs: Mapping[int, NativeBlob]) -> PlacedNetwork:
        network = _with_numbers(self._placed.network, numbers)
        return structs.replace(self._placed, network=network, blobs=blobs, sources={})


class _Part:
    """A sub-graph that a backend answers about again."""

    def __init__(self, part: CompiledPart, guids: Sequence[int], sizes: SizePlaces) -> None:
        self.backend = part.backend
        self._guids = guids
        self._known = KnownAnswer(part.answer, ReusableSubgraph(part.data, sizes))

    def ask(self, backend: Backend, options: Any) -> dict[int, NativeBlob] | None:
        """The blobs of the answer by the guids of their layers; None if it is another answer."""
        backend.retain()
        try:
            blobs = self._known.ask(
                backend.id,
                backend.api,
                backend.instance,
                options,
                retain=backend.retain,
                release=backend.release,
            )
        finally:
            backend.release()
        return None if blobs is None else dict(zip(self._guids, blobs, strict=True))


def _with_numbers(network: NetworkStorage, numbers: Sequence[int]) -> Network:
    """Return a network with numbers for symbolic sizes; the values of constants are shared."""
    new = Network(network.name)
    new.metadata = network.metadata
    slot_of: dict[OutputSlot, OutputSlot] = {}
    infos: dict[int, TensorInfo] = {}
    variables: dict[str, VariableLayer] = {}
    for layer in network.layers:
        own = []
        for slot in layer.outputs:
            info = infos.get(id(slot.info))
            if info is None:
                info = infos[id(slot.info)] = plain_info(slot.info, numbers)
            own.append(info)
        value = layer.value if isinstance(layer, ConstantLayer) else None
        if isinstance(layer, VariableLayer):
            value = layer.initial
        made = new.append_unchecked(
            layer.name,
            layer.type,
            plain_descriptor(layer.descriptor, numbers),
            tuple([None if slot is None else slot_of[slot] for slot in layer.inputs]),
            own,
            backend=layer.backend_hint,
            value=value,
            variable=variables[layer.variable.name] if isinstance(layer, AssignLayer) else None,
        )
        if isinstance(made, VariableLayer):
            variables[made.name] = made
        slot_of.update(zip(layer.outputs, made.outputs, strict=True))
    return new
