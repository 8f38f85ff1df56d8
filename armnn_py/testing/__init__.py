# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A conformance kit for backends: what ``armnn-py backends test`` does, for programs and tests.

`check_conformance` asks a backend about every layer, and tries those that it takes: do they run
(truth of support), are their numbers right, do they keep to their memory, may they be called side
by side, and do random networks come out right. Cases run in processes that may die of them.

    from armnn_py.testing import check_conformance

    report = check_conformance("build/Acme_Npu_backend.so")
    assert report.ok, report.changes

With pytest: ``pytest --armnn-backend=build/Acme_Npu_backend.so``.
"""

from armnn_py.testing.conformance import check_conformance
from armnn_py.testing.oracles.expected import Change
from armnn_py.testing.outcome import Result
from armnn_py.testing.report import MatrixRow, Report
from armnn_py.testing.repro import reproduce
from armnn_py.testing.tolerances import Tolerance, assert_close, tolerance_of

__all__ = [
    "Change",
    "MatrixRow",
    "Report",
    "Result",
    "Tolerance",
    "assert_close",
    "check_conformance",
    "reproduce",
    "tolerance_of",
]
