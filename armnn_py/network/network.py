# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Network: the layers to be computed, before any of them has a backend."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from armnn_py.errors import GraphValidationError, InvalidArgumentError, UnknownNameError
from armnn_py.later import public_class
from armnn_py.network.builders import (
    ConversionBuilders,
    ConvolutionBuilders,
    EndBuilders,
    JoiningBuilders,
    MovementBuilders,
    PlainBuilders,
    PoolingBuilders,
    RecurrentBuilders,
    SpatialBuilders,
)
from armnn_py.network.forms import flatten, html_table, one_line, restore, summary
from armnn_py.network.stages import build_with_values
from armnn_py.network.storage import Builder, DynamicParts, ModelMetadata, Stage
from armnn_py.network.tensor_names import TensorNames, lasting
from armnn_py.network.validate import find_notes, find_problems
from armnn_py.tensors import TensorInfo, format_shape, parse_static_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.network.forms import FlatLayer
    from armnn_py.symbolic import SizeTrace

_State: TypeAlias = "tuple[str, DynamicParts | None, ModelMetadata, list[FlatLayer], TensorNames]"


@public_class
class Network(
    ConversionBuilders,
    ConvolutionBuilders,
    EndBuilders,
    JoiningBuilders,
    MovementBuilders,
    PlainBuilders,
    PoolingBuilders,
    RecurrentBuilders,
    SpatialBuilders,
):
    """A graph of layers, built one ``add_...`` call after another.

    Each builder returns the new `Layer`, which the next one takes as its operand. Shapes and types
    are inferred at once, so that a mistake is an error in the line that makes it. Values may be
    given as an operand: they become a Constant layer. A layer with several outputs is read through
    ``layer.outputs[i]``.

    Every builder takes ``name=``; one is made up without, as ``convolution2d_1``. ``backend=`` is
    a hint, the id of the backend that should run the layer.

    Parameters
    ----------
    name
        Name of the network in messages and reports.

    Examples
    --------
    >>> import armnn_py as ann
    >>> network = ann.Network("edge_detector")
    >>> x = network.add_input("image", ann.TensorInfo((1, 64, 64, 1)))
    >>> y = network.add_activation(x, ann.ActivationFunction.RELU)
    >>> z = network.add_addition(y, x)
    >>> network.add_output("edges", z)
    <Output 'edges' 1x64x64x1>
    >>> network
    <Network 'edge_detector' 4 layers, image 1x64x64x1 -> edges 1x64x64x1>
    """

    __slots__ = ()

    @classmethod
    def from_builder(
        cls,
        name: str,
        inputs: Mapping[str, TensorInfo],
        builder: Builder,
        outputs: Mapping[str, TensorInfo],
        variables: Mapping[str, TensorInfo] | None = None,
        value_inputs: Sequence[str] = (),
        stages: Sequence[Stage] = (),
    ) -> Network:
        """Make a network with free dimensions, whose layers are built for each shape it meets.

        Values of inputs may also decide shapes, such as the axes of a reduction: the layers are
        then built for each set of such values.

        Parameters
        ----------
        name
            Name of the network.
        inputs
            Infos of the inputs; free dimensions are ``None``.
        builder
            Called with infos that have no free dimensions; returns the network for them, with
            the same inputs and outputs. If it raises `InputValuesNeededError`, it is called
            with infos and a dict of arrays: the values of the inputs that the error names, and of
            all that were named before.
        outputs
            Infos of the outputs, as far as they are known.
        variables
            Infos of the variables, which are the same for all shapes.
        value_inputs
            Inputs whose values the builder is known to need.
        stages
            Parts that run one after another, where the builder is known to make no network for
            the whole.

        Returns
        -------
        Network
            It has no layers; `specialize` gives one that has.

        Raises
        ------
        InvalidArgumentError
            An argument has a wrong type, no input has a free dimension and none is a value
            input, or a value input is not an input.
        """
        network = cls(name)
        if not callable(builder):
            raise InvalidArgumentError(f"builder {builder!r} cannot be called")
        stated = {} if variables is None else variables
        for what, infos in (("input", inputs), ("output", outputs), ("variable", stated)):
            if not isinstance(infos, Mapping):
                raise InvalidArgumentError(
                    f"{what}s: {type(infos).__name__} given, a mapping of names to TensorInfo "
                    "expected"
                )
            for key, info in infos.items():
                if not isinstance(key, str) or not key or not isinstance(info, TensorInfo):
                    raise InvalidArgumentError(f"{what} {key!r}: {info!r}, a TensorInfo expected")
        for key in value_inputs:
            if key not in inputs:
                raise UnknownNameError(
                    f"network '{name}' has no input '{key}'", name=key, valid=list(inputs)
                )
        if not value_inputs and not stages and all(info.is_static for info in inputs.values()):
            raise InvalidArgumentError(
                f"network '{name}': no input has a free dimension",
                hints=["a free dimension is None, as in TensorInfo((None, 3, 224, 224))"],
            )
        for key, info in stated.items():
            if not info.is_static:
                raise InvalidArgumentError(f"variable '{key}': {info!r} has free dimensions")
        network._dynamic = DynamicParts(
            dict(inputs), dict(outputs), builder, dict(stated), dict.fromkeys(value_inputs),
            tuple(stages),
        )  # fmt: skip
        return network

    def specialize(
        self, shapes: Mapping[str, Sequence[int]], values: Mapping[str, NDArray[Any]] | None = None
    ) -> Network:
        """Return the network for inputs of these shapes, and these values where they decide shapes.

        Parameters
        ----------
        shapes
            Shapes by input name. Inputs without free dimensions may be left out.
        values
            Arrays by input name, for inputs whose values decide shapes; others are allowed.
            The network has the same inputs, and does not look at the values that it was made for.

        Returns
        -------
        Network
            Without free dimensions; this one, if it has none.

        Raises
        ------
        UnknownNameError
            The network has no input of a name.
        InvalidArgumentError
            A shape does not fit its input, or is missing; or an array.
        InputValuesNeededError
            Values decide shapes and are not given; `value_inputs` has the names afterwards.
        StagesNeededError
            Data that the network computes decide shapes: it runs in `stages`.
        """
        if not isinstance(shapes, Mapping):
            raise InvalidArgumentError(
                f"shapes is of type {type(shapes).__name__}, expected a mapping of names to shapes"
            )
        infos = dict(self.inputs)
        for key in shapes:
            if key not in infos:
                raise UnknownNameError(
                    f"network '{self.name}' has no input '{key}'", name=key, valid=list(infos)
                )
        known = {key: _bind(key, info, shapes.get(key)) for key, info in infos.items()}
        if self._dynamic is None:
            return self

        built = _checked(
            self, build_with_values(self.name, self._dynamic, known, values or {}), known
        )
        built._metadata = self._metadata
        return built

    def trace(
        self,
        shapes: Mapping[str, Sequence[int]],
        trace: SizeTrace,
        values: Mapping[str, NDArray[Any]],
    ) -> Network | None:
        """Return the network for inputs of these shapes, with the free dimensions symbolic.

        Parameters
        ----------
        shapes
            As `specialize` takes them.
        trace
            Gets the free dimensions as its free sizes, input by input, each followed by the
            integers of its values.
        values
            Of the inputs whose values decide shapes.

        Returns
        -------
        Network
            None if the network has no builder that takes symbolic sizes, or other values decide
            shapes.

        Raises
        ------
        Exception
            Whatever the builder raises, or what does not take symbolic sizes.
        """
        parts = self._dynamic
        if (
            parts is None
            or parts.value_inputs.keys() != values.keys()
            or parts.stages
            or not getattr(parts.builder, "traces", False)
        ):
            return None
        known = {key: _bind(key, info, shapes.get(key)) for key, info in parts.inputs.items()}
        symbolic: dict[str, TensorInfo] = {}
        numbers: dict[str, NDArray[Any]] = {}
        for key, info in parts.inputs.items():
            shape = [
                trace.free(given) if free is None else given
                for given, free in zip(known[key].static_shape, info.shape, strict=True)
            ]
            if key in values:
                shape = list(map(operator.index, shape))  # as many values as now
                numbers[key] = np.vectorize(trace.free, otypes=[object])(values[key])
            symbolic[key] = info.with_shape(shape)
        built = parts.builder(symbolic, numbers) if numbers else parts.builder(symbolic)
        if parts.value_inputs.keys() != values.keys() or not isinstance(built, Network):
            return None
        built._metadata = self._metadata
        return built

    def copy(self, name: str | None = None) -> Network:
        """Return a network of its own with equal layers; the values of constants are shared.

        Parameters
        ----------
        name
            Name of the copy, the same without.
        """
        network = type(self)(self.name if name is None else name)
        network._dynamic = self._dynamic
        network._metadata = self._metadata
        network._tensor_names = self._tensor_names

        restore(network, flatten(self))
        return network

    def validate(self) -> tuple[str, ...]:
        """Check the whole network, every layer inferred anew.

        Returns
        -------
        tuple of str
            Notes on unused inputs, constants and layers, which are allowed.

        Raises
        ------
        GraphValidationError
            There are problems; all of them are listed.
        """
        self._refuse(find_problems(self))
        return tuple(find_notes(self))

    def check_wiring(self) -> None:
        """Do the checks of `validate` that were not done already when each layer was added."""
        self._refuse(find_problems(self, anew=False))

    def _refuse(self, problems: list[str]) -> None:
        if problems:
            count = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
            raise GraphValidationError(f"network '{self.name}' has {count}", problems=problems)

    def summary(self) -> str:
        """Return a table of the layers as text: name, type, outputs, number of parameters."""
        return summary(self)

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        return html_table(self)

    def __copy__(self) -> Network:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Network:
        found = memo[id(self)] = self.copy()
        return found

    def __getstate__(self) -> _State:
        names = lasting(self._tensor_names)

        return self.name, self._dynamic, self._metadata, flatten(self), names

    def __setstate__(self, state: _State) -> None:
        name, dynamic, metadata, layers, names = state
        Network.__init__(self, name)
        self._dynamic = dynamic
        self._metadata = metadata
        self._tensor_names = names

        restore(self, layers)


