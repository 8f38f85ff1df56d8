"""The built file as users have it: the conformance kit, and numbers beside those of CpuRef.

pytest tests                                    tests build/@VENDOR@_@NAME@_backend.so
pytest tests --armnn-backend=FILE               tests FILE, each layer as a test of its own
"""

from pathlib import Path

import armnn_py as ann
import numpy as np
import pytest
from armnn_py.testing import check_conformance

BUILT = Path(__file__).parents[1] / "build" / "@VENDOR@_@NAME@_backend.so"


@pytest.fixture(scope="session")
def library(pytestconfig: pytest.Config) -> Path:
    library = Path(pytestconfig.getoption("--armnn-backend", None) or BUILT).resolve()
    assert library.is_file(), f"{library} is not there: cmake --build build"
    return library


def test_conformance(library: Path, pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("--armnn-backend", None):
        pytest.skip("the layers are tests of their own")
    report = check_conformance(library, level="quick")
    assert report.ok, report.changes
    assert any(result.outcome == "passed" for result in report.results)


def test_numbers_are_those_of_cpu_ref(library: Path) -> None:
    info = ann.TensorInfo((3, 257))
    network = ann.Network("sums")
    a, b = network.add_input("a", info), network.add_input("b", info)
    total = network.add_addition(a, b)
@if compiler
    total = network.add_addition(network.add_multiplication(total, b), a)
@end
    network.add_output("y", total)
    random = np.random.default_rng(0)
    given = {name: random.random((3, 257), dtype=np.float32) for name in ("a", "b")}
    with ann.Runtime(library.parent) as runtime:
        results = {}
        for backend in ("@NAME@", "CpuRef"):
            optimized = ann.optimize(network, [backend], runtime=runtime)
@if compiler
            if backend == "@NAME@":  # three layers became one
                types = [layer.type for layer in optimized.network.layers]
                assert ann.LayerType.PRE_COMPILED in types
                assert ann.LayerType.ELEMENTWISE_BINARY not in types
@end
            with runtime.load_network(optimized) as loaded:
                results[backend] = loaded.run(given)["y"]
                assert {record.backend for record in loaded.assignment} == {backend}
    np.testing.assert_allclose(results["@NAME@"], results["CpuRef"], rtol=1e-6)
