# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers of many cases in one network, which is made faster than a network for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.backends.questions.layer_support import LayerSupport, never_shown
from armnn_py.network import Network
from armnn_py.optimizer import AS_IT_IS, optimize
from armnn_py.testing.subject import add_case

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py.backends.backend import Backend
    from armnn_py.runtime import Runtime
    from armnn_py.testing.cases import Case

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
