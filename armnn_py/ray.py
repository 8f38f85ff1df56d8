# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks on a Ray cluster: rows of a data set, a server, and the state of each node.

::

    import ray
    from armnn_py.ray import Predictor

    images = ray.data.read_parquet("images")
    images.map_batches(
        Predictor,
        fn_constructor_kwargs={"model": "model.onnx", "inputs": {"image": "pixels"}},
        batch_size=32,
        num_cpus=1,
        concurrency=4,
    ).write_parquet("scores")
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import armnn_py
from armnn_py.errors import ArmnnError, InvalidArgumentError, ShortageError
from armnn_py.tensors import TensorInfo

if TYPE_CHECKING:
    from armnn_py.serve import Settings

__all__ = ["Predictor", "deployment", "doctor"]

Array = np.ndarray[Any, Any]
Row = dict[str, Array]

#: The outputs of bad rows by the kind of their dtype; 0 for others.
_ABSENT: Mapping[str, Any] = {"f": np.nan, "O": ""}

#: Up to here each integer has a float64 of its own.
_EXACT = 2.0**53


class Predictor:
    """Run a network on batches: a callable class for ``ray.data.Dataset.map_batches``.

    Each actor loads the network once. Its threads are the processors that Ray gives the actor
    (``num_cpus``), at least one.

    Parameters
    ----------
    model
        As `armnn_py.load` takes it; the path of a saved network is mapped, so that the actors of a
        node share its weights. The path must exist on each node.
    inputs
        The column for each input of the network, by the input's name; default: the same name.
    outputs
        The new column for each output that is wanted; default: all, under their own names.
    backends
        Ids in order of preference; default: all, best first.
    on_bad_row
        ``"raise"``: a row that fails ends the job; the error names the row. ``"keep_apart"``: its
        place and the reason come in the column ``error_column``, which is empty for good rows. Its
        outputs are NaN, 0 or empty.
    error_column
        Name of that column.
    runtime
        Arguments of `armnn_py.Runtime`, such as ``{"isolate": "all"}``.
    options
        More arguments of `armnn_py.load`.

    Attributes
    ----------
    network : LoadedNetwork
        The network of this actor, for subclasses that prepare its inputs.

    Raises
    ------
    InvalidArgumentError
        An input or output that the network lacks, or a network whose inputs have no batch.
    ArmnnError
        As `armnn_py.load`.

    Notes
    -----
    The first dimension of each input and output is the batch. A free one takes the whole batch of
    Ray in one run. Of a fixed one of N, each run takes N rows; the last run repeats its last row.
    Values are converted where numpy calls it the same kind: float64 to float32, int64 to int32,
    uint8 to float32. Integers that do not fit are bad rows; a column of floats for integers is an
    error. Rows of float64 in a column of objects may hold whole numbers: Arrow makes such rows of
    integers when a list beside them has a null. Layouts are never converted.

    A batch that fails is halved until the failing rows are alone. Backends that are lost and
    resources that run out are failures of the job, not of rows: see ``runtime`` for isolation.
    """

    def __init__(
        self,
        model: Any,
        *,
        inputs: Mapping[str, str] | None = None,
        outputs: Mapping[str, str] | None = None,
        backends: Sequence[str] | str | None = None,
        on_bad_row: Literal["raise", "keep_apart"] = "raise",
        error_column: str = "error",
        runtime: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if on_bad_row not in ("raise", "keep_apart"):
            raise InvalidArgumentError(
                f"on_bad_row: {on_bad_row!r} given, 'raise' or 'keep_apart' expected"
            )
        self._keeps = on_bad_row == "keep_apart"
        self._error_column = error_column
        threads = _threads_of_actor()
        if threads is not None:
            armnn_py.set_num_threads(threads)
        more = dict(options or {})
        if runtime is not None:
            more["runtime"] = armnn_py.Runtime(**runtime)
        self.network = armnn_py.load(model, backends, **more)
        self._columns = _names(inputs, self.network.inputs, "input", is_whole=True)
        self._outputs = _names(outputs, self.network.outputs, "output", is_whole=False)
        self._rows_of_run = _batch_of(self.network.inputs)
        self._like: Row = {
            name: np.zeros([dim or 0 for dim in info.shape[1:]], info.data_type.numpy)
            for name, info in self.network.outputs.items()
        }

    def __call__(self, batch: dict[str, Array]) -> dict[str, Array]:
        """Return the outputs, and the columns of the batch that the network does not read.

        Parameters
        ----------
        batch
            A column is an array of shape (rows, ...), or of objects with one array for each row.
        """
        columns = {name: self._column(batch, name) for name in self._columns}
        rows = min(map(len, columns.values()))
        answers: list[Row | None] = [None] * rows
        reasons = [""] * rows
        waiting = [(0, rows)] if rows else []
        while waiting:
            first, last = waiting.pop()
            try:
                found = self._run({name: one[first:last] for name, one in columns.items()})
            except ShortageError:
                raise
            except ArmnnError as error:
                if self.network.health.status == "lost":
                    raise
                if last - first > 1:
                    middle = (first + last) // 2
                    waiting += [(middle, last), (first, middle)]
                    continue
                reasons[first] = f"row {first} of its batch: {type(error).__name__}: {error}"
                if not self._keeps:
                    raise InvalidArgumentError(reasons[first]) from error
                continue
            for place in range(first, last):
                answers[place] = {name: one[place - first] for name, one in found.items()}
        # Ray joins no batch whose inputs are a tensor with one whose bad rows make them objects.
        kept = batch.keys() - set(self._columns.values())
        result = {name: batch[name] for name in batch if name in kept} | self._stacked(answers)
        if self._keeps:
            result[self._error_column] = np.array(reasons, object)
        return result

    def _column(self, batch: dict[str, Array], name: str) -> Array:
        column = self._columns[name]
        if column not in batch:
            raise InvalidArgumentError(
                f"input '{name}': the data set has no column '{column}', only {', '.join(batch)}"
            )
        values = np.asarray(batch[column])
        if values.dtype.kind != "O":
            _check_kind(name, values, self.network.inputs[name])
        return values

    def _run(self, columns: dict[str, Array]) -> Row:
        """Run some rows, in one run or in runs of the network's fixed batch."""
        inputs = {
            name: _converted(name, values, self.network.inputs[name])
            for name, values in columns.items()
        }
        wanted = list(self._outputs)
        size = self._rows_of_run
        rows = len(next(iter(inputs.values())))
        if size is None or size == rows:
            return self.network.run(inputs, outputs=wanted)
        runs = [
            self.network.run(
                {
                    name: _padded(values[first : first + size], size)
                    for name, values in inputs.items()
                },
                outputs=wanted,
            )
            for first in range(0, rows, size)
        ]
        return {name: np.concatenate([run[name] for run in runs])[:rows] for name in wanted}

    def _stacked(self, answers: list[Row | None]) -> dict[str, Array]:
        """Return a column for each output; rows of different shapes make a column of objects."""
        self._like = next((one for one in answers if one is not None), self._like)
        columns = {}
        for name, column in self._outputs.items():
            like = self._like[name]
            absent = np.full_like(like, _ABSENT.get(like.dtype.kind, 0))
            rows = [absent if one is None else one[name] for one in answers]
            if len({one.shape for one in rows}) <= 1:
                columns[column] = np.stack(rows) if rows else np.zeros((0, *like.shape), like.dtype)
            else:
                columns[column] = np.empty(len(rows), object)
                columns[column][:] = rows
        return columns


def _names(
    given: Mapping[str, str] | None, infos: Mapping[str, TensorInfo], kind: str, *, is_whole: bool
) -> dict[str, str]:
    """Return the column for each input or output of the network."""
    for name in given or ():
        if name not in infos:
            raise InvalidArgumentError(f"{kind} '{name}' is unknown, {', '.join(infos)} expected")
    own = {name: name for name in infos} if is_whole or given is None else {}
    return {**own, **(given or {})}


def _batch_of(inputs: Mapping[str, TensorInfo]) -> int | None:
    """Return the fixed batch of a network; None if it is free."""
    sizes = {info.shape[0] if info.shape else 0 for info in inputs.values()}
    if len(sizes) != 1 or 0 in sizes:
        shapes = ", ".join(f"'{name}' {list(info.shape)}" for name, info in inputs.items())
        raise InvalidArgumentError(f"the inputs have no batch as their first dimension: {shapes}")
    return sizes.pop()


def _check_kind(name: str, values: Array, info: TensorInfo) -> None:
    wanted = info.data_type.numpy
    if values.dtype != wanted and not np.can_cast(values.dtype, wanted, "same_kind"):
        raise InvalidArgumentError(f"input '{name}': dtype {values.dtype} given, {wanted} expected")


def _converted(name: str, values: Array, info: TensorInfo) -> Array:
    """Return the rows as one array of the input's dtype."""
    wanted = info.data_type.numpy
    if values.dtype.kind == "O" and wanted.kind != "O":
        try:
            values = np.stack([np.asarray(one) for one in values])
        except ValueError:
            raise InvalidArgumentError(f"input '{name}': rows have different shapes") from None
        # One list with a null makes Arrow turn the integers of all lists beside it into float64.
        is_exact = values.dtype == np.float64 and np.all(np.abs(values) <= _EXACT)
        if wanted.kind not in "iu" or not is_exact:
            _check_kind(name, values, info)
    if values.dtype == wanted:
        return values
    made = values.astype(wanted)
    if made.dtype.kind in "iu" and not np.array_equal(made, values):
        raise InvalidArgumentError(f"input '{name}': a value of {values.dtype} is beyond {wanted}")
    return made


def _padded(values: Array, size: int) -> Array:
    lacking = size - len(values)
    return np.concatenate([values, np.repeat(values[-1:], lacking, axis=0)]) if lacking else values


def _threads_of_actor() -> int | None:
    """Return the processors of this actor; None outside of an actor."""
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return None
    context = ray.get_runtime_context()
    if context.get_actor_id() is None:
        return None
    return max(1, int(context.get_assigned_resources().get("CPU", 1)))


def deployment(
    *models: str | os.PathLike[str], settings: Settings | None = None, **options: Any
) -> Any:
    """Return a Ray Serve application that serves models by the Open Inference Protocol v2.

    Each replica runs the application of `armnn_py.serve.application`.

    Parameters
    ----------
    models
        Model files and saved networks; the paths must exist on each node.
    settings
        As `armnn_py.serve.application` takes them.
    options
        As ``ray.serve.deployment`` takes them, such as ``num_replicas``, ``autoscaling_config``
        (``target_ongoing_requests`` is the length of the queue that it holds) and
        ``graceful_shutdown_timeout_s``. ``ray_actor_options={"num_cpus": 2}`` gives a replica two
        threads.

    Returns
    -------
    ray.serve.Application
        For ``ray.serve.run``. A replica is replaced when no model of it is ready any more.

    Examples
    --------
    >>> from ray import serve
    >>> from armnn_py.ray import deployment
    >>> serve.run(deployment("model.onnx", num_replicas=2))
    """
    from ray import serve

    from armnn_py.serve import application

    def build() -> Any:
        threads = _threads_of_actor()
        if threads is not None:
            armnn_py.set_num_threads(threads)
        return application(*models, settings=settings)

    class OpenInference(serve.ingress(build)()):  # type: ignore[misc]
        async def check_health(self) -> None:
            """Raise when the server is not ready: Ray then replaces the replica."""
            status = await _get_status(self.app, "/v2/health/ready")
            if status != HTTPStatus.OK:
                raise RuntimeError(f"the models of this replica are not ready: status {status}")

    named = {"name": "OpenInference", **options}
    return serve.deployment(**named)(OpenInference).bind()


async def _get_status(app: Any, path: str) -> int:
    """Return the status of a GET request to an ASGI application."""
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope: dict[str, Any] = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
        "scheme": "http", "path": path, "raw_path": path.encode(), "root_path": "",
        "query_string": b"", "headers": [], "client": None, "server": None,
    }  # fmt: skip
    await app(scope, receive, send)
    return statuses[0]


