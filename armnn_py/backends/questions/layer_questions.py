# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Questions to a backend on single layers, outside of any network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py.backends.instance_life import InstanceLife
from armnn_py.backends.options.model_options import ModelOptions
from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.backends.questions.layer_support import StandInAnswer, Support
    from armnn_py.descriptors import Descriptor, StandInDescriptor
    from armnn_py.tensors import TensorInfo
    from armnn_py.types import LayerType


class LayerQuestions(InstanceLife):
    """The part of a `Backend` that tells what layers it runs."""

    __slots__ = ()

    def supports(
        self,
        layer_type: LayerType,
        inputs: Sequence[TensorInfo | None],
        outputs: Sequence[TensorInfo] | None = None,
        descriptor: Descriptor | None = None,
        *,
        constants: Collection[int] = (),
        model_options: Mapping[str, OptionValue] | None = None,
    ) -> Support:
        """Ask whether it runs a layer: Arm NN's ``ILayerSupport::IsLayerSupported``.

        Parameters
        ----------
        layer_type
            Type of the layer.
        inputs
            Infos of its operands in the order of ``armnn/descriptors.h``, None for an optional one
            that is absent.
        outputs
            Infos of its outputs; without them they are inferred, as `Network.add_layer` does.
        descriptor
            Parameters, of the class that ``DESCRIPTOR_OF[layer_type]`` names.
        constants
            Indices, from 0, of the operands whose values are known when a network is loaded.
        model_options
            Options of the model for this backend, by name.

        Returns
        -------
        Support
            True if it runs the layer; otherwise false, with the backend's ``reason``.

        Raises
        ------
        LayerValidationError
            No network can have such a layer; the backend is not asked.
        InvalidArgumentError
            An argument has a wrong type, or the runtime of the backend is closed.
        UnknownNameError
            The backend has no such model option.

        Examples
        --------
        >>> import armnn_py as ann
        >>> from armnn_py.descriptors import ActivationDescriptor
        >>> x = ann.TensorInfo((1, 16))
        >>> with ann.Runtime() as runtime:
        ...     backend = runtime.backends["CpuRef"]
        ...     bool(backend.supports(ann.LayerType.ACTIVATION, [x], None, ActivationDescriptor()))
        True
        """
        from armnn_py.backends.questions.layer_support import (
            LayerSupport,
            Support,
            never_shown,
            valid_signature,
        )

        signature = valid_signature(layer_type, inputs, outputs, descriptor, constants)
        why = never_shown(signature.type, signature.descriptor)
        if why:
            return Support(False, why)
        options = None
        if model_options is not None:
            options = ModelOptions({self.id: model_options}, {self.id: self}).of(self)
        with LayerSupport(self, options) as support:
            return support.ask(signature)

    @property
    def runs_stand_ins(self) -> bool:
        """Whether it runs any operator that no layer expresses.

        Raises
        ------
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        from armnn_py.backends.questions.layer_support import LayerSupport

        with LayerSupport(self) as support:
            return support.runs_stand_ins

    def infer_stand_in(
        self,
        descriptor: StandInDescriptor,
        inputs: Sequence[TensorInfo | None],
        constants: Mapping[int, NDArray[Any]] | None = None,
        *,
        name: str = "",
    ) -> StandInAnswer:
        """Ask whether it runs an operator that no layer expresses, and what its outputs are.

        Parameters
        ----------
        descriptor
            The operator: domain, name, version, attributes, counts of operands and outputs.
        inputs
            Infos of its operands, None for one that is absent.
        constants
            Values of operands that are known, by index.
        name
            Name of the layer, for messages of the backend.

        Returns
        -------
        StandInAnswer
            True with the infos of the outputs; otherwise false, with the backend's ``reason``.

        Raises
        ------
        InvalidArgumentError
            The descriptor has other counts, or the runtime of the backend is closed.
        """
        from armnn_py.backends.questions.layer_support import LayerSupport

        if descriptor.input_count != len(inputs):
            raise InvalidArgumentError(
                f"infos of {len(inputs)} operands given, {descriptor.input_count} expected by the "
                "descriptor"
            )
        known = constants or {}
        values = [known.get(index) for index in range(len(inputs))]
        with LayerSupport(self) as support:
            return support.infer_stand_in(descriptor, inputs, values, name)
