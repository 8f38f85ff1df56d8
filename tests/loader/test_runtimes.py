# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Searches as a user makes them: cases 31 to 38 of AN 2.11, with Runtime and real numbers."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.backends.loader.identity import HOST_VERSION
from armnn_py.descriptors import Convolution2dDescriptor, ElementwiseBinaryDescriptor
from armnn_py.errors import BackendSkippedWarning, NoBackendForLayerError
from tests.builds import OPTIONS, sources_beside

from .harness import Workshop, mapped_files, run_child

SAMPLE = "sample_backend.c"


@pytest.fixture(scope="session")
def reference_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build by CMake without statically linked backends: the reference backend is a file.

    It has the folder ``compiled-in`` as its compiled-in place.
    """
    folder = tmp_path_factory.mktemp("reference") / "build"
    folder.mkdir()
    places = folder / "compiled-in"
    places.mkdir()
    # CMake and ninja of the environment that runs the tests, also if that is not activated.
    scripts = sysconfig.get_path("scripts")
    environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    settings = (*OPTIONS, "ARMNN_STATIC_BACKENDS=", f"DYNAMIC_BACKEND_PATHS=/missing:{places}")
    options = ("-G", "Ninja", *(f"-D{setting}" for setting in settings))
    configure = ["cmake", "-S", str(sources_beside(folder)), "-B", str(folder), *options]
    targets = ["armnn_core", "Arm_CpuRef_backend"]
    for command in (configure, ["cmake", "--build", str(folder), "--target", *targets]):
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return folder


def built(folder: Path, name: str) -> Path:
    [path] = folder.rglob(name)
    return path


#: The layer that Arm NN's tests ask for, as `Backend.supports` takes it.
CONVOLUTION = (
    ann.LayerType.CONVOLUTION2D,
    [ann.TensorInfo((1, 16, 16, 16)), ann.TensorInfo((16, 1, 1, 16))],
    [ann.TensorInfo((1, 16, 16, 16))],
    Convolution2dDescriptor(data_layout=ann.DataLayout.NHWC),
)


def convolution() -> ann.Network:
    """The layer that Arm NN's tests ask for: 1x16x16x16, weights 16x1x1x16, no bias."""
    network = ann.Network("convolution")
    x = network.add_input("x", ann.TensorInfo((1, 16, 16, 16)))
    weights = np.random.default_rng(1).standard_normal((16, 1, 1, 16), np.float32)
    layer = network.add_convolution2d(x, weights, name="convolution")
    network.add_output("y", layer)
    return network


def addition() -> ann.Network:
    network = ann.Network("addition")
    info = ann.TensorInfo((2,))
    a, b = network.add_input("a", info), network.add_input("b", info)
    network.add_output("y", network.add_addition(a, b, name="addition"))
    return network


# ---- Which backends a runtime has ---------------------------------------------------------------


def test_case_31_nothing_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMNN_PY_NO_ENTRY_POINTS", "1")
    with ann.Runtime(bundled_backends=False) as runtime:
        assert runtime.device_spec.supported_backends == ()
        assert len(runtime.backends) == 0


NEXT = f"MINOR={HOST_VERSION.minor + 1}"
VALID2, VALID3 = 'BACKEND_ID="TestValid2"', 'BACKEND_ID="TestValid3"'


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {
                "TestValid2": [VALID2],
                "TestValid3": [VALID3],
                "TestInvalid8": ["ID_NULL", "MAJOR=0"],
            },
            ("TestValid2", "TestValid3"),
            id="case 32 dynamic backends",
        ),
        pytest.param(
            {
                "TestValid2": [VALID2],
                "TestValid4": [VALID2],
                "TestValid5": ['BACKEND_ID="TestValid5"'],
                "TestInvalid9": [VALID2, NEXT],
            },
            ("TestValid2", "TestValid5"),
            id="case 33 duplicates",
        ),
        pytest.param(
            {"TestInvalid10": ['BACKEND_ID=""'], "TestInvalid11": ['BACKEND_ID="Unknown"']},
            (),
            id="case 34 invalid backends",
        ),
        pytest.param(None, (), id="case 35 invalid path"),
    ],
)
@pytest.mark.filterwarnings("ignore::armnn_py.errors.BackendSkippedWarning")
def test_supported_backends(
    tmp_path: Path,
    workshop: Workshop,
    files: dict[str, list[str]] | None,
    expected: tuple[str, ...],
) -> None:
    path = "InvalidPath" if files is None else tmp_path
    for name, defines in (files or {}).items():
        workshop.put(tmp_path, f"Arm_{name}_backend.so", *defines)
    with ann.Runtime(path, bundled_backends=False) as runtime:
        assert runtime.device_spec.supported_backends == expected
        assert tuple(runtime.backends) == expected
        assert len(runtime.load_report) == (1 if files is None else len(files))


def test_case_35_says_so_aloud() -> None:
    with pytest.warns(BackendSkippedWarning, match="InvalidPath: refused, place: does not exist"):
        ann.Runtime("InvalidPath", bundled_backends=False).close()


