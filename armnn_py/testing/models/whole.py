# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A user's network as a whole: compiled, each sub-graph and each layer is right."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from armnn_py.comparing.compare import compare_sides
from armnn_py.comparing.random_inputs import random_inputs
from armnn_py.comparing.sides import BackendSide
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.optimizer import OptimizerOptions, optimize
from armnn_py.testing.checks.subgraphs import compiled_layers
from armnn_py.testing.oracles.own_operators import OPERATORS, operators_backend
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.testing.outcome import NotApplicableError, NotTriedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.testing.models.user_model import UserModel
    from armnn_py.testing.target import Target

#: Seconds of a run of the reference, which is needed a few times.
_MOST_SECONDS = 20.0


def check_whole(
    model: UserModel, target: Target, seed: int, on_step: Callable[[str], None]
) -> int | None:
    """Run a user's network on the backend, and each of its kernels on the reference's tensors.

    Returns
    -------
    int or None
        How many sub-graphs of two layers and more were compiled; None: the backend has no compiler.

    Raises
    ------
    CheckFailedError
        A layer or a compiled sub-graph is wrong; the message names it.
    NotTriedError
        The reference cannot run the network, or takes too long.
    NotApplicableError
        The backend takes no layer of it.
    """
    on_step("loading the backend")
    operators = operators_backend(model.references)
    with target.runtime(with_others=True, python_backends=[operators]) as runtime:
        on_step("importing the model")
        network = model.network(runtime)
        for layer in network.layers:
            if model.reference_of(layer) is None:
                name = layer.descriptor.name  # type: ignore[union-attr]
                raise NotTriedError(
                    f"operator '{name}' has no reference: --reference {name}=module:function"
                )
        inputs = random_inputs(network.inputs, seed, whole_range=True)
        references = [OPERATORS, REFERENCE]
        expected = BackendSide(network, references, runtime)
        begin = time.monotonic()
        on_step("running the reference")
        expected.outputs(inputs)
        taken = time.monotonic() - begin
        if taken > _MOST_SECONDS:
            raise NotTriedError(
                f"a run of the reference takes {taken:.0f} s: 'armnn-py compare --layers' waits"
            )
        options = OptimizerOptions()
        listed = list(dict.fromkeys([target.id, *references]))
        subject = BackendSide(network, listed, runtime, options)
        found = compare_sides(subject, expected, [inputs], layers=True, on_step=on_step).finding
        # Small errors that add up are no fault of the backend.
        if found is not None and found.kind != "network":
            raise CheckFailedError(f"the model: {found}")
        placed = optimize(network, listed, runtime=runtime, options=options)
        if target.id not in placed.placed.layer_backends:
            raise NotApplicableError("it takes no layer of the model")
        if not runtime.backends[target.id].api.optimize_subgraph_view:
            return None
        return len(compiled_layers(placed, network, target.id))
