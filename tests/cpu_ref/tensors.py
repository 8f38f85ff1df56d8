# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random shapes, values and operands for the tests of layers that work on whole tensors."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests.selection import is_exhaustive

if TYPE_CHECKING:
    from collections.abc import Sequence

# Every draw takes the same backend, so a fixture of the session is what is wanted. A default run
# has a sample, as the step "sanitizers" of .ci/run has; all others have everything.
IS_SAMPLE = not is_exhaustive() or bool(os.environ.get("ARMNN_TEST_SAMPLE"))
examples = settings(
    max_examples=30 if IS_SAMPLE else 120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

DTYPES = {
    "float16": np.float16,
    "float32": np.float32,
    "signed32": np.int32,
    "signed64": np.int64,
    "boolean": np.bool_,
    "unsigned8": np.uint8,
    "signed8": np.int8,
    "signed16": np.int16,
}
NUMBERS = {name: DTYPES[name] for name in ("float32", "signed32", "signed64")}


def shapes(
    min_rank: int = 0, max_rank: int = 8, max_elements: int = 600
) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes of any rank; a zero turns up now and then, small sides are usual."""
    side = st.sampled_from([1, 1, 2, 2, 3, 3, 4, 5, 7, 9, 17, 0])
    return (
        st.lists(side, min_size=min_rank, max_size=max_rank)
        .filter(lambda dims: math.prod(dims) <= max_elements)
        .map(tuple)
    )


def values(shape: Sequence[int], dtype: Any, seed: int = 0) -> np.ndarray:
    """Distinct-looking values of any type; floats of both signs, integers over the whole range."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return generator.normal(0, 3, shape).astype(kind)
    if kind.kind == "b":
        return generator.integers(0, 2, shape).astype(kind)
    limits = np.iinfo(kind)
    return generator.integers(limits.min, limits.max, shape, kind, endpoint=True)
