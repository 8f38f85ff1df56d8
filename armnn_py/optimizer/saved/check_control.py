# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Checks loops, branches and calls of a saved network against the bodies that they run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import compress
from typing import TYPE_CHECKING

from armnn_py.network.control import BodyRun, Branches, CallOnce, Control, Loop, Scan
from armnn_py.optimizer.saved.values import DamageError

if TYPE_CHECKING:
    from armnn_py.network import Stage
    from armnn_py.network.repeat import Collected
    from armnn_py.tensors import TensorInfo


def check_control(stage: Stage, control: Control, known: Mapping[str, TensorInfo]) -> None:
    """Check that a run finds all names and places; shapes are checked when bodies run.

    ``known`` are the tensors of the stages before.

    Raises
    ------
    DamageError
        It does not fit its stage.
    """
    operands = control.operands
    if not {*operands.read} <= {*stage.inputs} or not (
        stage.outputs.keys() <= control.outputs.keys()
    ):
        raise DamageError(f"'{control.label[:64]}' has other tensors than its stage")
    given = [bool(n) or i in operands.constants for i, n in enumerate(operands.names)]
    if isinstance(control, Loop):
        states = sum(given[2:])
        _check_body(stage, control.body, control.body.inputs)
        _check_counts(control.body, states + 2, 1 + states + len(control.collected))
        if control.first is not None:
            _check_body(stage, control.first, control.first.inputs)
            _check_counts(control.first, states, 1)
        _check_collected(control.collected)
        count = states + len(control.collected)
        is_whole = len(given) >= 2
    elif isinstance(control, Scan):
        count, is_whole = _check_scan(stage, control, known)
    elif isinstance(control, Branches):
        for key, branch in control.branches.items():
            _check_body(stage, branch, compress(branch.inputs, given[1:]))
            if key not in ("then", "else"):
                raise DamageError(f"'{control.label[:64]}' has another branch '{key[:64]}'")
        count = min((len(one.outputs) for one in control.branches.values()), default=0)
        is_whole = given[:1] == [True] and (
            operands.constants.keys() >= {0}
            or len(control.branches.keys() | control.faults.keys()) == 2
        )
    else:
        assert isinstance(control, CallOnce)
        _check_body(stage, control.body, compress(control.body.inputs, given))
        count, is_whole = len(control.body.outputs), True
    if not is_whole or not all(0 <= index < count for index in control.outputs.values()):
        raise DamageError(f"'{control.label[:64]}' lacks operands or results")


def _check_body(stage: Stage, run: BodyRun, given: Iterable[str]) -> None:
    """Check that the network of a body reads what is there, and makes what it should.

    ``given`` are those of its inputs that have an operand.
    """
    network = stage.bodies.get(run.key)
    inputs = set() if network is None else {*network.inputs}
    outputs = set() if network is None else {*network.outputs}
    there = {*stage.inputs, *filter(None, given), *run.constants}
    if (
        not run.made <= outputs
        or (network is not None and {*run.reads} != inputs)
        or not {*run.reads} <= there
        or not {*filter(None, run.outputs)} <= there | run.made
    ):
        raise DamageError(f"body '{run.key[:64]}' has other tensors than its network")


def _check_counts(run: BodyRun, inputs: int, outputs: int) -> None:
    if (len(run.inputs), len(run.outputs)) != (inputs, outputs):
        raise DamageError(f"body '{run.key[:64]}' has another number of inputs or outputs")


def _check_collected(collected: tuple[Collected, ...]) -> None:
    for one in collected:
        if not 0 <= one.axis <= len(one.shape) or any(size < 0 for size in one.shape):
            raise DamageError(f"collected output '{one.name[:64]}' has no axis {one.axis}")


def _check_scan(stage: Stage, scan: Scan, known: Mapping[str, TensorInfo]) -> tuple[int, bool]:
    """Return how many results a Scan has, and whether its operands are there."""
    names, constants = scan.operands.names, scan.operands.constants
    first = int(scan.has_batch)
    ranks = [
        (constants[index].ndim if index in constants else known[name].rank) - first
        for index, name in enumerate(names)
        if index >= first and (name or index in constants)
    ]
    states = len(ranks) - len(scan.axes)
    _check_body(stage, scan.body, scan.body.inputs)
    _check_counts(scan.body, len(ranks), states + len(scan.collected))
    _check_collected(scan.collected)
    axes = zip(scan.axes, ranks[states:], strict=False)
    is_whole = (
        len(names) >= first
        and bool(scan.axes)
        and states >= 0
        and len(scan.directions) == len(scan.axes)
        and all(0 <= axis < rank for axis, rank in axes)
        and min(ranks) >= 0
    )
    return states + len(scan.collected), is_whole
