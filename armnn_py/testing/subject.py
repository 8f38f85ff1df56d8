# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend under test in this process, with a host of ours, and networks of its cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.kit_host import KitHost
from armnn_py._native.library import use_host
from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py.backends.questions.layer_support import LayerSupport, never_shown
from armnn_py.network import Layer, Network
from armnn_py.optimizer import AS_IT_IS, OptimizerOptions, optimize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py.backends.backend import Backend
    from armnn_py.runtime import LoadedNetwork, Runtime
    from armnn_py.testing.cases import Case
    from armnn_py.testing.target import Target

AS_GIVEN = OptimizerOptions(simplify=False)
"""No pass touches the layers that a case is about."""


def network_of(
    case: Case, values: Sequence[NDArray[Any] | None], *, variable: int | None = None
) -> Network:
    """Return the network that is the layer of a case: inputs x0, x1, ..., outputs y0, y1, ...

    ``variable`` is the index of an operand that becomes output 0 after each run.
    """
    network = Network(case.name)
    layer = add_case(network, case, values, variable=variable)
    for kept in network.variable_layers:
        network.assign(kept, layer.outputs[0])
    return network


def add_case(
    network: Network,
    case: Case,
    values: Sequence[NDArray[Any] | None],
    suffix: str = "",
    *,
    variable: int | None = None,
) -> Layer:
    """Add the layer of a case, its inputs x0, x1, ... and outputs y0, y1, ..., with ``suffix``."""
    signature = case.signature
    sources: list[Layer | None] = []
    for index, (info, value) in enumerate(zip(signature.inputs, values, strict=True)):
        if info is None or value is None:
            sources.append(None)
        elif signature.constants[index]:
            sources.append(network.add_constant(value, info=info))
        elif index == variable:
            sources.append(network.add_variable(f"x{index}{suffix}", info, value))
        else:
            sources.append(network.add_input(f"x{index}{suffix}", info))
    layer = network.add_layer(
        signature.type, sources, signature.descriptor, name=f"layer{suffix}",
        output_infos=signature.outputs,
    )  # fmt: skip
    for index, slot in enumerate(layer.outputs):
        network.add_output(f"y{index}{suffix}", slot)
    return layer


class Subject:
    """The backend under test, with a host whose parallel_for is ours.

    Attributes
    ----------
    host
        The table that the backend was made with.
    finite_math_only
        Whether it says that NaN and infinity may get lost.
    in_host_memory
        Whether its workloads take addresses and are done when ``execute`` returns; else it is
        called through the runtime alone.
    """

    def __init__(self, target: Target) -> None:
        self.host = KitHost()
        use_host(self.host.pointer)
        self.runtime = target.runtime()
        self.backend: Backend = self.runtime.backends[target.id]
        self.finite_math_only = self.backend.capabilities.get("FiniteMathOnly") is True
        registry = HandleRegistry([self.backend])
        try:
            own = bool(registry.preferences(self.backend.id))
        finally:
            registry.close()
        context = self.backend.context
        self.in_host_memory = not own and not (context is not None and context.waits)

    def check_devices(self) -> None:
        """Let the backend list its devices as before there was an instance, and with one.

        Raises
        ------
        BackendError
            It fails to list them, or gives two answers.
        """
        self.backend.source.devices()
        self.backend.devices  # noqa: B018

    def load(self, network: Network) -> LoadedNetwork:
        """Load a network on the backend alone, as it is; who calls closes it."""
        optimized = optimize(network, [self.backend.id], runtime=self.runtime, options=AS_GIVEN)
        return self.runtime.load_network(optimized)

    def close(self) -> None:
        """Destroy the instance."""
        self.runtime.close()


OperandValues = list["NDArray[Any] | None"]
"""The values of the operands of a case; None where an optional one is absent."""


def layers_taken(backend: Backend, cases: Sequence[Case]) -> list[bool]:
    """Return for each case whether a backend takes its layer, or the host writes it out."""
    with LayerSupport(backend) as support:
        answers = support.ask_many([case.signature for case in cases])
    return [
        bool(answer or never_shown(case.layer, case.signature.descriptor))
        for case, answer in zip(cases, answers, strict=True)
    ]


class Together:
    """Independent layers in one network on one backend.

    Attributes
    ----------
    placed
        The network, to be loaded.

    Raises
    ------
    ArmnnError
        The backend does not take one of the layers.
    """

    def __init__(
        self, runtime: Runtime, backend: str, cases: Sequence[Case], values: Sequence[OperandValues]
    ) -> None:
        self._cases = cases
        network = Network()
        for number, (case, operands) in enumerate(zip(cases, values, strict=True)):
            add_case(network, case, operands, f":{number}")
        self._names = tuple(network.inputs)
        self.placed = optimize(network, [backend], runtime=runtime, options=AS_IT_IS)

    def inputs(self, values: Sequence[OperandValues]) -> dict[str, NDArray[Any]]:
        """Return the inputs of a run by name; ``values`` has the operands of each case."""
        every = {
            f"x{index}:{number}": value
            for number, operands in enumerate(values)
            for index, value in enumerate(operands)
        }
        return {name: np.asarray(every[name]) for name in self._names}

    def outputs(self, found: Mapping[str, NDArray[Any]]) -> list[list[NDArray[Any]]]:
        """Return copies of the outputs of each case from those of a run by name."""
        return [
            [np.array(found[f"y{index}:{number}"]) for index in range(len(case.signature.outputs))]
            for number, case in enumerate(self._cases)
        ]
