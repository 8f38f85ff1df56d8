# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Conversions on trial, for ranks and types of outputs that a file does not state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from armnn_py.errors import (
    ArmnnError,
    InputValuesNeededError,
    StagesNeededError,
    UnsupportedOperatorError,
)
from armnn_py.frontends.common.values import Array
from armnn_py.frontends.onnx.channels import told_sizes
from armnn_py.frontends.onnx.model import OnnxModel
from armnn_py.network import Network
from armnn_py.tensors import StringInfo, TensorInfo

if TYPE_CHECKING:
    from armnn_py.frontends.common.stand_ins import RunsStandIns

__all__ = ["ranked_outputs"]

#: Of free dimensions: small ones take less time, pictures must be as large as what looks at them.
_TRIAL_SIZES = (2, 32, 256)
_TRIAL_VALUES = (0, 1)


def ranked_outputs(
    model: OnnxModel,
    infos: Mapping[str, TensorInfo],
    backends: Sequence[RunsStandIns],
    convert: Callable[..., Network],
) -> tuple[dict[str, TensorInfo], list[str]]:
    """Return infos of the outputs whose rank the file does not state, from a conversion on trial.

    The sizes of free dimensions, and values of inputs that decide shapes, are guesses. If none of a
    few will do, there are no infos, and the lines say why the last one failed. ``convert`` is that
    of `conversion`.

    Raises
    ------
    UnsupportedOperatorError
        Operators have no counterpart, whatever the sizes.
    """
    unknown = [name for name, info in model.outputs.items() if info.dims is None]
    trials = [*product(_TRIAL_SIZES, _TRIAL_VALUES)]
    if model.depth > 1:  # each trial makes all stages behind this one
        trials = trials[:1]
    refused: UnsupportedOperatorError | None = None
    reasons: list[str] = []
    told = told_sizes(model) if unknown else {}
    for size, value in trials if unknown else ():
        bound = {
            name: info.with_shape(
                [
                    told.get((name, axis), size) if dim is None else dim
                    for axis, dim in enumerate(info.shape)
                ]
            )
            for name, info in infos.items()
        }
        try:
            made = _on_trial(model, bound, backends, value, convert).outputs
        except StagesNeededError as error:
            made = error.outputs
        except UnsupportedOperatorError as error:
            if model.depth:
                raise
            refused = error
            continue
        except ArmnnError as error:
            reasons = [f"with free dimensions of {size}: {error.message}", *error.details]
            continue
        return {name: _free(made[name]) for name in unknown if name in made}, []
    if refused is not None:
        raise refused
    return {}, reasons


def _on_trial(
    model: OnnxModel,
    infos: Mapping[str, TensorInfo],
    backends: Sequence[RunsStandIns],
    value: int,
    convert: Callable[..., Network],
) -> Network:
    """Convert with inputs that decide shapes full of one value."""
    values: dict[str, Array] = {}
    while True:
        try:
            # Stages may rely on these sizes: only ranks and types are taken from them.
            return convert(model, infos, backends, values, has_one_shape=True)
        except InputValuesNeededError as error:
            more = [name for name in error.names if name not in values]
            if not more:
                raise
        for name in more:
            info = infos[name]
            values[name] = np.full(info.static_shape, value, info.dtype)


def _free(info: TensorInfo) -> TensorInfo:
    """Return rank and type of an output, without its quantisation."""
    shape = (None,) * info.rank
    return StringInfo(shape) if isinstance(info, StringInfo) else TensorInfo(shape, info.data_type)
