# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Resize and Upsample against fractions, on each backend."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends.common.resampling import Axis, Method, weights
from tests.frontends.exact_resize import Line, resized

TRANSFORMATIONS = (
    "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
    "tf_crop_and_resize",
)  # fmt: skip
MODES = (("linear", -0.75), ("cubic", -0.75), ("cubic", -0.5), ("cubic", 0.25))
flags = pytest.mark.parametrize(
    ("exclude", "antialias"), [*itertools.product((False, True), repeat=2)]
)


@flags
@pytest.mark.parametrize(("mode", "a"), MODES)
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_weights(transformation: str, mode: str, a: float, exclude: bool, antialias: bool) -> None:
    """All small sizes; scales that are their quotient, next to it, and beyond."""
    region = (Fraction(1, 4), Fraction(5, 8))
    method = Method(mode, transformation, "floor", a, exclude, antialias)
    for size, target in itertools.product((1, 2, 3, 5, 8, 11), repeat=2):
        nearby = [Fraction(float(np.float32((target + more) / size))) for more in (0, 0.4)]
        for scale in (None, *nearby):
            line = Line(size, target, scale, region)
            wanted = line.weights(
                mode, transformation, Fraction(a), exclude=exclude, antialias=antialias
            )
            ratio = line.ratio if scale is None else float(scale)
            axis = Axis(0, size, target, ratio, (float(region[0]), float(region[1])))
            np.testing.assert_allclose(weights(axis, method), np.float64(wanted), atol=1e-9)


@pytest.fixture(scope="module", params=[("CpuRef",), ("CpuAcc", "CpuRef")], ids="+".join)
def run(request: pytest.FixtureRequest) -> Iterator[Callable[..., np.ndarray]]:
    with ann.Runtime(enable_dynamic_backends="CpuAcc" in request.param) as runtime:
        if not set(request.param) <= set(runtime.backends):
            pytest.skip("CpuAcc is not here")

        def resize(x: np.ndarray, op: str = "Resize", version: int = 19, **given: Any) -> Any:
            constants = {
                name: given.pop(name) for name in ("roi", "scales", "sizes") if name in given
            }
            names = ["roi", "scales", "sizes"] if version > 10 else ["scales"]
            node = helper.make_node(
                op, ["x", *(name if name in constants else "" for name in names)], ["y"], **given
            )
            graph = helper.make_graph(
                [node],
                "graph",
                [
                    helper.make_tensor_value_info(
                        "x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape
                    )
                ],
                [onnx.ValueInfoProto(name="y")],
                [
                    numpy_helper.from_array(
                        np.asarray(one, np.int64 if name == "sizes" else np.float32), name
                    )
                    for name, one in constants.items()
                ],
            )
            opsets = [helper.make_opsetid("", version)]
            model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
            with ann.load(model, request.param, runtime=runtime) as network:
                return network.run(x)["y"]

        yield resize


def near(found: np.ndarray, wanted: Any) -> None:
    """As near as sums in float32 are."""
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, np.float64(wanted), rtol=0, atol=2e-5)


@flags
@pytest.mark.parametrize(("mode", "a"), MODES[:3])
@pytest.mark.parametrize("transformation", TRANSFORMATIONS[:-1])
@pytest.mark.parametrize("by", ["sizes", "scales"])
def test_images(
    run: Any, by: str, transformation: str, mode: str, a: float, exclude: bool, antialias: bool
) -> None:
    numbers = np.random.default_rng(7)
    form = {"mode": mode, "coordinate_transformation_mode": transformation, "cubic_coeff_a": a,
            "exclude_outside": int(exclude), "antialias": int(antialias)}  # fmt: skip
    for shape, sizes in (((5, 6), (10, 4)), ((9, 3), (4, 1)), ((1, 7), (3, 7)), ((8, 8), (3, 13))):
        x = numbers.standard_normal((1, 2, *shape)).astype(np.float32)
        scales: Sequence[Any] = (None, None)
        given: dict[str, Any] = {"sizes": sizes}
        if by == "scales":
            scales = [
                Fraction(float(np.float32((m + 0.3) / n)))
                for n, m in zip(shape, sizes, strict=True)
            ]
            given = {"scales": [float(one) for one in scales]}
        lines = [Line(n, m, s) for n, m, s in zip(shape, sizes, scales, strict=True)]
        matrices = {
            2 + index: line.weights(
                mode, transformation, Fraction(a), exclude=exclude, antialias=antialias
            )
            for index, line in enumerate(lines)
        }
        near(run(x, axes=[2, 3], **given, **form), resized(x, matrices))


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("sizes", [(4, 5), (1, 3), (9, 1), (1, 1)])
@pytest.mark.parametrize("region", [(0.25, 0.5, 0.75, 1.0), (-0.5, 0.0, 0.5, 1.5), (1, 1, 0, 0)])
def test_crops(run: Any, region: tuple[float, ...], sizes: tuple[int, int], mode: str) -> None:
    x = np.random.default_rng(8).standard_normal((2, 1, 5, 6)).astype(np.float32)
    lines = [
        Line(n, m, None, (Fraction(region[i]), Fraction(region[i + 2])))
        for i, (n, m) in enumerate(zip((5, 6), sizes, strict=True))
    ]
    kind = "tf_crop_and_resize"
    wanted = resized(x, {2 + i: line.weights(mode, kind) for i, line in enumerate(lines)})
    rows, columns = (np.array(line.outside(kind)) for line in lines)
    wanted[..., rows[:, np.newaxis] | columns] = Fraction(5, 2)
    found = run(
        x, sizes=sizes, axes=[2, 3], roi=region, mode=mode, extrapolation_value=2.5,
        coordinate_transformation_mode=kind,
    )  # fmt: skip
    near(found, wanted)


