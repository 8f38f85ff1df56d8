# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A process that runs cases one by one: folders come on its standard input, answers go out."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from armnn_py._native.process.parent_process import end_with_parent
from armnn_py.errors import (
    ArmnnError,
    ExecutionError,
    InternalError,
    NoBackendForLayerError,
    UnsupportedOperatorError,
)
from armnn_py.runtime import Runtime
from armnn_py.runtime.load import load
from armnn_py.testing.onnx_suite.case import OnnxCase, compare, data_sets
from armnn_py.testing.onnx_suite.result import CaseResult, Outcome

_RANDOM = {
    "Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
    "RandomUniformLike",
}  # fmt: skip
_MOST = 400  # characters of a message


def run_case(case: OnnxCase, runtime: Runtime, backends: Sequence[str]) -> CaseResult:
    """Load the model of a case, run it on the recorded inputs, compare."""
    import onnx

    def result(outcome: Outcome, message: str, reason: str) -> CaseResult:
        words = " ".join(message.split())[:_MOST]
        return CaseResult(case.family, case.name, outcome, words, reason)

    try:
        with load(case.model, list(backends) or None, runtime=runtime) as network:
            model = onnx.load(case.model)
            for inputs, expected in data_sets(case, model):
                compare(_grouped(network.run(inputs), model), expected)
    except (ExecutionError, InternalError) as error:
        return result(Outcome.FAILED, str(error), type(error).__name__)
    except ArmnnError as error:
        return result(Outcome.NOT_APPLICABLE, str(error), reason_of(error))
    except AssertionError as error:
        has_form = not str(error).startswith("output ")  # types and shapes are as recorded
        if has_form and any(node.op_type in _RANDOM for node in model.graph.node):
            words = "random numbers of another generator are recorded"
            return result(Outcome.NOT_APPLICABLE, words, words)
        return result(Outcome.FAILED, str(error), "other outputs than recorded")
    except Exception as error:
        return result(Outcome.FAILED, f"{type(error).__name__}: {error}", type(error).__name__)
    return CaseResult(case.family, case.name, Outcome.PASSED)


def _grouped(found: Mapping[str, Any], model: Any) -> dict[str, Any]:
    """Return outputs by the model's names: of a sequence, which comes as many outputs, a list."""
    grouped: dict[str, Any] = {}
    for info in model.graph.output:
        if info.type.WhichOneof("value") == "sequence_type":
            start = f"{info.name}["
            grouped[info.name] = [value for name, value in found.items() if name.startswith(start)]
        else:
            grouped[info.name] = found[info.name]
    return grouped


def reason_of(error: ArmnnError) -> str:
    """Return why a model was refused, in words that other models share."""
    if isinstance(error, UnsupportedOperatorError) and error.operators:
        first = error.operators[0]
        return f"{first.name}: {_general(first.reason)}"
    if isinstance(error, NoBackendForLayerError) and error.layers:
        layer = error.layers[0]
        reasons = [reason for _, reason in layer.refusals]
        return f"{layer.type}: {_general(reasons[-1] if reasons else error.message)}"
    return _general(error.message)


def _general(text: str) -> str:
    """Without names of tensors, layers and files, and without numbers."""
    return re.sub(r"'[^']*'", "'...'", re.sub(r"\b\d+\b", "N", text))[:120]


def work(
    parent: int,
    backends: Sequence[str],
    folders: Sequence[str],
    options: Mapping[str, Mapping[str, Any]],
) -> None:
    """Answer each line of standard input, a folder and a family, with one line of JSON."""
    end_with_parent(parent)
    # Whatever a model or a backend prints does not come between answers.
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with Runtime(folders or None, backend_options=options or None) as runtime:
        for line in sys.stdin:
            family, folder = json.loads(line)
            path = Path(folder)
            found = run_case(OnnxCase(family, path.name, path), runtime, backends)
            answer = [found.outcome.name, found.message, found.reason]
            stream.write(json.dumps(answer) + "\n")
            stream.flush()
