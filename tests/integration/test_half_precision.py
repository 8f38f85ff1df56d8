# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""`reduce_fp32_to_fp16` on real networks: float16 inside, numbers of onnxruntime outside."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

from .test_models import picture, reference

pytestmark = pytest.mark.models

REPOSITORY = Path(__file__).parents[2]
CONVERSIONS = ("ConvertFp32ToFp16", "ConvertFp16ToFp32")
Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def build_half(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Callable[..., Path]:
    """A folder with the backend "Half", which is made of the reference backend's kernels."""
    sources = REPOSITORY / "backends_c"
    files = [str(file) for file in sorted((sources / "cpu_ref").rglob("*.c"))]
    files.remove(str(sources / "cpu_ref" / "entry.c"))
    includes = [f"-I{sources / name}" for name in ("cpu_ref", "common", "common/include")]
    # The kernels by themselves, once for both forms of the backend.
    kernels = tmp_path_factory.mktemp("kernels") / "kernels.o"
    command = ["cc", "-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-r", "-nostdlib"]
    command += [*includes, f"-I{REPOSITORY / 'native' / 'include'}", *files, "-o", str(kernels)]
    subprocess.run(command, check=True)

    def build(*defines: str) -> Path:
        folder = tmp_path_factory.mktemp("half")
        build_backend(
            "half_backend.c",
            folder / "Test_Half_backend.so",
            *(*includes, str(kernels), *defines, "-O2", "-lm"),
        )
        return folder

    return build


@pytest.fixture(scope="module")
def half_folder(build_half: Callable[..., Path]) -> Path:
    return build_half()


def network_and_inputs(folder: Path, name: str) -> tuple[Path, Arrays]:
    path = folder / "open" / f"{name}.onnx"
    if name == "resnet50_thin":
        image = picture(folder, "chelsea.png", (224, 224), layout="NHWC", mean=(123, 117, 104))
        return path, {"input_0": image}
    grey = (127.5, 127.5, 127.5)
    return path, {"x": picture(folder, "text.png", (48, 320), mean=grey, scale=1 / 127.5)}


def run(
    backends: Path, models: Path, name: str
) -> tuple[Arrays, Arrays, ann.Network, tuple[str | None, ...]]:
    """What onnxruntime says, what float16 says, and by which network on which backends."""
    path, inputs = network_and_inputs(models, name)
    network = ann.import_model(path, shapes={key: value.shape for key, value in inputs.items()})
    with ann.Runtime(backends) as runtime:
        optimized = ann.optimize(
            network, ["Half", "CpuRef"], runtime=runtime, reduce_fp32_to_fp16=True
        )
        with runtime.load_network(optimized) as net:
            outputs = net.run(inputs)
        return (
            reference(path, inputs),
            outputs,
            optimized.network,
            optimized.placed.layer_backends,
        )


def conversions(network: ann.Network) -> list[ann.Layer]:
    return [layer for layer in network.layers if layer.shown_type.label in CONVERSIONS]


def difference(outputs: Arrays, expected: Arrays) -> float:
    """The largest, relative to the output's largest absolute value."""
    assert outputs.keys() == expected.keys()
    for name, value in expected.items():
        assert outputs[name].dtype == value.dtype == np.float32
        np.testing.assert_array_equal(outputs[name].argmax(-1), value.argmax(-1))
    return max(
        float(np.abs(outputs[name] - value).max() / np.abs(value).max())
        for name, value in expected.items()
    )


@pytest.mark.parametrize(("name", "tolerance"), [("resnet50_thin", 1e-3), ("ocr_rec", 3e-2)])
def test_all_in_float16(
    half_folder: Path, models_folder: Path, name: str, tolerance: float
) -> None:
    """One conversion at each end; ocr_rec squares numbers near the end of float16's range."""
    expected, outputs, network, places = run(half_folder, models_folder, name)
    assert [layer.shown_type.label for layer in conversions(network)] == list(CONVERSIONS)
    layers = Counter((layer.shown_type.label, places[layer.guid]) for layer in network.layers)
    for kind in ("Convolution2d", "Activation", "FullyConnected", "Softmax", "Addition"):
        assert layers[kind, "Half"] > 0
        assert layers[kind, "CpuRef"] == 0
    # Neither better than float16 can be, nor worse.
    assert 1e-6 < difference(outputs, expected) < tolerance


def test_refused_layers_run_in_float16_on_the_reference(
    build_half: Callable[..., Path], models_folder: Path
) -> None:
    """Both take float16, so that nothing is converted where the network crosses between them."""
    folder = build_half("-DONLY_CONVOLUTIONS")
    expected, outputs, network, places = run(folder, models_folder, "ocr_rec")
    on_half = [layer for layer in network.layers if places[layer.guid] == "Half"]
    assert on_half == [
        layer for layer in network.layers if "Convolution2d" in layer.shown_type.label
    ]
    assert [layer.shown_type.label for layer in conversions(network)] == list(CONVERSIONS)
    layers = Counter((layer.shown_type.label, places[layer.guid]) for layer in network.layers)
    assert layers["Activation", "CpuRef"] > 0
    assert 1e-6 < difference(outputs, expected) < 3e-2
