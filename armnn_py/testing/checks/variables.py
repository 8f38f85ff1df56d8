# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Variables in memory of the backend: what a run leaves in their handles is there in the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.guard.outcome import CheckFailedError, nearly_equal
from armnn_py.testing.subject import network_of

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case
    from armnn_py.testing.prepared import Prepared
    from armnn_py.testing.subject import Subject

__all__ = ["check_variables", "variable_of"]

_RUNS = 3


def variable_of(case: Case) -> int | None:
    """Return the index of an operand that output 0 can replace; None: there is none."""
    signature = case.signature
    for index, info in enumerate(signature.inputs):
        if info == signature.outputs[0] and info.byte_size and not signature.constants[index]:
            return index
    return None


def check_variables(case: Case, subject: Subject, prepared: Prepared) -> None:
    """Feed output 0 back, once through the caller and once through a variable of the network.

    Raises
    ------
    CheckFailedError
        The variable is another tensor in the next run.
    """
    index = variable_of(case)
    values = list(case.values())
    assert index is not None
    with subject.load(network_of(case, values, variable=index)) as kept:
        inputs = {name: values[int(name[1:])] for name in kept.inputs}
        for number in range(_RUNS):
            found = kept.run(inputs)["y0"]
            expected = values[index] = prepared.run(values)[0]
            if not nearly_equal(found, expected):
                raise CheckFailedError(
                    f"run {number + 1} does not go on where the run before it ended: operand "
                    f"{index} is a variable, whose handle keeps its contents from run to run",
                    found=found,
                    expected=expected,
                )
