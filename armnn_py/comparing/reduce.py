# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layer that is wrong as a network of its own, with its arrays and a script."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from armnn_py.comparing.differences import Difference
from armnn_py.comparing.groups import Group, constant_layers, group_of, groups_of
from armnn_py.comparing.kept import write_arrays
from armnn_py.comparing.layers import LayerComparer
from armnn_py.comparing.pieces import piece_of
from armnn_py.comparing.saving import save_plainly
from armnn_py.comparing.script import write_script
from armnn_py.comparing.sides import BackendSide
from armnn_py.comparing.tensors import place_of
from armnn_py.errors import InvalidArgumentError
from armnn_py.optimizer.optimize import optimize
from armnn_py.runtime.runtime import Runtime

if TYPE_CHECKING:
    from armnn_py.backends.backend import Backend
    from armnn_py.comparing.narrowing import Finding
    from armnn_py.comparing.tensors import Tensors

_BODY = """\
import armnn_py as ann

runtime = ann.Runtime({paths!r}, backend_options={options!r}{python})
network, arrays = {network!r}, {arrays!r}  # {names}
found = ann.compare(network, {backends!r}, reference=arrays, layers=True, factor={factor!r},
                    times={times!r}, runtime=runtime)
print(found)
raise SystemExit(0 if found.passed else 1)
"""


class Reducible(Struct, frozen=True):
    """The sources of a reduction."""

    tensors: Tensors
    subject: BackendSide
    factor: float
    times: int
    owns_runtime: bool = False


def write_reduction(
    finding: Finding,
    source: Reducible,
    folder: str | os.PathLike[str],
) -> tuple[str, ...]:
    """Write script, network and arrays; see `Comparison.reduce`."""
    if source.owns_runtime:
        with Runtime() as runtime:
            old = source.subject
            subject = BackendSide(old.network, old.backends, runtime, old.options)
            source = structs.replace(source, subject=subject)
            return _written(finding, source, folder)
    return _written(finding, source, folder)


def _written(
    finding: Finding, source: Reducible, folder: str | os.PathLike[str]
) -> tuple[str, ...]:
    group = _shows_alone(finding, source)
    piece = piece_of(finding.layer, [group], source.tensors.name)
    slots = {**piece.inputs, **piece.outputs}
    arrays = {name: finding.values[place_of(slot)] for name, slot in slots.items()}
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    except OSError as error:
        raise InvalidArgumentError(
            f"reduce: folder '{os.fspath(folder)}' cannot be made: {error.strerror}"
        ) from error
    stem = (
        re.sub(r"[^A-Za-z0-9._-]+", "_", finding.group.layers[0].name)[:100].strip("._") or "layer"
    )
    base = os.path.abspath(os.path.join(folder, stem))  # noqa: PTH100, PTH118
    network, values, script = (f"{base}.{suffix}" for suffix in ("armnnpy", "npz", "py"))
    save_plainly(piece.network, source.subject.runtime, network)
    write_arrays(values, arrays)
    used = _backends_of(group, source)
    written_in_python = [one.id for one in used if one.place == "python"]
    body = _BODY.format(
        paths=[one.file for one in used if one.file and one.place != "bundled"] or None,
        options={one.id: own for one in used if (own := _changed_options(one))} or None,
        python="".join(f", python_backends=[{one}()]" for one in written_in_python[:1]),
        network=network,
        arrays=values,
        names=", ".join(sorted(arrays)),
        backends=source.subject.backends and list(source.subject.backends),
        factor=source.factor,
        times=source.times,
    )
    write_script(script, f"{group.backend}: {group.type}", str(finding), body)
    return script, network, values


def _backends_of(group: Group, source: Reducible) -> list[Backend]:
    known = source.subject.runtime.backends
    listed = source.subject.backends or known.by_preference
    present = known.present(listed)[0]
    return [known[one] for one in dict.fromkeys([*present, group.backend]) if one in known]


def _changed_options(backend: Backend) -> dict[str, Any]:
    return {
        option.name: option.value
        for option in backend.describe_options()
        if option.scope == "backend" and not option.secret and option.value != option.default
    }


def _shows_alone(finding: Finding, source: Reducible) -> Group:
    """Return the layers at fault, with as many before them as the error needs to be seen.

    Raises
    ------
    InvalidArgumentError
        The error is seen in the whole network alone.
    """
    subject = source.subject
    comparer = LayerComparer(subject, subject, source.tensors, source.factor, source.times)
    constants = constant_layers(subject.network)
    optimized = optimize(
        subject.network, subject.backends, runtime=subject.runtime, options=subject.options
    )
    known = finding.values.keys()
    groups = [one for one in groups_of(subject.network, optimized) if _is_within(one, known)]
    before = [one for one in groups if one.layers[-1].guid < finding.group.layers[-1].guid]
    group, taken = finding.group, 1
    while True:
        (errors,) = comparer.own([group], finding.values)
        if not Difference.largest(errors.values()).passed:
            return group
        if taken > 2 * len(before):
            raise InvalidArgumentError(
                "reduce: the error is seen in the whole network alone",
                details=[str(finding)],
                hints=["times=10 runs each layer ten times, for errors that come and go"],
            )
        layers = {layer.guid: layer for one in before[-taken:] for layer in one.layers}
        layers |= {layer.guid: layer for layer in finding.group.layers}
        whole = group_of(layers.values(), constants, finding.group.backend)
        outputs = tuple(slot for slot in whole.outputs if place_of(slot) in known)
        group, taken = structs.replace(whole, outputs=outputs), taken * 2


def _is_within(group: Group, known: object) -> bool:
    return all(place_of(slot) in known for slot in (*group.inputs, *group.outputs))  # type: ignore[operator]
