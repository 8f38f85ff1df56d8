# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What can be seen of a backend from outside: the layers that it takes, and what they compute."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.backends.options.model_options import ModelOptions
from armnn_py.backends.questions.layer_support import LayerSupport
from armnn_py.errors import ArmnnError
from armnn_py.optimizer import optimize
from armnn_py.runtime.load import load
from armnn_py.testing.cases import all_cases
from armnn_py.testing.features.small_networks import ROWS, taken_by
from armnn_py.testing.outcome import CheckFailedError
from armnn_py.testing.subject import AS_GIVEN, network_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from armnn_py.runtime import Runtime
    from armnn_py.testing.cases import Case

__all__ = ["Observed", "same"]

Options = dict[str, dict[str, Any]]


class Observed:
    """What a backend does with one set of options.

    Parameters
    ----------
    runtime, backend
        The backend and its options.
    seed
        Values are drawn from it.
    on_step
        Called with what is under way.
    model_options
        By name; None: none.
    """

    def __init__(
        self,
        runtime: Runtime,
        backend: str,
        seed: int,
        on_step: Callable[[str], None],
        model_options: dict[str, Any] | None = None,
    ) -> None:
        self._runtime, self._backend, self._seed = runtime, backend, seed
        self._on_step = on_step
        self._options: Options | None = None if model_options is None else {backend: model_options}
        self._cases = all_cases("quick", seed=seed)
        self.outputs = self._of_networks()
        self.taken = self._answers()
        self.results = self._of_layers()

    def _of_networks(self) -> dict[str, NDArray[Any]]:
        """What each small network gives that the backend takes."""
        found = {}
        for network in taken_by(self._runtime, self._backend):
            self._on_step(f"network '{network.name}'")
            with load(
                network.with_rows(ROWS),
                [self._backend],
                runtime=self._runtime,
                model_options=self._options,
            ) as loaded:
                found[network.name] = np.array(loaded.run(network.values(ROWS, self._seed))["y"])
        return found

    def _answers(self) -> dict[str, bool]:
        """Whether the layer of each case is taken."""
        backend = self._runtime.backends[self._backend]
        options = ModelOptions(self._options, self._runtime.backends).of(backend)
        with LayerSupport(backend, options) as support:
            answers = support.ask_many([case.signature for case in self._cases])
        return {case.name: answer.ok for case, answer in zip(self._cases, answers, strict=True)}

    def _of_layers(self) -> dict[str, list[NDArray[Any]]]:
        """What the first case of each layer and data type gives."""
        first: dict[tuple[str, str], Case] = {}
        for case in self._cases:
            if self.taken[case.name]:
                first.setdefault((case.layer.label, case.type.label), case)
        found = {}
        for case in first.values():
            # A layer that is taken and does not run is told of by other checks.
            with contextlib.suppress(ArmnnError):
                self._on_step(f"layer '{case.name}'")
                found[case.name] = self._result(case)
        return found

    def _result(self, case: Case) -> list[NDArray[Any]]:
        values = case.values()
        placed = optimize(
            network_of(case, values),
            [self._backend],
            runtime=self._runtime,
            options=AS_GIVEN,
            model_options=self._options,
        )
        with self._runtime.load_network(placed) as loaded:
            inputs = {name: values[int(name[1:])] for name in loaded.inputs}
            return [np.array(array) for array in loaded.run(inputs).values()]

    def check_equal(self, expected: Observed, what: str) -> None:
        """Compare with what was seen before; ``what`` says how it is now.

        Raises
        ------
        CheckFailedError
            Something differs.
        """
        for name in sorted({*expected.outputs, *self.outputs}):
            if (name in self.outputs) is not (name in expected.outputs):
                words = "taken" if name in self.outputs else "refused"
                raise CheckFailedError(f"network '{name}' is {words} where {what}")
        same(self.outputs, expected.outputs, what, kind="network")
        for name, was_taken in expected.taken.items():
            if self.taken[name] is not was_taken:
                words = "refused" if was_taken else "taken"
                raise CheckFailedError(f"layer '{name}' is {words} where {what}")
        for name, arrays in expected.results.items():
            for index, array in enumerate(arrays if name in self.results else ()):
                same({name: self.results[name][index]}, {name: array}, what, kind="layer")


def same(
    found: Mapping[str, NDArray[Any]],
    expected: Mapping[str, NDArray[Any]],
    what: str,
    *,
    kind: str = "network",
) -> None:
    """Compare outputs by name, bit for bit but for NaN.

    Raises
    ------
    CheckFailedError
        One differs.
    """
    for name, wanted in expected.items():
        if not np.array_equal(found[name], wanted, equal_nan=wanted.dtype.kind == "f"):
            of_it = f"{kind} '{name}': " if name else ""
            raise CheckFailedError(
                f"{of_it}the output is another where {what}", found=found[name], expected=wanted
            )