# ---- The reference backend from a file ----------------------------------------------------------


@pytest.mark.exhaustive
@pytest.mark.packaging
def test_case_36_reference_backend_from_a_file(reference_build: Path, tmp_path: Path) -> None:
    file = tmp_path / "Arm_CpuRef_backend.so"
    file.symlink_to(built(reference_build, "Arm_CpuRef_backend.so"))
    with ann.Runtime(file, bundled_backends=False) as runtime:
        assert runtime.device_spec.supported_backends == ("CpuRef",)
        backend = runtime.backends["CpuRef"]
        assert (backend.id, backend.is_static) == ("CpuRef", False)
        network = convolution()
        assert backend.supports(*CONVOLUTION)
        x = np.random.default_rng(2).standard_normal((1, 16, 16, 16), np.float32)
        weights = np.random.default_rng(1).standard_normal((16, 1, 1, 16), np.float32)
        with runtime.load_network(ann.optimize(network, ["CpuRef"], runtime=runtime)) as loaded:
            # A convolution of one pixel is a product with a matrix.
            expected = x.reshape(-1, 16) @ weights.reshape(16, 16).T
            np.testing.assert_allclose(loaded(x)["y"].reshape(-1, 16), expected, atol=1e-5)
            assert loaded.assignment.of("convolution").backend == "CpuRef"
        real = os.path.realpath(file)
        assert real in mapped_files()
    assert real not in mapped_files()


_DEFAULT_OPTIONS = """
import json
import armnn_py as ann
with ann.Runtime() as runtime:
    print(json.dumps([
        runtime.device_spec.supported_backends,
        [[v.place, v.status, v.code] for v in runtime.load_report],
    ]))
"""


@pytest.mark.exhaustive
@pytest.mark.packaging
def test_case_37_sample_backend_from_the_compiled_in_path(
    reference_build: Path, workshop: Workshop
) -> None:
    name = "Arm_SampleDynamic_backend.so"
    workshop.put(reference_build / "compiled-in", name, source=SAMPLE)
    core = str(built(reference_build, "libarmnn_core.so"))
    answer = run_child(_DEFAULT_OPTIONS, ARMNN_PY_CORE_LIBRARY=core, ARMNN_PY_NO_ENTRY_POINTS="1")
    supported, verdicts = answer
    assert [name for name in supported if name != "CpuAcc"] == ["SampleDynamic"]
    assert [verdict for verdict in verdicts if verdict[0] != "bundled"] == [
        ["compiled-in", "refused", "path-missing"],
        ["compiled-in", "loaded", "ok"],
    ]


def test_case_37_sample_backend_takes_supported_layers(tmp_path: Path, workshop: Workshop) -> None:
    workshop.put(tmp_path, "Arm_SampleDynamic_backend.so", source=SAMPLE)
    with ann.Runtime(tmp_path, bundled_backends=False) as runtime:
        network = convolution()
        backend = runtime.backends["SampleDynamic"]
        answer = backend.supports(*CONVOLUTION)
        assert not answer
        assert answer.reason == "no kernel for this layer type"
        x = ann.TensorInfo((4,))
        addition = ElementwiseBinaryDescriptor(ann.BinaryOperation.ADD)
        assert backend.supports(ann.LayerType.ELEMENTWISE_BINARY, [x, x], [x], addition)
        with pytest.raises(NoBackendForLayerError, match="no kernel for this layer type"):
            ann.optimize(network, ["SampleDynamic"], runtime=runtime)


def test_case_38_sample_backend_end_to_end(tmp_path: Path, workshop: Workshop) -> None:
    workshop.put(tmp_path, "Arm_SampleDynamic_backend.so", source=SAMPLE)
    with (
        ann.Runtime(tmp_path, bundled_backends=False) as runtime,
        runtime.load_network(
            ann.optimize(addition(), ["SampleDynamic"], runtime=runtime)
        ) as loaded,
    ):
        outputs = loaded.run({"a": np.float32([5, 3]), "b": np.float32([10, 8])})
        np.testing.assert_array_equal(outputs["y"], [15, 11])


# ---- Networks hold their backend ----------------------------------------------------------------


def test_a_network_outlives_another_runtime(tmp_path: Path, workshop: Workshop) -> None:
    """In Arm NN the end of the first runtime takes the backend from the second."""
    path = workshop.put(tmp_path, "Arm_SampleDynamic_backend.so", source=SAMPLE)
    first = ann.Runtime(tmp_path, bundled_backends=False)
    second = ann.Runtime(tmp_path, bundled_backends=False)
    loaded = second.load_network(ann.optimize(addition(), ["SampleDynamic"], runtime=second))
    first.close()
    inputs = {"a": np.float32([1, 2]), "b": np.float32([3, 4])}
    np.testing.assert_array_equal(loaded.run(inputs)["y"], [4, 6])
    # A runtime that is made only now also works.
    again = second.load_network(ann.optimize(addition(), ["SampleDynamic"], runtime=second))
    np.testing.assert_array_equal(again.run(inputs)["y"], [4, 6])
    second.close()
    assert str(path) not in mapped_files()
