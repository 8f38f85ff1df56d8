# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A comparison measures errors, and names the layer at fault."""

from __future__ import annotations

import math
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import DataLayout, LayerType
from armnn_py.comparing.differences import difference
from armnn_py.descriptors import Convolution2dDescriptor
from armnn_py.python_backend import PythonBackend
from armnn_py.testing.tolerances import Tolerance
from tests.frontends.test_onnx_apart import LARGE, looped

from .faulty import Faulty

DEMO = Path(ann.__file__).parent / "demo" / "digits.onnx"
PADDED = Convolution2dDescriptor(
    pad_left=1, pad_right=1, pad_top=1, pad_bottom=1, bias_enabled=True, data_layout=DataLayout.NHWC
)


def chain(*, quantized: bool = False) -> ann.Network:
    """conv1, relu, conv2, dense, softmax; or both convolutions in int8."""
    random = np.random.default_rng(1)
    network = ann.Network("chain")

    def info(shape: tuple[int, ...], scale: float, zero: int) -> ann.TensorInfo:
        if not quantized:
            return ann.TensorInfo(shape)
        return ann.TensorInfo(shape, "int8", ann.QuantizationInfo(scale, zero))

    def weights(*shape: int) -> Any:
        real = random.normal(size=shape).astype(np.float32)
        kind = info(shape, 0.03, 0)
        value = kind.quantize(real) if quantized else real
        return network.add_constant(value, info=kind)

    def bias(count: int, scale: float) -> Any:
        real = random.normal(size=count).astype(np.float32)
        if not quantized:
            return real
        kind = ann.TensorInfo((count,), "int32", ann.QuantizationInfo(scale * 0.03))
        return network.add_constant(np.rint(real / (scale * 0.03)).astype(np.int32), info=kind)

    x = network.add_input("x", info((1, 9, 9, 4), 0.01, 5))
    one, two = info((1, 9, 9, 8), 0.1, 3), info((1, 9, 9, 8), 0.3, 2)
    conv1 = network.add_layer(
        LayerType.CONVOLUTION2D, [x, weights(8, 3, 3, 4), bias(8, 0.01)], PADDED,
        name="conv1", output_infos=[one],
    )  # fmt: skip
    relu = network.add_activation(
        conv1, ann.ActivationFunction.RELU, name="relu", output_info=one if quantized else None
    )
    conv2 = network.add_layer(
        LayerType.CONVOLUTION2D, [relu, weights(8, 3, 3, 8), bias(8, 0.1)], PADDED,
        name="conv2", output_infos=[two],
    )  # fmt: skip
    if quantized:
        network.add_output("y", conv2)
        return network
    conv3 = network.add_layer(
        LayerType.CONVOLUTION2D, [conv2, weights(8, 3, 3, 8), bias(8, 0.1)], PADDED, name="conv3"
    )
    network.add_output("y", network.add_softmax(conv3, name="softmax"))
    return network


def compared(network: ann.Network, backend: PythonBackend, **given: Any) -> ann.Comparison:
    with ann.Runtime(python_backends=[backend], enable_dynamic_backends=False) as runtime:
        return ann.compare(network, [backend.id, "CpuRef"], layers=True, runtime=runtime, **given)


def test_equal_sides_agree() -> None:
    found = compared(chain(), Faulty())
    assert found.passed
    assert found.finding is None
    assert [row.layer for row in found.layers] == ["conv1", "relu", "conv2", "conv3", "softmax"]
    assert all(row.own.absolute == 0 for row in found.layers)


def test_a_notebook_shows_a_row_for_each_output() -> None:
    page = compared(chain(), Faulty())._repr_html_()
    assert "within the tolerance of" in page
    assert page.count("<tr>") == 2
    assert "<td>1.000000</td>" in page  # the cosine


@pytest.mark.parametrize(
    ("defect", "layer"),
    [
        ("wrong rounding", "conv2"),
        ("channels swapped", "conv1"),
        ("tail of a vector", "softmax"),
        ("nan", "conv2"),
        ("off by a thousandth", "relu"),
        ("padding on one side", "conv2"),
        ("bias forgotten", "conv3"),
        ("weights of the next channel", "conv1"),
    ],
)
def test_the_layer_with_a_defect_is_named(defect: str, layer: str) -> None:
    network = chain()
    network.layer(layer).backend_hint = "Faulty"
    with ann.Runtime(python_backends=[Faulty(defect)], enable_dynamic_backends=False) as runtime:
        found = ann.compare(network, ["CpuRef"], layers=True, runtime=runtime)
    assert not found.passed
    assert found.finding is not None
    assert (found.finding.kind, found.finding.layer) == ("layer", layer)
    (row,) = [row for row in found.layers if row.layer == layer]
    assert not row.own.passed
    behind = found.layers[found.layers.index(row) + 1 :]
    assert all(one.own.passed for one in behind), "where it merely shows"


