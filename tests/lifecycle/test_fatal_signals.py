# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A fatal signal in a backend's call: one line names the call, and the process dies as before."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive(kept=1)  # each case starts processes

PROGRAM = """
import sys
import numpy as np
import armnn_py as ann

if "faulthandler" in sys.argv:
    import faulthandler
    faulthandler.enable()
ann.set_num_threads(4)
with ann.Runtime(sys.argv[1]) as runtime:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((64,)))
    made = network.add_elementwise_unary(x, ann.UnaryOperation.ABS, name="middle")
    network.add_output("y", made)
    backends = ["Deed", "CpuRef"]
    with ann.load(network, backends, runtime=runtime) as loaded:
        y = loaded.run(np.full(64, -1, np.float32))["y"]
        assert y[0] == 1
        if "reset" in sys.argv:
            loaded.reset_state()
    if "devices" in sys.argv:
        runtime.backends["Deed"].devices
print("done")
"""
LAYER = "layer 'middle' (ElementwiseUnary)"
# Where a deed is done -> what is said of the call.
SITES = {
    "constructor": "step 'open' of loading",
    "id": "step 'id' of loading",
    "version": "step 'version' of loading",
    "factory": "step 'table' of loading",
    "options": "step 'table' of loading",
    "create": "step 'create' of loading",
    "get_id": "step 'create' of loading",
    "support": "get_layer_support, backend 'Deed'",
    "is_supported": "is_layer_supported of layer of type ElementwiseUnary, backend 'Deed'",
    "destroy_support": "destroy of a layer support, backend 'Deed'",
    "optimize": "optimize_subgraph_view, backend 'Deed'",
    "workload_factory": "create_workload_factory, backend 'Deed'",
    "create_workload": f"create_workload of {LAYER}, backend 'Deed'",
    "execute": f"execute of {LAYER}, backend 'Deed'",
    "body": f"execute of {LAYER}, backend 'Deed'",
    "destroy_workload": "destroy of a workload, backend 'Deed'",
    "quiesce": "quiesce, backend 'Deed'",
    "destroy": "destroy, backend 'Deed'",
    "destructor": "the closing of",
}
# The same for a backend with memory of its own, which hears of networks and runs.
MEMORY_SITES = {
    "register": "register_tensor_handle_factories",
    "handle_factory_id": "get_id of a tensor handle factory",
    "create_data": f"create_workload_data of {LAYER}",
    "reset_data": f"reset_workload_data of {LAYER}",
    "destroy_data": f"destroy_workload_data of {LAYER}",
    "create_handle": "create_tensor_handle",
    "allocate": "allocate of a tensor handle",
    "acquire": "acquire of a memory manager",
    "copy_in": "copy for layer '[ x (0) -> middle (0) ]'",
    "copy_out": "copy for layer '[ middle (0) -> y (0) ]'",
    "release": "release of a memory manager",
    "destroy_handle": "destroy of a tensor handle",
    "destroy_handle_factory": "destroy of a tensor handle factory",
    "destroy_manager": "destroy of a memory manager",
    "before_load": "before_load_network",
    "after_load": "after_load_network",
    "before_run": "before_run",
    "flush": "after_enqueue_workload",
    "after_run": "after_run",
    "before_unload": "before_unload_network",
    "after_unload": "after_unload_network",
    "destroy_context": "destroy of a backend context",
}
DEEDS = {
    "abort": signal.SIGABRT,
    "segv": signal.SIGSEGV,
    "divide": signal.SIGFPE,
    "stack": signal.SIGSEGV,
    "breakpoint": signal.SIGTRAP,
    "system_call": signal.SIGSYS,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]) -> Path:
    made = tmp_path_factory.mktemp("deeds")
    build_backend("deed_backend.c", made / "Test_Deed_backend.so")
    return made


@pytest.fixture(scope="module")
def memory_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
    made = tmp_path_factory.mktemp("memory")
    build_backend("deed_memory_backend.c", made / "Test_Deed_backend.so")
    return made


