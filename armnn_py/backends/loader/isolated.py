# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The workers of the backends that a runtime isolates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py.backends.loader.verdict import Verdict, printable
from armnn_py.errors import ArmnnError, InvalidArgumentError
from armnn_py.interrupts import interruptible
from armnn_py.isolation.keeper import take_keeper
from armnn_py.isolation.messages import Request
from armnn_py.isolation.process import WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from armnn_py.isolation.backend import IsolatedBackend
    from armnn_py.isolation.deaths import Deaths
    from armnn_py.isolation.events import EventLog
    from armnn_py.isolation.journal import Recorder
    from armnn_py.isolation.settings import Isolation

__all__ = ["start_workers"]


def start_workers(
    isolate: Mapping[str, Isolation],
    events: EventLog,
    arguments: Mapping[str, Any],
    *,
    deaths: Deaths,
    denied: Collection[str],
    with_memory: Collection[str],
    recorder: Recorder | None = None,
) -> tuple[list[IsolatedBackend], list[Verdict]]:
    """Start a worker for each backend that is isolated.

    Parameters
    ----------
    isolate
        Ids and limits; ``"all"`` stands for every backend that is not the package's.
    events
        Get what happens to the workers.
    arguments
        Of the `Runtime` in a worker.
    deaths
        Keeps the ends of workers.
    denied
        Ids that are not used: they get no worker.
    with_memory
        Ids that get memory of an allocator of the caller.
    recorder
        Writes recordings of their calls.

    Returns
    -------
    list
        The backends, in the order of ``isolate``.
    list
        Verdicts on backends that no worker loads.
    """
    from armnn_py.isolation.backend import IsolatedBackend
    from armnn_py.isolation.supervisor import Supervisor

    wanted = dict(isolate)
    limits = wanted.pop("all", None)
    if limits is not None:
        wanted |= {name: limits for name in _ids_from_outside(arguments) if name not in wanted}
    for name in wanted:
        if name in with_memory:
            raise InvalidArgumentError(
                f"isolate: memory of custom_allocators['{name}'] is this process's, the worker of "
                f"'{name}' cannot use it",
                hints=[f"leave '{name}' out of isolate or of custom_allocators"],
            )
    backends: list[IsolatedBackend] = []
    verdicts = []
    for name in (one for one in wanted if one not in denied):
        try:
            worker = Supervisor(name, wanted[name], events, arguments, deaths, recorder)
            backends.append(IsolatedBackend(worker))
        except ArmnnError as error:
            verdicts.append(_refused(name, error))
        except BaseException:  # Ctrl-C
            for backend in backends:
                backend.stop()
            raise
    return backends, verdicts


def _ids_from_outside(arguments: Mapping[str, Any]) -> list[str]:
    """Have a worker look for backends that are not the package's."""
    keeper = take_keeper()
    try:
        process = WorkerProcess("all", keeper, 60.0)
        try:
            with interruptible():
                return [str(name) for name in process.ask(Request("list", dict(arguments)))["ids"]]
        finally:
            process.close()
    finally:
        keeper.give_back()


def _refused(name: str, error: ArmnnError) -> Verdict:
    reason = "; ".join([error.message, *error.details])
    hint = "; ".join(error.hints)
    return Verdict(
        "isolated",
        name,
        None,
        name,
        None,
        "refused",
        "create",
        "worker",
        printable(reason),
        printable(hint),
    )
