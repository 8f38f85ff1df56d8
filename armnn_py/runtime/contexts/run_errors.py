# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The exception of a run that failed, with the layer, backend and kernel to blame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from armnn_py._native import abi
from armnn_py._native.calls import STATUS_ERRORS, status_name
from armnn_py._native.table.guarded_calls import take_raised
from armnn_py.errors import ExecutionError, InvalidArgumentError
from armnn_py.runtime.ending import end_of_thread
from armnn_py.runtime.plan.moves import MOVE_NAMES
from armnn_py.text import first_of
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from armnn_py._native.plans.context import NativeContext
    from armnn_py.runtime.plan.network_plan import NetworkPlan
    from armnn_py.runtime.plan.step_info import StepInfo

_SIDES = (abi.ARMNN_RUN_SIDE_SOURCE, abi.ARMNN_RUN_SIDE_TARGET)


def raise_failed(
    plan: NetworkPlan,
    native: NativeContext,
    status: int,
    timeout: float | None,
    *,
    strict: bool,
    memory: Sequence[str],
) -> NoReturn:
    """Raise the error of a failed run; an exception of a signal handler goes first.

    Parameters
    ----------
    plan, native
        The plan that ran, and its context.
    status
        Of the run.
    timeout
        Its limit in seconds, for the message.
    strict
        It was to use the caller's memory as it is.
    memory
        Why external memory could not be mapped.
    """
    if native.caught:
        caught = native.caught[0]
        native.caught.clear()
        raise caught
    if not native.handle:
        raise InvalidArgumentError(
            f"network '{plan.network.name}' was closed in its run, by a callback or signal handler",
            hints=["close it after the run, which a CancelToken can stop"],
        )
    raised = plan.debug.take_raised() if plan.debug is not None else None
    if raised is not None:
        raise raised
    plan.note_lost_devices()
    stopped = status in (abi.ARMNN_STATUS_CANCELLED, abi.ARMNN_STATUS_TIMEOUT)
    index = native.failed_step
    text = native.error.text
    details = [*native.error.details, *memory]
    hints = []
    if native.has_state and native.is_state_lost:
        details.append("the state of layers is not known any more")
        hints = ["reset_state() begins a new sequence"]
    fields: dict[str, Any] = {"status": status}
    subject = f"network '{plan.network.name}'"
    listener = native.failed_listener
    if listener is not None:
        fields["backend"] = backend = plan.listeners[listener]
        subject += f": backend '{backend}' did not let the run begin (before_run)"
    if index is not None:
        step = plan.steps[index]
        backend = step.backend
        if native.failed_side in _SIDES:
            backend = step.sides[_SIDES.index(native.failed_side)] or backend
        fields.update(backend=backend, kernel=step.kernel)
        if step.type == "Sync":
            subject = f"backend '{step.backend}' did not finish its layers"
        elif step.type == "Fence":
            subject = f"backend '{step.backend}' failed in {step.kernel}"
        elif strict and not stopped and step.is_promise:
            _raise_refused(plan, step, status, text)
        else:
            subject = f"layer '{step.layer}' ({step.type}) on backend '{backend}'"
            fields["layer"] = step.layer
        if step.kernel:
            details.append(f"kernel: {step.kernel}")
    if status == abi.ARMNN_STATUS_TIMEOUT and timeout is not None:
        subject = f"network '{plan.network.name}': not done after {timeout:g} s"
    error_class = STATUS_ERRORS.get(status, ExecutionError)
    if not issubclass(error_class, ExecutionError):
        error_class = ExecutionError
    cause = take_raised(text)
    if cause is not None and not isinstance(cause, Exception):
        raise cause  # Ctrl-C in a kernel that is written in Python
    message = f"{subject}: {status_name(status)}"
    ended = end_of_thread(message) if status == abi.ARMNN_STATUS_CANCELLED else None
    if ended is not None:
        raise ended
    raise native.error.coded(
        error_class(message, details=details, hints=hints, **fields)
    ) from cause


def _raise_refused(plan: NetworkPlan, step: StepInfo, status: int, text: str) -> NoReturn:
    """Raise the error of a backend that refuses memory that must not be copied."""
    where = _whose_memory(plan, step)
    subject = f"{where}: " if where else f"layer '{step.layer}': "
    raise ExecutionError(
        f"{subject}backend '{step.backend}' does not {step.kernel.split()[0]} its memory",
        status=status,
        layer=step.layer,
        backend=step.backend,
        kernel=step.kernel,
        details=[text or status_name(status), f"layer: '{step.layer}' ({step.type})"],
        hints=["without share_inputs=True and bind() the tensor is copied where it must be"],
    )


def _whose_memory(plan: NetworkPlan, step: StepInfo) -> str:
    """The input or output that a step should have imported; empty if it is not exactly one."""
    network = plan.network
    if step.kernel == MOVE_NAMES[abi.ARMNN_PLAN_STEP_LEND]:
        outputs = [
            layer.name
            for layer in network.output_layers
            if layer.inputs[0] is not None and layer.inputs[0].layer.name == step.layer
        ]
        return f"output '{outputs[0]}'" if len(outputs) == 1 else ""
    sources = [
        layer.inputs[0].layer
        for layer in network.layers
        if layer.name == step.layer and layer.inputs and layer.inputs[0] is not None
    ]
    if len(sources) == 1 and sources[0].type is LayerType.INPUT:
        return f"input '{sources[0].name}'"
    return ""


def raise_lost_device(plan: NetworkPlan) -> NoReturn:
    """Raise the error of a run on a device that is gone."""
    lost = plan.lost_devices
    backend = next(iter(lost))
    raise ExecutionError(
        f"network '{plan.network.name}': the device of backend '{backend}' is lost",
        backend=backend,
        status=abi.ARMNN_STATUS_DEVICE_LOST,
        details=[f"{name}: {reason}" for name, reason in lost.items()],
        hints=["close the runtime and make a new one, or load the network on other backends"],
    )


def lost_state(network: str, why: str, layers: Iterable[str]) -> ExecutionError:
    """The error of a run whose layers have an unknown state."""
    return ExecutionError(
        f"network '{network}': the state of its layers is not known: {why}",
        status=abi.ARMNN_STATUS_INVALID_ARGUMENT,
        details=first_of(f"state: {layer}" for layer in layers),
        hints=["reset_state() begins a new sequence; variables can be read before and set after"],
    )