def test_a_forgotten_zero_point_is_reported_in_quanta() -> None:
    network = chain(quantized=True)
    network.layer("conv2").backend_hint = "Faulty"
    backend = Faulty("zero point forgotten")
    with ann.Runtime(python_backends=[backend], enable_dynamic_backends=False) as runtime:
        found = ann.compare(network, ["CpuRef"], layers=True, runtime=runtime)
    assert found.finding is not None
    assert found.finding.layer == "conv2"
    assert found.outputs[0].error.quanta is not None
    assert found.outputs[0].error.quanta > 1


def test_an_error_that_comes_and_goes_needs_several_runs() -> None:
    network = chain()
    network.layer("conv2").backend_hint = "Faulty"
    with ann.Runtime(python_backends=[Faulty("race")], enable_dynamic_backends=False) as runtime:
        found = ann.compare(network, ["CpuRef"], layers=True, times=2, runtime=runtime)
    assert found.finding is not None
    assert (found.finding.kind, found.finding.layer) == ("layer", "conv2")


def test_weights_of_an_earlier_layer(tmp_path: Path) -> None:
    """conv3 takes those of conv2, which are of its shape: alone it is right."""
    network = chain()
    for name in ("conv2", "conv3"):
        network.layer(name).backend_hint = "Faulty"
    with ann.Runtime(
        python_backends=[Faulty("stale weights")], enable_dynamic_backends=False
    ) as runtime:
        found = ann.compare(network, ["CpuRef"], layers=True, runtime=runtime)
        assert found.finding is not None
        assert found.finding.layer == "conv3"
    with ann.Runtime(
        python_backends=[Faulty("bias forgotten")], enable_dynamic_backends=False
    ) as runtime:
        found = ann.compare(network, ["CpuRef"], layers=True, runtime=runtime)
        _, saved, arrays = found.reduce(tmp_path)
        again = ann.compare(saved, ["Faulty"], reference=arrays, layers=True, runtime=runtime)
        assert not again.passed
        assert again.finding is not None
        assert again.finding.layer == "conv2"


class Fusing(Faulty):
    """Right layer by layer; the compiled pair of a convolution and the layer behind it is wrong."""

    id = "Fusing"

    def optimize(self, part: Any) -> None:
        names = [layer.name for layer in part.layers]
        if "conv2" in names and "conv3" in names:
            cut = part.cut([names.index("conv2"), names.index("conv3")])
            shape = cut.outputs and part.info(cut.outputs[0]).static_shape
            cut.compile(lambda call: np.full(shape, 0.5, np.float32))


def test_a_kernel_that_is_wrong_only_fused() -> None:
    found = compared(chain(), Fusing())
    assert found.finding is not None
    assert found.finding.kind == "fused"
    assert [layer.name for layer in found.finding.group.layers] == ["conv2", "conv3"]
    assert "each alone is right" in str(found.finding)


def test_bisection_finds_the_pair_in_a_large_sub_graph() -> None:
    class All(Fusing):
        id = "All"

        def optimize(self, part: Any) -> None:
            names = [layer.name for layer in part.layers]
            if len(names) < 2:
                return
            cut = part.cut(range(len(names)))
            layers = [self.prepared(layer) for layer in part.layers]

            def run(call: Any) -> Any:
                values = dict(zip(cut.inputs, call.inputs, strict=True))
                for number, layer in enumerate(layers):
                    arrays = tuple(
                        None if slot is None else values[slot] for slot in part.sources[number]
                    )
                    made = layer.run(arrays)
                    if names[number] == "conv3" and "conv2" in names:
                        made = [made[0] * np.float32(1.5)]
                    for index, array in enumerate(made):
                        values[type(cut.outputs[0])(number, index)] = array
                return tuple(values[slot] for slot in cut.outputs)

            cut.compile(run)

    found = compared(chain(), All())
    assert found.finding is not None
    assert found.finding.kind == "fused"
    assert [layer.name for layer in found.finding.group.layers] == ["conv2", "conv3"]


@pytest.mark.parametrize("defect", ["", "off by a thousandth"])
@pytest.mark.parametrize("case", ["ends by its states", "a loop inside of it"])
def test_networks_in_stages_are_compared_stage_by_stage(
    tmp_path: Path, case: str, defect: str
) -> None:
    model = looped(case, ("h", 100)).SerializeToString()
    body = {"ends by its states": "stage 2/body: next", "a loop inside of it": "stage 2/body/1: "}
    with ann.Runtime(python_backends=[Faulty(defect)], enable_dynamic_backends=False) as runtime:
        found = ann.compare(
            model, ["Faulty", "CpuRef"], shapes={"input": LARGE}, layers=True, runtime=runtime
        )
        assert found.passed == (not defect)
        rows = [row for row in found.layers if row.tensor.startswith(body[case])]
        assert rows
        assert any(not row.own.passed for row in rows) == bool(defect)
        if defect:
            assert found.finding is not None
            assert found.finding.layer == "Relu_0"
            assert Path(found.reduce(tmp_path)[0]).exists()