def doctor(*, timeout: float = 120.0) -> dict[str, dict[str, Any]]:
    """Run ``armnn-py doctor`` on each node of the cluster.

    Parameters
    ----------
    timeout
        Seconds for all nodes together.

    Returns
    -------
    dict
        For each node's address: ``healthy``, and ``checks`` as ``armnn-py doctor --json`` has them.
        A node without an answer is not healthy; its ``error`` says why.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    asked = {}
    for node in (one for one in ray.nodes() if one["Alive"]):
        place = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        task = ray.remote(num_cpus=0, max_retries=0)(_doctor_of_node)
        address = f"{node['NodeManagerAddress']} {node['NodeID'][:8]}"
        asked[address] = task.options(scheduling_strategy=place).remote()
    done, _ = ray.wait(list(asked.values()), num_returns=len(asked), timeout=timeout)
    reports: dict[str, dict[str, Any]] = {}
    for address, answer in asked.items():
        try:
            if answer not in done:
                raise TimeoutError(f"no answer in {timeout:g} s")
            reports[address] = ray.get(answer)
        except Exception as error:  # of Ray, of the node, or that armnn_py is missing there
            reports[address] = {"healthy": False, "checks": [], "error": str(error)}
    return reports


def _doctor_of_node() -> dict[str, Any]:
    command = [sys.executable, "-m", "armnn_py", "doctor", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    return {"healthy": report["healthy"], "checks": report["checks"]}
