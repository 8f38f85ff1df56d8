# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend that ends the process: the last line says where, and the process dies as it would."""

from __future__ import annotations

import atexit
import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py._native.process import last_words
from armnn_py._native.table import dynamic_library

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
    is_over = deed in ("", "fork", "fork_end", "vfork", "own_library") or "late" in arguments
    assert done.stdout == ("done\n" if is_over else "")
    return done.returncode, done.stderr


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


def test_nothing_is_said_of_memory_without_a_cause(memory_folder: Path) -> None:
    assert run(memory_folder, "", "") == (0, "")


def test_devices_that_are_asked_for_again(folder: Path) -> None:
    code, said = run(folder, "abort", "devices", "devices")
    assert code == -signal.SIGABRT
    file = folder / "Test_Deed_backend.so"
    assert f"armnn_py: SIGABRT in list_devices, backend 'Deed', file {file}" in said


def test_an_instance_of_a_second_device(tmp_path: Path, build_backend: Callable[..., None]) -> None:
    file = tmp_path / "Test_Deed_backend.so"
    build_backend("deed_backend.c", file, "-DDEVICES=2")
    program = PROGRAM.replace("    network = ", '    runtime.backends["Deed:1"]\n    network = ', 1)
    code, said = run(tmp_path, "exit", "create_second", program=program)
    assert code == 70
    assert f"armnn_py: exit(0) in step 'create' of 'Deed:1' of {file}" in said


@pytest.mark.parametrize("site", ["constructor", "create", "create_workload", "execute", "body"])
@pytest.mark.parametrize("deed", [deed for deed in DEEDS if deed != "abort"])
def test_each_signal(folder: Path, deed: str, site: str) -> None:
    code, said = run(folder, deed, site)
    assert code == -DEEDS[deed]
    assert f"armnn_py: {DEEDS[deed].name} in {SITES[site]}" in said


@pytest.mark.parametrize("site", SITES)
def test_exit_is_told_and_fails(folder: Path, site: str) -> None:
    code, said = run(folder, "exit", site)
    assert code == 70
    assert f"armnn_py: exit(0) in {SITES[site]}" in said


#: Deeds that run no handler -> the words on them.
IMMEDIATE = {
    "_exit": "_exit(0)",
    "quick_exit": "quick_exit(0)",
    "exit_call": "exit_group(0)",
    "exec": "exec of /bin/true",
    "execlp": "exec of true",
    "exec_call": "exec of /bin/true",
}


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "aarch64"), reason="the linkage is not known"
)
@pytest.mark.parametrize(
    "flags",
    [(), ("-Wl,-z,now",), ("-Wl,-z,norelro",), ("-fno-plt",)],
    ids=["as usual", "now", "no RELRO", "no PLT"],
)
def test_an_end_without_handlers_is_told_and_fails(
    tmp_path: Path, build_backend: Callable[..., None], flags: tuple[str, ...]
) -> None:
    build_backend("deed_backend.c", tmp_path / "Test_Deed_backend.so", *flags)
    for site in ("id", "create", "execute", "body", "destroy"):
        for deed, words in IMMEDIATE.items():
            code, said = run(tmp_path, deed, site)
            assert (code, site, deed) == (70, site, deed)
            assert f"armnn_py: {words} in {SITES[site]}" in said


@pytest.mark.parametrize("site", ["create", "execute", "own_thread"])
def test_programs_may_be_started(folder: Path, site: str) -> None:
    """By copies of the process, which are put in the place of nothing else."""
    assert run(folder, "vfork", site) == (0, "")


@pytest.mark.parametrize("site", SITES)
def test_a_copy_that_returns_is_told_and_ends(folder: Path, site: str) -> None:
    """Else whatever the program does next would be done twice."""
    code, said = run(folder, "fork", site)
    assert code == 0
    told = [line for line in said.splitlines() if line.startswith("armnn_py: ")]
    assert len(told) == 1 or site == "body"  # which is called more than once
    assert all(line.startswith(f"armnn_py: fork() in {SITES[site]}") for line in told)