def _bind(name: str, info: TensorInfo, shape: Sequence[int] | None) -> TensorInfo:
    """Return an input's info with the given shape, which must fit it."""
    if shape is None:
        if not info.is_static:
            free = "its names by numbers" if any(info.dimension_names) else "each '?'"
            raise InvalidArgumentError(
                f"input '{name}' has free dimensions, but no shape is given",
                details=[f"input: {info!r}"],
                hints=[f"give a shape for '{name}' that replaces {free}"],
            )
        return info
    dims = parse_static_shape(shape, what=f"shape of input '{name}'")
    if len(dims) != info.rank:
        raise InvalidArgumentError(
            f"input '{name}': {len(dims)} dimensions given, {info.rank} expected",
            details=[f"given: {format_shape(dims)}", f"input: {info!r}"],
        )
    for axis, (given, expected) in enumerate(zip(dims, info.shape, strict=True)):
        if expected is not None and given != expected:
            raise InvalidArgumentError(
                f"input '{name}': dimension {axis} is {given}, {expected} expected",
                details=[f"given: {format_shape(dims)}", f"input: {info!r}"],
            )
    return info.with_shape(dims)


def _checked(network: Network, built: object, known: Mapping[str, TensorInfo]) -> Network:
    """Return a builder's network if it has the inputs and outputs that were stated."""
    if not isinstance(built, Network) or built.is_dynamic:
        raise InvalidArgumentError(
            f"the builder of network '{network.name}' returned {built!r}, a Network without free "
            "dimensions expected"
        )
    if dict(built.inputs) != dict(known):
        raise InvalidArgumentError(
            f"the builder of network '{network.name}' made other inputs",
            details=[f"asked for: {dict(known)}", f"made: {dict(built.inputs)}"],
        )
    if dict(built.variables) != dict(network.variables):
        raise InvalidArgumentError(
            f"the builder of network '{network.name}' made other variables",
            details=[f"promised: {dict(network.variables)}", f"made: {dict(built.variables)}"],
            hints=["from_builder(..., variables=...) promises them"],
        )
    # Stated output shapes only inform readers: model files often keep those of their first export.
    promised = dict(network.outputs)
    fits = list(built.outputs) == list(promised) and all(
        info.data_type is promised[name].data_type for name, info in built.outputs.items()
    )
    if not fits:
        raise InvalidArgumentError(
            f"the builder of network '{network.name}' made other outputs",
            details=[f"promised: {promised}", f"made: {dict(built.outputs)}"],
            hints=["their order counts, too"] if set(promised) == set(built.outputs) else (),
        )
    return built
