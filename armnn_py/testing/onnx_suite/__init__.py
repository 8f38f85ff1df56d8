# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The ONNX project's backend test data through import, optimiser and run.

Its cases are folders with a model and recorded inputs and outputs, in families: ``node`` (one
operator each), ``simple``, ``pytorch-operator`` and ``pytorch-converted``. `score_onnx` runs them
as a user would: the model's file is loaded, the recorded inputs go in, the outputs are compared.
"""

from armnn_py.testing.onnx_suite.case import FAMILIES, OnnxCase, find_cases
from armnn_py.testing.onnx_suite.result import CaseResult, OnnxScore, Outcome
from armnn_py.testing.onnx_suite.score import score_onnx

__all__ = [
    "FAMILIES",
    "CaseResult",
    "OnnxCase",
    "OnnxScore",
    "Outcome",
    "find_cases",
    "score_onnx",
]