#: What the program does not call -> the words on it.
UNCALLED = "which the program did not call: in a thread of its own, or at the end of the program"
ENDS = {
    "abort": (-signal.SIGABRT, "SIGABRT"),
    "divide": (-signal.SIGFPE, "SIGFPE"),
    "exit": (70, "exit(0)"),
    "_exit": (70, "_exit(0)"),
    "quick_exit": (70, "quick_exit(0)"),
    "exit_call": (70, "exit_group(0)"),
    "exec": (70, "exec of /bin/true"),
}


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "aarch64"), reason="the linkage is not known"
)
@pytest.mark.parametrize("deed", ENDS)
def test_a_thread_of_the_backends_own(folder: Path, deed: str) -> None:
    code, said = run(folder, deed, "own_thread")
    status, name = ENDS[deed]
    assert code == status
    file = folder / "Test_Deed_backend.so"
    assert f"armnn_py: {name} in code of {file}, {UNCALLED}" in said


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "aarch64"), reason="the linkage is not known"
)
@pytest.mark.parametrize("site", ["own_thread", "execute"])
def test_names_of_folders_cannot_disturb_a_terminal(
    folder: Path, tmp_path: Path, site: str
) -> None:
    odd = tmp_path / "red\x1b[31m\n"
    odd.mkdir()
    shutil.copy(folder / "Test_Deed_backend.so", odd)
    _, said = run(odd, "abort", site)
    assert f"{tmp_path}/red?[31m?/Test_Deed_backend.so" in said
    assert "\x1b" not in said


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "aarch64"), reason="the linkage is not known"
)
@pytest.mark.parametrize("deed", ENDS)
def test_a_destructor_at_the_end_of_the_program(
    tmp_path: Path, build_backend: Callable[..., None], deed: str
) -> None:
    file = tmp_path / "Test_Deed_backend.so"
    build_backend("deed_backend.c", file, "-DSTAYS_OPEN")
    code, said = run(tmp_path, deed, "destructor", "late")
    status, name = ENDS[deed]
    assert code == status
    assert f"armnn_py: {name} in code of {file}, {UNCALLED}" in said
    # The status of a program that fails stays.
    failing = PROGRAM.replace('print("done")', 'print("done")\nsys.exit(3)')
    code, _ = run(tmp_path, deed, "destructor", "late", program=failing)
    assert code == (3 if status > 0 else status)


@pytest.mark.parametrize(
    ("deed", "status"),
    [("exit", 70), ("_exit", 70), ("exec", 70), ("exit_call", 70), ("abort", -6)],
)
def test_a_copy_that_the_program_makes_is_a_program(folder: Path, deed: str, status: int) -> None:
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
    code, said = run(folder, deed, "execute", program=program)
    assert code == 128 + status
    assert f"in {SITES['execute']}" in said


@pytest.mark.parametrize("site", ["execute", "own_thread"])
def test_a_copy_of_the_process_ends_as_it_likes(folder: Path, site: str) -> None:
    """As one does whose program cannot be started."""
    assert run(folder, "fork_end", site) == (0, "")


@pytest.mark.parametrize("private", ["", "Deed"])
def test_calls_leave_what_they_find_in_the_file_s_own_library(folder: Path, private: str) -> None:
    """Also where the file has a C library of its own."""
    done = run(folder, "own_library", "execute", ARMNN_PY_PRIVATE_LIBRARIES=private)
    assert done == (0, "")


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


def test_nothing_is_said_without_a_cause(folder: Path) -> None:
    assert run(folder, "", "") == (0, "")


def test_nothing_is_said_of_a_death_elsewhere(folder: Path) -> None:
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


def test_it_can_be_switched_off(folder: Path) -> None:
    code, said = run(folder, "abort", "execute", ARMNN_PY_LAST_WORDS="0")
    assert code == -signal.SIGABRT
    assert "armnn_py:" not in said


def test_libraries_that_come_and_go_leave_nothing_for_the_end() -> None:
    handle = dynamic_library.open_library("libm.so.6")
    before = atexit._ncallbacks()
    for _ in range(3):
        last_words.note_library(handle, "libm.so.6")
        with last_words.closing(handle):
            pass
    dynamic_library.close_library(handle)
    assert atexit._ncallbacks() <= before + 1
