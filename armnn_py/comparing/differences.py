# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The distance between two arrays, in the measures that a comparison reports."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, structs

from armnn_py.comparing.tolerances import Tolerance, excess, real_values, worst_element
from armnn_py.later import public_class
from armnn_py.types import DataType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from armnn_py.tensors import TensorInfo


@public_class
class Difference(Struct, frozen=True):
    """The distance of an array from the expected one.

    Attributes
    ----------
    absolute
        Largest absolute error, as a real number also for quantised elements; infinite if one of
        two elements is NaN.
    relative
        ``absolute`` as a part of the largest expected magnitude.
    cosine
        Cosine of the angle between both arrays, 1 if they are equal.
    snr
        Signal-to-noise ratio in decibels; infinite if they are equal.
    beyond
        Share of the elements beyond the tolerance, from 0 to 1.
    quanta
        Largest error of quantised elements in steps; None for others.
    worst
        The worst element in words; empty if all elements are within the tolerance.
    """

    absolute: float = 0.0
    relative: float = 0.0
    cosine: float = 1.0
    snr: float = math.inf
    beyond: float = 0.0
    quanta: int | None = None
    worst: str = ""

    @property
    def passed(self) -> bool:
        """Whether all elements are within the tolerance."""
        return not self.worst

    def to_json(self) -> dict[str, Any]:
        """Return the measures as JSON-able values."""
        return structs.asdict(self)

    @staticmethod
    def largest(several: Iterable[Difference]) -> Difference:
        """Return the worst of each measure, over several inputs."""
        found = list(several)
        quanta = [one.quanta for one in found if one.quanta is not None]
        return Difference(
            max(one.absolute for one in found),
            max(one.relative for one in found),
            min(one.cosine for one in found),
            min(one.snr for one in found),
            max(one.beyond for one in found),
            max(quanta) if quanta else None,
            max(found, key=lambda one: (one.beyond, bool(one.worst))).worst,
        )


def difference(
    found: NDArray[Any], expected: NDArray[Any], info: TensorInfo, allowed: Tolerance
) -> Difference:
    """Return how far an array is from the expected one.

    Parameters
    ----------
    found, expected
        Arrays of a tensor; of another shape they are wholly different.
    info
        Data type and quantisation of the tensor.
    allowed
        The allowed error.
    """
    if found.shape != expected.shape:
        shapes = f"shape {found.shape} found, {expected.shape} expected"
        return Difference(math.inf, math.inf, 0.0, -math.inf, 1.0, None, shapes)
    is_quantized = info.data_type.is_quantized
    if found.tobytes() == expected.tobytes():
        return Difference(quanta=0 if is_quantized else None)
    if not _are_numbers(found):
        unequal = float(np.mean(found != expected))
        return Difference(beyond=unequal, worst="strings differ" if unequal else "")
    beyond = excess(found, expected, info.data_type, allowed)
    quanta = None
    with np.errstate(all="ignore"):
        if is_quantized:
            steps = found.astype(np.int64) - expected.astype(np.int64)
            quanta = int(np.abs(steps).max())
        got, wanted = _real(found, info), _real(expected, info)
        same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        error = np.where(same, 0.0, got - wanted)
        absolute = float(np.nan_to_num(np.abs(error), nan=np.inf, posinf=np.inf).max())
        finite = np.isfinite(wanted) & np.isfinite(got)
        scale = float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0))
        noise, power = float((error[finite] ** 2).sum()), float((wanted[finite] ** 2).sum())
        norms = math.sqrt(power * float((got[finite] ** 2).sum()))
        cosine = float((got[finite] * wanted[finite]).sum()) / norms if norms else 1.0
    if not same.all() and not norms:
        cosine = 0.0
    if same.all():
        cosine = 1.0
    relative = absolute / scale if scale else (math.inf if absolute else 0.0)
    snr = math.inf if not noise else -math.inf if not power else 10 * math.log10(power / noise)
    if not math.isfinite(absolute):
        snr = -math.inf
    share, worst = float(np.mean(beyond > 0)), worst_element(found, expected, beyond)
    return Difference(absolute, relative, cosine, snr, share, quanta, worst)


def _are_numbers(array: NDArray[Any]) -> bool:
    return array.dtype.kind in "fiubV" or array.dtype.kind == "c"


def _real(array: NDArray[Any], info: TensorInfo) -> NDArray[np.float64]:
    if info.quantization is not None and info.data_type is not DataType.SIGNED32:
        return info.dequantize(array).astype(np.float64)
    return real_values(array, info.data_type)