def run(
    folder: Path,
    deed: str,
    site: str,
    *arguments: str,
    program: str = PROGRAM,
    **variables: str,
) -> tuple[int, str]:
    """Exit status, or the negative signal, and standard error."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, str(folder), *arguments],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        | {"ARMNN_PY_PROBE_SECONDS": "0", "DEED_Deed": deed, "SITE_Deed": site}
        | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.stdout == ("" if deed else "done\n")
    return done.returncode, re.sub("( at 0x[0-9a-f]{16})(?= in )", "", done.stderr)


@pytest.mark.parametrize("site", SITES)
def test_the_call_is_named(folder: Path, site: str) -> None:
    code, said = run(folder, "abort", site)
    assert code == -signal.SIGABRT
    file = folder / "Test_Deed_backend.so"
    assert f"armnn_py: SIGABRT in {SITES[site]}" in said
    assert str(file) in said
    assert "hint: " in said


@pytest.mark.parametrize("site", MEMORY_SITES)
def test_the_call_is_named_of_memory_and_notices(memory_folder: Path, site: str) -> None:
    code, said = run(memory_folder, "abort", site, "reset")
    assert code == -signal.SIGABRT
    file = memory_folder / "Test_Deed_backend.so"
    assert f"armnn_py: SIGABRT in {MEMORY_SITES[site]}, backend 'Deed', file {file}" in said


def test_no_memory_warning_without_a_cause(memory_folder: Path) -> None:
    assert run(memory_folder, "", "") == (0, "")


def test_devices_that_are_asked_for_again(folder: Path) -> None:
    code, said = run(folder, "abort", "devices", "devices")
    assert code == -signal.SIGABRT
    file = folder / "Test_Deed_backend.so"
    assert f"armnn_py: SIGABRT in list_devices, backend 'Deed', file {file}" in said


@pytest.mark.parametrize("site", ["constructor", "create", "create_workload", "execute", "body"])
@pytest.mark.parametrize("deed", [deed for deed in DEEDS if deed != "abort"])
def test_each_signal(folder: Path, deed: str, site: str) -> None:
    code, said = run(folder, deed, site)
    assert code == -DEEDS[deed]
    assert f"armnn_py: {DEEDS[deed].name} in {SITES[site]}" in said


def test_a_thread_of_the_pool_names_the_check_that_it_works_for(folder: Path) -> None:
    program = PROGRAM.replace("Runtime(sys.argv[1])", "Runtime(sys.argv[1], guard=True)")
    code, said = run(folder, "abort", "body", program=program)
    assert code == -signal.SIGABRT
    check = "an unreadable page behind each tensor and the scratch"
    assert f"armnn_py: SIGABRT in execute, {check}: {LAYER}, backend 'Deed'" in said


def test_names_of_folders_cannot_disturb_a_terminal(folder: Path, tmp_path: Path) -> None:
    odd = tmp_path / "red\x1b[31m\n"
    odd.mkdir()
    shutil.copy(folder / "Test_Deed_backend.so", odd)
    _, said = run(odd, "abort", "execute")
    assert f"{tmp_path}/red?[31m?/Test_Deed_backend.so" in said
    assert "\x1b" not in said


@pytest.mark.parametrize("site", ["create", "execute"])
@pytest.mark.parametrize("deed", ["abort", "segv"])
def test_faulthandler_goes_on(folder: Path, deed: str, site: str) -> None:
    code, said = run(folder, deed, site, "faulthandler")
    assert code == -DEEDS[deed]
    assert f"armnn_py: {DEEDS[deed].name} in {SITES[site]}" in said
    assert "Fatal Python error: " in said
    assert 'File "<string>", line ' in said


def test_exceptions_of_cpp_are_named(tmp_path: Path, build_backend: Callable[..., None]) -> None:
    thrower = tmp_path / "thrower.cpp"
    thrower.write_text(
        '#include <stdexcept>\nextern "C" void throw_an_exception() '
        '{ throw std::runtime_error("no more tea"); }\n'
    )
    made = tmp_path / "thrower.o"
    subprocess.run(["c++", "-fPIC", "-c", thrower, "-o", made], check=True)
    build_backend(
        "deed_backend.c", tmp_path / "Test_Deed_backend.so", "-DTHROWS", str(made), "-lstdc++"
    )
    code, said = run(tmp_path, "throw", "execute")
    assert code == -signal.SIGABRT
    assert "no more tea" in said
    assert f"armnn_py: SIGABRT in {SITES['execute']}" in said


def test_no_warning_without_a_cause(folder: Path) -> None:
    assert run(folder, "", "") == (0, "")


def test_no_report_for_a_death_elsewhere(folder: Path) -> None:
    program = "\n    ".join(["", "import os", "os.abort()"])
    code = PROGRAM.replace("    network = ann.Network()", program, 1)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(folder)],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "ARMNN_PY_PROBE_SECONDS": "0"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGABRT
    assert "armnn_py:" not in done.stderr


def test_switched_off_by_the_user(folder: Path) -> None:
    code, said = run(folder, "abort", "execute", ARMNN_PY_CRASH_REPORT="0")
    assert code == -signal.SIGABRT
    assert "armnn_py:" not in said


def test_a_device_that_is_opened_later(tmp_path: Path, build_backend: Callable[..., None]) -> None:
    file = tmp_path / "Test_Deed_backend.so"
    build_backend("deed_backend.c", file, "-DDEVICES=2")
    program = PROGRAM.replace("    network = ", '    runtime.backends["Deed:1"]\n    network = ', 1)
    code, said = run(tmp_path, "abort", "create_second", program=program)
    assert code == -signal.SIGABRT
    assert f"armnn_py: SIGABRT in step 'create' of 'Deed:1' of {file}" in said


#: A handler in C of the program's own, installed before the backend is loaded; it ends the program.
OWN_HANDLER = """
import ctypes, signal
libc = ctypes.CDLL(None)
libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.signal(signal.SIGABRT, ctypes.cast(libc._exit, ctypes.c_void_p))
"""


def test_the_programs_own_handler_goes_on(folder: Path) -> None:
    code, said = run(folder, "abort", "execute", program=OWN_HANDLER + PROGRAM)
    assert code == signal.SIGABRT  # _exit(6): the handler got the number of the signal
    assert said.count("armnn_py: SIGABRT in ") == 1


def test_a_copy_that_the_program_makes_reports_as_well(folder: Path) -> None:
    body = """
        child = os.fork()
        if child == 0:
            loaded.run(np.full(64, -1, np.float32))
            os._exit(0)
        os._exit(128 + os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    program = "import os\n" + PROGRAM.replace(
        '        y = loaded.run(np.full(64, -1, np.float32))["y"]\n', body.lstrip("\n"), 1
    )
    code, said = run(folder, "abort", "execute", program=program)
    assert code == 128 - signal.SIGABRT
    assert f"in {SITES['execute']}" in said