@pytest.mark.parametrize("axes", [[0], [1], [3], [-1, 0], [3, 1], [1, 2, 3]])
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_any_axes(run: Any, mode: str, axes: list[int]) -> None:
    x = np.random.default_rng(9).standard_normal((2, 3, 4, 5)).astype(np.float32)
    sizes = [7, 2, 6][: len(axes)]
    matrices = {
        axis % 4: Line(x.shape[axis], size).weights(mode, "half_pixel")
        for axis, size in zip(axes, sizes, strict=True)
    }
    near(run(x, sizes=sizes, axes=axes, mode=mode), resized(x, matrices))


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("sizes", [(7, 7), (3, 9), (10, 2), (5, 6)])
def test_one_scale_for_all(run: Any, sizes: tuple[int, int], policy: str) -> None:
    x = np.random.default_rng(10).standard_normal((1, 1, 4, 6)).astype(np.float32)
    ratios = [Fraction(m, n) for m, n in zip(sizes, (4, 6), strict=True)]
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    lines = [Line(n, math.floor(scale * n + Fraction(1, 2)), scale) for n in (4, 6)]
    wanted = resized(
        x, {2 + i: line.weights("linear", "half_pixel") for i, line in enumerate(lines)}
    )
    near(run(x, sizes=sizes, axes=[2, 3], mode="linear", keep_aspect_ratio_policy=policy), wanted)


@pytest.mark.parametrize(("op", "version"), [("Upsample", 9), ("Resize", 10)])
@pytest.mark.parametrize("scale", [1.0, 2.0, 2.5, 3.7])
def test_old_operators(run: Any, op: str, version: int, scale: float) -> None:
    x = np.random.default_rng(11).standard_normal((1, 2, 3, 5)).astype(np.float32)
    exact = Fraction(float(np.float32(scale)))
    matrices = {
        2: Line(3, math.floor(3 * exact), exact).weights("linear", "asymmetric"),
        3: Line(5, 5).weights("linear", "asymmetric"),
    }
    near(run(x, op, version, scales=[1, 1, scale, 1], mode="linear"), resized(x, matrices))


@pytest.mark.parametrize("transformation", ["half_pixel", "align_corners", "asymmetric"])
@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32])
@pytest.mark.parametrize("alike", [False, True])
def test_integers_drop_fractions(
    run: Any, alike: bool, dtype: Any, mode: str, transformation: str
) -> None:
    """Either neighbour is right where the exact number is nearer to one than float32 can tell."""
    numbers = np.random.default_rng(12)
    low, high = (-128, 128) if dtype != np.uint8 else (0, 256)
    for shape, sizes in (((5, 6), (10, 4)), ((9, 3), (4, 11)), ((8, 8), (16, 16))):
        x = numbers.integers(low, high, (1, 2, *shape)).astype(dtype)
        if alike:
            x[...] = 101
        lines = [Line(n, m) for n, m in zip(shape, sizes, strict=True)]
        wanted = resized(
            x, {2 + i: one.weights(mode, transformation) for i, one in enumerate(lines)}
        )
        ends = np.iinfo(dtype)
        whole = np.clip(np.vectorize(math.trunc)(wanted), ends.min, ends.max)
        nearest = np.clip(np.vectorize(round)(wanted), ends.min, ends.max)
        unclear = np.abs(np.float64(wanted) - np.float64(np.vectorize(round)(wanted))) < 5e-4
        form = {"mode": mode, "coordinate_transformation_mode": transformation}
        found = run(x, sizes=sizes, axes=[2, 3], **form).astype(np.int64)
        assert ((found == whole) | (unclear & (found == nearest))).all()
        exact = np.vectorize(lambda v: v.denominator == 1)(wanted)
        np.testing.assert_array_equal(found[exact], whole[exact])
