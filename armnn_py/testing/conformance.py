# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One run of the kit: starts the process that forks, and collects what it tells."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import structs

from armnn_py.errors import BackendError, InvalidArgumentError
from armnn_py.testing.checks.subgraphs import network_names
from armnn_py.testing.features import FEATURES
from armnn_py.testing.models.user_model import UserModel
from armnn_py.testing.oracles.expected import Known, changes, read_known
from armnn_py.testing.oracles.own_operators import function_of
from armnn_py.testing.outcome import GROUPS, Group, Result
from armnn_py.testing.report import Report
from armnn_py.testing.repro import write_reproductions
from armnn_py.testing.serving import served
from armnn_py.testing.target import DiedAtLoadError, target_for

if TYPE_CHECKING:
    from armnn_py.testing.cases import Level
    from armnn_py.types import DataType, LayerType

ALL_GROUPS: tuple[Group, ...] = (*GROUPS, "subgraphs", "features")
#: Networks of random patterns, and of layers that the backend takes, by level.
_NETWORKS = {"quick": (1, 7), "full": (10, 42)}

OnProgress = Callable[[int, int], None]


def check_conformance(
    file_or_id: str | os.PathLike[str],
    *,
    level: Level = "quick",
    layers: Collection[LayerType] = (),
    types: Collection[DataType] = (),
    groups: Collection[Group] = ALL_GROUPS,
    seed: int = 0,
    timeout: float = 10.0,
    jobs: int | None = None,
    part: tuple[int, int] = (1, 1),
    repro: str | os.PathLike[str] | None = None,
    expect: str | os.PathLike[str] | None = None,
    folders: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    model: str | os.PathLike[str] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    references: Mapping[str, str] | None = None,
    on_progress: OnProgress | None = None,
) -> Report:
    """Test a backend with every layer that it takes, in processes that may die of it.

    Parameters
    ----------
    file_or_id
        The shared object, or the id of a backend that is found where backends are searched.
    level
        ``quick`` (some minutes at most) or ``full``.
    layers, types, groups
        Only these; all if empty. Random networks and features need all layers and types.
    seed
        Values and networks are drawn from it.
    timeout
        Seconds that a step of a check may take before it hangs.
    jobs
        Processes at a time; as many as there are processors if not given.
    part
        ``(2, 5)``: the second of five equal parts of the cases, for several machines or times. Not
        with ``expect``.
    repro
        A folder for arrays and programs that show each failure.
    expect
        A file of known failures and refusals: see `armnn_py.testing.oracles.expected.read_known`.
    folders
        Where an id is looked for, instead of the usual places.
    options
        Of the backend, by name.
    model
        A model file: its layers are the cases, with their shapes, quantisation and constants, and
        its network is the only one. Of equal layers the first is tried; ``quick`` tries 64.
    shapes
        Shapes of the model's inputs by name; a free first dimension is 1.
    references
        By the name of an operator without a layer: ``"module:function"`` or
        ``"file.py:function"``. It gets the operands as arrays, and the attributes by name.
    on_progress
        Called with how many cases, networks and features are done and how many there are.

    Returns
    -------
    Report
        ``report.ok`` is the verdict.

    Raises
    ------
    BackendError
        The file is refused, or there is no such backend.
    InvalidArgumentError
        An argument makes no sense.
    """
    if level not in _NETWORKS:
        raise InvalidArgumentError(f"level '{level}' is neither quick nor full")
    number, count = part
    if not 1 <= number <= count:
        raise InvalidArgumentError(f"part {number} of {count}: from 1 to {count} expected")
    if count > 1 and expect is not None:
        raise InvalidArgumentError("expect: the file is about all cases, not about a part of them")
    if model is None and (shapes or references):
        raise InvalidArgumentError("shapes and references are about a model, which is not given")
    user = None if model is None else _user_model(model, shapes or {}, references or {})
    known: list[Known] = [] if expect is None else read_known(expect)
    is_file = os.path.isfile(file_or_id)  # noqa: PTH113
    file = os.path.abspath(os.fspath(file_or_id)) if is_file else None  # noqa: PTH100
    results: list[Result] = []
    of_model: dict[str, int] | None = None
    backend = os.path.basename(os.fspath(file_or_id))  # noqa: PTH119
    try:
        with (
            target_for(file_or_id, folders, options, timeout=timeout) as target,
            tempfile.TemporaryDirectory(prefix="armnn-py-test-") as arrays,
        ):
            backend = target.id
            is_whole = not layers and not types
            are_wanted = "subgraphs" in groups and is_whole and user is None
            networks = network_names(*_NETWORKS[level], seed) if are_wanted else []
            features = list(FEATURES) if "features" in groups and is_whole and user is None else []
            order = {
                "target": target.as_json(),
                "level": level,
                "seed": seed,
                "layers": [int(layer) for layer in layers],
                "types": [int(data_type) for data_type in types],
                "groups": list(groups),
                "timeout": timeout,
                "jobs": jobs or len(os.sched_getaffinity(0)),
                "folder": arrays,
                "part": [number, count],
                "model": None if user is None else structs.asdict(user),
                "networks": networks[number - 1 :: count],
                "features": features[number - 1 :: count],
            }
            for message in _messages(order, on_progress or (lambda done, total: None)):
                of_model = message.get("model", of_model)
                if "result" in message:
                    given = message["result"]
                    results.append(Result(**{**given, "files": tuple(given["files"])}))
            if repro is not None:
                results = write_reproductions(
                    results,
                    os.fspath(repro),
                    backend=file or target.id,
                    level=level,
                    seed=seed,
                    folders=folders,
                    options=options,
                    model=user,
                )
    except DiedAtLoadError as error:
        results = [Result("load", "", "", "load", error.outcome, error.message, error.step)]  # type: ignore[arg-type]
    for result in results:
        if result.case == "model" and result.group == "load" and result.outcome == "failed":
            raise InvalidArgumentError(
                f"model '{model}' cannot be tested: {result.message}",
                hints=["--shape NAME=1x3x224x224, or shapes=, gives the sizes of free dimensions"],
            )
        if result.group == "load" and result.outcome == "failed":
            raise BackendError(
                f"backend '{backend}' cannot be tested: {result.message}",
                hints=["'armnn-py backends list' shows the backends and the refused files"],
            )
    bad = tuple(changes(results, known))
    return Report(backend, file, level, seed, tuple(results), bad, of_model)


def _user_model(
    path: str | os.PathLike[str], shapes: Mapping[str, Sequence[int]], references: Mapping[str, str]
) -> UserModel:
    name = os.path.abspath(os.fspath(path))  # noqa: PTH100
    if not os.path.isfile(name):  # noqa: PTH113
        raise InvalidArgumentError(f"model '{name}' is not a file")
    for named in references.values():
        function_of(named)
    return UserModel(name, {one: list(dims) for one, dims in shapes.items()}, dict(references))


def _messages(order: Mapping[str, Any], on_progress: OnProgress) -> Iterator[dict[str, Any]]:
    """Give what comes of an order, and report its progress."""
    total = 0
    for message in served("armnn_py.testing.server", order):
        yield message
        total = message.get("total", total)
        if "done" in message:
            on_progress(message["done"], total)
