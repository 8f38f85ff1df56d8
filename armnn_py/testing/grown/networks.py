# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks of the layers that a backend takes, each with its values and the error it may have.

A network grows from a case of the kit. Each further layer is a case too, fitted to a tensor that is
there: its shape, and a quantisation that holds its values. The backend is asked about each of them.
A layer that makes a small error a large one is left out, so that outputs can be compared closely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.backends.questions.layer_support import LayerSupport
from armnn_py.testing.cases import unvaried_cases
from armnn_py.testing.grown.grower import TYPES, Grower, is_of
from armnn_py.testing.outcome import NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.runtime import Runtime
    from armnn_py.testing.cases import Case
    from armnn_py.testing.grown.grower import GrownNetwork


def grow(
    cases: Sequence[Case],
    backend: Backend,
    reference: Runtime,
    number: int,
    on_step: Callable[[str], None],
) -> GrownNetwork:
    """Return network number so much; see `grower`."""
    return grower(cases, backend, reference, number, on_step).grown


def grower(
    cases: Sequence[Case],
    backend: Backend,
    reference: Runtime,
    number: int,
    on_step: Callable[[str], None],
    *,
    with_state: bool = False,
) -> Grower:
    """Let network number so much grow.

    Parameters
    ----------
    cases
        Layers that the backend takes.
    backend
        The backend under test.
    reference
        A runtime with the reference.
    number
        Everything is drawn from it.
    on_step
        Called with what is under way.
    with_state
        The first tensor is a variable of the network, with a value.

    Raises
    ------
    NotApplicableError
        The backend takes no layer that fits into a network.
    """
    with LayerSupport(backend) as support:
        fit = [case for case in cases if any(is_of(case, one) for one in {*TYPES})]
        types = [one for one in TYPES if any(is_of(case, one) for case in fit)]
        if not types:
            raise NotApplicableError("it takes no layer that fits into a network")
        made = Grower(support, reference, fit, types[number % len(types)], number)
        if with_state:
            made.add_state()
        made.grow(f"network {number}", on_step)
        return made


def taken_cases(backend: Backend, seed: int) -> list[Case]:
    """Return the cases of a seed, without other quantisations, that a backend takes."""
    cases = unvaried_cases(seed)
    with LayerSupport(backend) as support:
        answers = support.ask_many([case.signature for case in cases])
    return [case for case, answer in zip(cases, answers, strict=True) if answer]
