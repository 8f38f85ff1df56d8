# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Saved networks that run in stages: each network of a stage or a body has a folder of its own.

`network.json` lists the networks as a tree: each staged one names those of its stages by their
numbers, which are larger than its own. Functions of stages are the structs of `network.control`
and `network.choices`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeAlias, get_origin

import msgspec
import numpy as np
from msgspec import Struct

from armnn_py._version import __version__
from armnn_py.errors import ParseError
from armnn_py.network import Network, NetworkStorage, Stage, as_network, stages_needed
from armnn_py.network.choices import Choice
from armnn_py.network.control import BodyRun, Branches, CallOnce, Control, Loop, Scan
from armnn_py.network.stages import count_layers, describe_stage, walk_stages
from armnn_py.optimizer.saved.archive import CONSTANTS
from armnn_py.optimizer.saved.contents import Savable, SavedNetwork, SavedStages
from armnn_py.optimizer.saved.safetensors import NAME_OF, tensors_to_chunks
from armnn_py.optimizer.saved.values import (
    FORMAT,
    FORMAT_VERSION,
    DamageError,
    info_from_json,
    info_to_json,
    metadata_from_json,
    metadata_to_json,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.network.repeat import Collected
    from armnn_py.optimizer.saved.archive import Archive
    from armnn_py.tensors import TensorInfo


Info: TypeAlias = "dict[str, Any]"
Members: TypeAlias = "dict[str, tuple[Any, ...]]"
#: As in a model file.
_DEEPEST = 64


class StageFields(Struct):
    """A stage."""

    inputs: tuple[str, ...]
    outputs: dict[str, dict[str, Any]]
    network: int | None
    control: Loop | Branches | CallOnce | Scan | Choice | None
    bodies: dict[str, int]
    name: str
    operator: str


class NetworkFields(Struct):
    """A network that runs in stages."""

    name: str
    inputs: dict[str, dict[str, Any]]
    outputs: dict[str, dict[str, Any]]
    variables: dict[str, dict[str, Any]]
    stages: list[StageFields]


class Document(Struct):
    """The text of ``network.json``; None stands for a network without stages."""

    metadata: dict[str, Any]
    defaults: dict[str, np.ndarray[Any, Any]]
    networks: list[NetworkFields | None]
    format: str = FORMAT
    format_version: int = FORMAT_VERSION
    written_by: str = __version__


# ---- Writing -------------------------------------------------------------------------------------


def members_in_stages(optimized: Savable, members_of: Callable[[Savable], Members]) -> Members:
    """Return the members of a network's file by name.

    Parameters
    ----------
    optimized
        The network.
    members_of
        Returns those of a network without stages.

    Raises
    ------
    StagesNeededError
        A stage has free dimensions, or is a function that only the importer has.
    """
    _check_kinds(optimized.given)
    numbered: list[NetworkStorage] = [optimized.given]

    def number_of(network: NetworkStorage) -> int:
        numbered.append(network)
        return len(numbered) - 1

    networks: list[NetworkFields | None] = []
    members: Members = {}
    for number, network in enumerate(numbered):  # it grows
        if network.stages:
            networks.append(_fields_of(network, number_of))
            continue
        networks.append(None)
        part = optimized.like_this(as_network(network))
        members |= {f"{number}/{name}": chunks for name, chunks in members_of(part).items()}
    arrays: list[NDArray[Any]] = []

    def encode(value: Any) -> Any:
        if isinstance(value, np.dtype):
            return value.name
        if isinstance(value, ParseError):
            return [value.message, value.details, value.hints]
        arrays.append(value)
        return [len(arrays) - 1, value.dtype.name, value.shape]

    metadata = optimized.metadata
    document = Document(metadata_to_json(metadata), dict(metadata.defaults), networks)
    text = msgspec.json.encode(document, enc_hook=encode)
    constants = {CONSTANTS: tensors_to_chunks(arrays)} if arrays else {}
    return {"network.json": (text,), **constants, **members}


def _check_kinds(network: NetworkStorage) -> None:
    """Raise if a stage cannot be in a file."""
    for number, stage, _ in walk_stages(network):
        networks = [stage.bodies[name] for name in stage.bodies]
        if stage.network is not None:
            networks.append(stage.network)
        is_data = stage.network is not None or isinstance(stage.compute, Control)
        is_static = all(count_layers(one) is not None or one.stages for one in networks)
        if stage.has_strings or not (is_data and is_static):
            why = "" if is_data else ": only the importer computes it"
            detail = f"cannot be saved: stage {number}, {describe_stage(stage)}{why}"
            raise stages_needed(network.name, network.stages, [detail])


def _fields_of(
    network: NetworkStorage, number_of: Callable[[NetworkStorage], int]
) -> NetworkFields:
    stages = [
        StageFields(
            stage.inputs, _to_json(stage.outputs),
            None if stage.network is None else number_of(stage.network),
            stage.compute,  # type: ignore[arg-type]
            {name: number_of(body) for name, body in stage.bodies.items()},
            stage.name, stage.operator,
        )
        for stage in network.stages
    ]  # fmt: skip
    return NetworkFields(
        network.name, _to_json(network.inputs), _to_json(network.outputs),
        _to_json(network.variables), stages,
    )  # fmt: skip


def _to_json(infos: Mapping[str, TensorInfo]) -> dict[str, Info]:
    """Return infos as JSON, with null for free dimensions."""
    known = {n: info.with_shape([dim or 0 for dim in info.shape]) for n, info in infos.items()}
    return {n: {**info_to_json(one), "shape": list(infos[n].shape)} for n, one in known.items()}


# ---- Reading -------------------------------------------------------------------------------------


def read_stages(
    archive: Archive, text: bytes, read_one: Callable[[Archive], SavedNetwork]
) -> SavedStages:
    """Read a network that runs in stages; ``read_one`` reads the folder of one that does not.

    Raises
    ------
    ValueError, ArmnnError
        The document is damaged.
    """

    def decode(kind: Any, given: Any) -> Any:
        if get_origin(kind) is np.ndarray:
            number, dtype, shape = msgspec.convert(given, tuple[int, str, tuple[int, ...]])
            return archive.array(str(number), shape, _dtype(dtype))
        if kind is ParseError:
            message, details, hints = msgspec.convert(given, tuple[str, list[str], list[str]])
            return ParseError(message, details=details, hints=hints)
        return _dtype(given)

    document = msgspec.json.decode(text, type=Document, dec_hook=decode)
    found: dict[int, SavedNetwork | NetworkStorage] = {}
    depths: dict[int, int] = {}
    for number in reversed(range(len(document.networks))):
        fields = document.networks[number]
        if fields is None:
            found[number] = read_one(archive.within(f"{number}/"))
            continue
        found[number] = _network_of(fields, found)
        inner = (one for stage in fields.stages for one in (stage.network, *stage.bodies.values()))
        depths[number] = 1 + max((depths.get(one, 0) for one in inner if one), default=0)
        if depths[number] > _DEEPEST:
            raise DamageError(f"its networks lie more than {_DEEPEST} deep in each other")
    whole = found.get(0)
    if not isinstance(whole, NetworkStorage):
        raise DamageError("its first network has no stages")
    metadata = metadata_from_json(document.metadata)
    for name, default in document.defaults.items():
        info = whole.inputs.get(name)
        if info is None or (default.shape, default.dtype) != (info.shape, info.dtype):
            raise DamageError(f"input '{name[:64]}' has another default")
    whole.metadata = replace(metadata, defaults=document.defaults)
    parts = tuple(one for one in found.values() if isinstance(one, SavedNetwork))
    return SavedStages(archive, document.written_by, whole, parts[::-1])


def _dtype(name: Any) -> np.dtype[Any]:
    if not isinstance(name, str) or name not in NAME_OF:
        raise DamageError(f"type '{str(name)[:40]}' is unknown")
    return np.dtype(name)


def _network_of(
    fields: NetworkFields, found: Mapping[int, SavedNetwork | NetworkStorage]
) -> Network:
    """Return a network that runs in stages; ``found`` are those behind it."""

    def network(number: int) -> NetworkStorage:
        one = found.get(number)
        if one is None:
            raise DamageError(f"network {number} of a stage is missing")
        return one.contents if isinstance(one, SavedNetwork) else one

    inputs, outputs, variables = map(_from_json, (fields.inputs, fields.outputs, fields.variables))
    known, stages = dict(inputs), list[Stage]()
    for one in fields.stages:
        stage = Stage(
            one.inputs, _from_json(one.outputs),
            None if one.network is None else network(one.network), one.control,
            {name: network(body) for name, body in one.bodies.items()}, one.name, one.operator,
        )  # fmt: skip
        _check_stage(stage, one.control, known)
        known |= stage.outputs
        stages.append(stage)
    if not stages or not outputs.keys() <= known.keys():
        raise DamageError(f"the stages of network '{fields.name[:64]}' do not make its outputs")
    return Network.from_builder(fields.name, inputs, _no_builder, outputs, variables, stages=stages)


def _no_builder(infos: Mapping[str, TensorInfo]) -> Network:
    """Stand for the builder, which is not asked where the stages are known."""
    raise DamageError(f"a saved network is not built for {dict(infos)}")


def _from_json(infos: Mapping[str, Info]) -> dict[str, TensorInfo]:
    found = {}
    for name, given in infos.items():
        shape = given["shape"]
        known = [0 if dim is None else dim for dim in shape]
        found[name] = info_from_json({**given, "shape": known}).with_shape(shape)
    return found


def _check_stage(stage: Stage, control: Control | None, known: Mapping[str, TensorInfo]) -> None:
    if not {*stage.inputs} <= known.keys():
        raise DamageError("a stage reads a tensor that no stage before it makes")
    network = stage.network
    if (network is None) == (control is None):
        raise DamageError("a stage has neither a network nor bodies, or both")
    if network is not None:
        if {*stage.inputs} != network.inputs.keys() or not (
            stage.outputs.keys() <= network.outputs.keys()
        ):
            raise DamageError(f"the stage with network '{network.name[:64]}' has other tensors")
    elif control is not None:
        check_control(stage, control, known)


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
    elif isinstance(control, Choice):
        count, is_whole = _check_choice(stage, control, known), True
    else:
        assert isinstance(control, CallOnce)
        _check_body(stage, control.body, compress(control.body.inputs, given))
        count, is_whole = len(control.body.outputs), True
    if not is_whole or not all(0 <= index < count for index in control.outputs.values()):
        raise DamageError(f"'{control.label[:64]}' lacks operands or results")


def _check_choice(stage: Stage, choice: Choice, known: Mapping[str, TensorInfo]) -> int:
    """Return how many results an operator has; check their types and ranks for its operands'."""
    infos = {name: known[name] for name in choice.operands.read}
    arrays = {name: np.ones((1,) * info.rank, info.dtype) for name, info in infos.items()}
    try:
        found = choice.choose(*choice.operands.of(arrays))
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise DamageError(f"'{choice.label[:64]}' does not take its operands: {error}") from error
    for name, info in stage.outputs.items():
        array = found[choice.outputs[name]] if 0 <= choice.outputs[name] < len(found) else None
        if array is not None and (array.dtype, array.ndim) != (info.dtype, info.rank):
            raise DamageError(
                f"'{choice.label[:64]}' makes {array.ndim} dimensions of {array.dtype} for "
                f"'{name[:64]}', but its stage states {info.rank} of {info.dtype}"
            )
    return len(found)


def _check_body(stage: Stage, run: BodyRun, given: Iterable[str]) -> None:
    """Check that the network of a body reads what is there, and makes what it should.

    ``given`` are those of its inputs that have an operand.
    """
    network = stage.bodies.get(run.key)
    inputs = set() if network is None else {*network.inputs}
    outputs = set() if network is None else {*network.outputs}
    there = {*stage.inputs, *filter(None, given), *run.constants}
    if (
        not {*run.made} <= outputs
        or (network is not None and {*run.reads} != inputs)
        or not {*run.reads} <= there
        or not {*filter(None, run.outputs)} <= there.union(run.made)
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