def test_a_network_in_stages_needs_a_backend_as_reference() -> None:
    model = looped("ends by its states", LARGE).SerializeToString()
    with pytest.raises(ann.InvalidArgumentError, match="must be a backend; 'onnxruntime' given"):
        ann.compare(model, ["CpuRef"], reference="onnxruntime")
    with pytest.raises(ann.BackendNotFoundError):
        ann.compare(model, ["CpuRef"], reference="Nowhere")


def test_onnxruntime_and_a_kept_file_have_the_tensors_inside(tmp_path: Path) -> None:
    found = ann.compare(DEMO, ["CpuRef"], reference="onnxruntime", layers=True)
    assert found.passed
    assert {"c1", "r1", "flat"} <= {row.tensor for row in found.layers}
    path = tmp_path / "kept.npz"
    random = np.random.default_rng(3).random((1, 1, 8, 8), np.float32)
    with ann.load(DEMO, ["CpuRef"], extra_outputs=["c2"]) as network:
        outputs = network.run({"image": random})
    np.savez(path, image=random, **{**outputs, "c2": outputs["c2"] + 1})
    kept = ann.compare(DEMO, ["CpuRef"], reference=path, layers=True)
    assert kept.finding is not None
    assert "conv2" in kept.finding.layer
    assert kept.outputs[0].error.passed


def test_missing_parts_of_a_file_are_reported(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", other=np.zeros(3))
    with pytest.raises(ann.InvalidArgumentError, match="none of the outputs"):
        ann.compare(DEMO, ["CpuRef"], reference=tmp_path / "other.npz")
    with pytest.raises(ann.InvalidArgumentError, match="cannot be read as"):
        ann.compare(DEMO, ["CpuRef"], reference=tmp_path / "absent.npz")
    with pytest.raises(ann.BackendNotFoundError):
        ann.compare(DEMO, ["CpuRef"], reference="Nowhere")
    with pytest.raises(ann.InvalidArgumentError, match="layers=True"):
        ann.compare(DEMO, ["CpuRef"]).reduce(tmp_path)


def test_measures() -> None:
    """By hand: errors 3 and 0 on values 4 and 3; of quantised ones in steps of 0.5."""
    info = ann.TensorInfo((2,))
    found = difference(np.float32([7, 3]), np.float32([4, 3]), info, Tolerance(0.1, 0.0))
    assert (found.absolute, found.relative, found.beyond) == (3.0, 0.75, 0.5)
    assert found.cosine == pytest.approx(37 / (5 * math.sqrt(58)))
    assert found.snr == pytest.approx(10 * math.log10(25 / 9))
    assert "element [0] is 7.0, 4.0 expected" in found.worst
    steps = ann.TensorInfo((2,), "int8", ann.QuantizationInfo(0.5, 1))
    found = difference(np.int8([5, 1]), np.int8([3, 1]), steps, Tolerance(0.0, 0.0, 2))
    assert (found.quanta, found.absolute, found.passed) == (2, 1.0, True)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_is_infinitely_wrong(value: float) -> None:
    info = ann.TensorInfo((2,))
    wrong, right = np.float32([value, 1]), np.float32([1, 1])
    for found, expected in ((wrong, right), (right, wrong)):
        error = difference(found, expected, info, Tolerance(1e-3, 1e-3))
        assert math.isinf(error.absolute)
        assert error.snr == -math.inf
        assert not error.passed
    assert difference(wrong, wrong, info, Tolerance(0, 0)).passed


def test_the_worst_of_several_inputs_counts() -> None:
    inputs = [{"x": np.full((1, 9, 9, 4), value, np.float32)} for value in (0.0, 1.0)]
    network = chain()
    network.layer("softmax").backend_hint = "Faulty"
    with ann.Runtime(
        python_backends=[Faulty("wrong rounding")], enable_dynamic_backends=False
    ) as runtime:
        found = ann.compare(network, ["CpuRef"], inputs=inputs, layers=True, runtime=runtime)
        single = ann.compare(network, ["CpuRef"], inputs=inputs[1], runtime=runtime)
    assert found.inputs == 2
    assert not found.passed
    assert found.outputs[0].error.absolute >= single.outputs[0].error.absolute > 0
    assert found.to_json()["finding"]["layer"] == "softmax"


def test_the_script_of_a_reduction_fails_alone(tmp_path: Path) -> None:
    inputs = {"image": np.random.default_rng(3).random((1, 1, 8, 8), np.float32)}
    with ann.load(DEMO, ["CpuRef"], extra_outputs=["s2", "c3"]) as network:
        kept = network.run(inputs)
    np.savez(tmp_path / "kept.npz", **{**kept, "c3": kept["c3"] + 1}, **inputs)
    found = ann.compare(DEMO, ["CpuRef"], reference=tmp_path / "kept.npz", layers=True)
    assert found.finding is not None
    assert found.finding.layer == "conv3"
    script, network, arrays = found.reduce(tmp_path)
    text = Path(script).read_text(encoding="utf-8")
    assert "backtrace 8' --args" in text
    assert len(text.splitlines()) < 16
    assert Path(network).exists()
    assert Path(arrays).exists()
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(script, run_name="__main__")
    assert ended.value.code == 1
