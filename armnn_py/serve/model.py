# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One version of a model that is loaded: what it takes, whether it is well, its queue."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from msgspec import Struct

import armnn_py
from armnn_py.errors import InvalidArgumentError
from armnn_py.serve.batcher import Batcher
from armnn_py.serve.failures import UNAVAILABLE, RequestError
from armnn_py.serve.metrics import Metrics
from armnn_py.serve.settings import ModelSettings
from armnn_py.serve.tensors import check_shape, datatype_of
from armnn_py.tensors import TensorInfo

Arrays = dict[str, np.ndarray[Any, Any]]


class Answer(Struct):
    """The outputs of a request, in the order in which it asked for them."""

    outputs: Arrays
    infos: Mapping[str, TensorInfo]


class Model:
    """A network and its queue.

    Parameters
    ----------
    name, version
        As requests name it.
    settings
        Of this model; ``path`` is the file.
    runtime
        Loads it.
    executor
        Threads that run it.
    threads
        Processors of the server; the instances of a model share them.
    metrics
        Counts its runs.

    Raises
    ------
    ArmnnError
        As `armnn_py.load`; or batches are wanted of a network that has no free batch dimension.
    """

    def __init__(
        self,
        name: str,
        version: str,
        settings: ModelSettings,
        *,
        runtime: armnn_py.Runtime,
        executor: Executor,
        threads: int,
        metrics: Metrics,
    ) -> None:
        self.name, self.version, self.settings = name, version, settings
        self._executor = executor
        self.network = armnn_py.load(
            settings.path,
            list(settings.backends) or None,
            runtime=runtime,
            threads=max(1, threads // settings.instances),
        )
        self._users = 0
        self._unused = asyncio.Event()
        self.inputs = self.network.inputs
        self.outputs = self.network.outputs
        refusal = _why_no_batches(self.network)
        if settings.max_batch > 1 and refusal:
            self.network.close()
            raise InvalidArgumentError(
                f"model '{name}' is to run batches of {settings.max_batch}, but {refusal}",
                hints=["max_batch = 1 runs its requests one by one"],
            )
        self.batcher = Batcher(
            self.network,
            settings,
            executor,
            batches=not refusal,
            seen=metrics.runs_of(name, version, lambda: self.backends),
        )

    @property
    def backends(self) -> str:
        """Ids of the backends of its layers; of free dimensions after the first run."""
        return "+".join(self.network.assignment.counts)

    @property
    def metadata(self) -> dict[str, Any]:
        """Platform, inputs and outputs as the protocol writes them."""

        def tensors(infos: Mapping[str, TensorInfo]) -> list[dict[str, Any]]:
            return [
                {
                    "name": name,
                    "datatype": datatype_of(info),
                    "shape": [-1 if dim is None else dim for dim in info.shape],
                }
                for name, info in infos.items()
            ]

        return {
            "name": self.name,
            "platform": "armnn_py",
            "inputs": tensors(self.inputs),
            "outputs": tensors(self.outputs),
        }

    @property
    def unready(self) -> str:
        """Why it is not ready, by its policy; empty if it is."""
        health = self.network.health
        if health.status == "ready" or self.settings.ready_when == health.status:
            return ""
        return f"model '{self.name}' is {health.status}: {'; '.join(health.reasons)}"

    @contextlib.contextmanager
    def used(self) -> Iterator[Model]:
        """Keep the model open in a block, also when it is replaced or unloaded meanwhile."""
        self._users += 1
        try:
            yield self
        finally:
            self._users -= 1
            if not self._users:
                self._unused.set()

    async def close(self) -> None:
        """Close the network when no request uses it."""
        while self._users:
            self._unused.clear()
            await self._unused.wait()
        await self.batcher.close()
        await asyncio.get_running_loop().run_in_executor(self._executor, self.network.close)

    async def infer(
        self, inputs: Arrays, wanted: Sequence[str] = (), timeout: float | None = None
    ) -> Answer:
        """Run one request.

        Parameters
        ----------
        inputs
            Arrays by name, whose shapes and types were checked.
        wanted
            Names of outputs; empty: all.
        timeout
            Seconds from now; None: as the settings say.

        Raises
        ------
        RequestError, ArmnnError
            It cannot be answered.
        """
        for name in wanted:
            if name not in self.outputs:
                raise RequestError(
                    f"output '{name[:100]}' is unknown, {', '.join(self.outputs)} expected"
                )
        missing = [name for name in self.inputs if name not in inputs]
        missing = [name for name in missing if name not in self.network.metadata.defaults]
        if missing:
            raise RequestError(f"input '{missing[0]}' is missing")
        limit = self.settings.timeout if timeout is None else timeout
        if self.network.health.status == "lost":
            raise RequestError(self.unready, UNAVAILABLE)
        outputs = await self.batcher.run(inputs, time.monotonic() + limit if limit else None)
        return Answer({name: outputs[name] for name in wanted or self.outputs}, self.outputs)

    def take(self, arrays: Arrays, name: str, shape: Sequence[int], datatype: str) -> TensorInfo:
        """Return the info of an input that a request gives.

        Parameters
        ----------
        arrays
            Inputs that the request gave before, by name.
        name, shape, datatype
            As the request states them.

        Raises
        ------
        RequestError
            The model has no such input, it was given before, or its shape or type does not fit.
        """
        info = self.inputs.get(name)
        if info is None:
            raise RequestError(
                f"input '{name[:100]}' is unknown, {', '.join(self.inputs) or 'none'} expected"
            )
        if name in arrays:
            raise RequestError(f"input '{name}' is given twice")
        check_shape(name, shape, datatype, info)
        return info


def _why_no_batches(network: armnn_py.LoadedNetwork) -> str:
    """Return why requests of a network cannot be put into one run; empty if they can."""
    if network.state:
        return "it keeps a state from run to run"
    for kind, infos in (("input", network.inputs), ("output", network.outputs)):
        for name, info in infos.items():
            if not info.shape or info.shape[0] is not None:
                return f"the first dimension of {kind} '{name}' is not free"
    names = {info.dimension_names[:1] for info in network.inputs.values()}
    return "" if len(names) == 1 else "the first dimensions of its inputs have different names"
