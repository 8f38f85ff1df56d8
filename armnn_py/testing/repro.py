# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""For each failure: its arrays, a short program that shows it, and a command line for gdb."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from armnn_py.comparing.script import write_script
from armnn_py.testing.cases import all_cases
from armnn_py.testing.child import run_cases, run_feature, run_model, run_network
from armnn_py.testing.grown.networks import taken_cases
from armnn_py.testing.models.layers import layers_of
from armnn_py.testing.models.user_model import UserModel
from armnn_py.testing.target import target_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.testing.cases import Case, Level
    from armnn_py.testing.outcome import Group, Result
    from armnn_py.testing.target import Target

_BODY = """\
import numpy as np
from armnn_py.testing import reproduce

arrays = np.load({arrays!r})  # {names}
passed = reproduce({backend!r}, {case!r}, {group!r}, level={level!r}, seed={seed},
                   folders={folders!r}, options={options!r}{model})
raise SystemExit(0 if passed else 1)
"""


_MODEL = """,
                   model={path!r}, shapes={shapes!r},
                   references={references!r}"""


def write_reproductions(
    results: Sequence[Result],
    folder: str,
    *,
    backend: str,
    level: Level,
    seed: int,
    folders: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    model: UserModel | None = None,
) -> list[Result]:
    """Write files for each failure; returns the results with the names of their files.

    Parameters
    ----------
    results
        All that was found; only failures get files.
    folder
        Where they go; made if it is not there.
    backend
        The file or the id that was tested.
    level, seed, folders, options, model
        As they were for the run.
    """
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    # Of a model only what a check left: nothing here runs the backend's code to import it.
    cases = {} if model else {case.name: case for case in all_cases(level, seed=seed)}
    written = []
    for result in results:
        if result.outcome in ("passed", "refused", "untried") or result.group == "load":
            written.append(result)
            continue
        stem = re.sub(r"[^A-Za-z0-9._-]+", "_", f"{result.case}-{result.group}")
        script = os.path.abspath(os.path.join(folder, f"{stem}.py"))  # noqa: PTH100, PTH118
        arrays = os.path.abspath(os.path.join(folder, f"{stem}.npz"))  # noqa: PTH100, PTH118
        names = _write_arrays(arrays, result, cases.get(result.case))
        body = _BODY.format(
            arrays=arrays,
            names=", ".join(names),
            backend=backend,
            case=result.case,
            group=result.group,
            level=level,
            seed=seed,
            folders=list(folders),
            options=None if options is None else dict(options),
            model="" if model is None else _MODEL.format(**structs.asdict(model)),
        )
        write_script(
            script,
            f"{result.case}, {result.group}: {result.outcome}",
            "\n".join(line for line in (result.message, result.step) if line),
            body,
        )
        written.append(structs.replace(result, files=(script, arrays)))
    return written


def _write_arrays(path: str, result: Result, case: Case | None) -> list[str]:
    """Keep what the failed check left, or for a crash what went in; returns the names."""
    arrays: dict[str, Any] = {}
    if case is not None:
        arrays = {f"x{i}": value for i, value in enumerate(case.values()) if value is not None}
    for left in result.files:
        with np.load(left) as found:
            arrays |= {name: found[name] for name in found.files}
        os.unlink(left)  # noqa: PTH108
    np.savez(path, **arrays)
    return sorted(arrays)


def reproduce(
    backend: str,
    case: str,
    group: Group,
    *,
    level: Level = "quick",
    seed: int = 0,
    folders: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    model: str | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    references: Mapping[str, str] | None = None,
) -> bool:
    """Make one check of one case in this process, and print what comes of it.

    Parameters
    ----------
    backend
        File or id of the backend.
    case, group
        As a report has them.
    level, seed
        With which the report was made.
    folders
        Searched for an id.
    options
        Of the backend.
    model, shapes, references
        As `check_conformance` gets them.

    Returns
    -------
    bool
        Whether the check passed.
    """
    passed = True

    def tell(**message: Any) -> None:
        nonlocal passed
        if "done" in message:
            passed = message["outcome"] == "passed"
            print(f"{case}, {group}: {message['outcome']} {message['message']}")
        elif message.get("step"):
            print(message["step"])

    with target_for(backend, folders, options) as target:
        if model is not None:
            sizes = {name: list(dims) for name, dims in (shapes or {}).items()}
            user = UserModel(model, sizes, dict(references or {}))
            if group == "subgraphs":
                run_model(target, user, seed, "", tell)
            else:
                of_model = layers_of(user, target, level, seed).cases
                run_cases(target, [one for one in of_model if one.name == case], [group], "", tell)
        elif group == "subgraphs":
            run_network(target, case, _taken(target, seed), "", tell)
        elif group == "features":
            run_feature(target, case, seed, _taken(target, seed), "", tell)
        else:
            (found,) = (one for one in all_cases(level, seed=seed) if one.name == case)
            run_cases(target, [found], [group], "", tell)
    return passed


def _taken(target: Target, seed: int) -> list[Case]:
    with target.runtime(with_others=True) as runtime:
        return taken_cases(runtime.backends[target.id], seed)
