# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Write permissions, linked libraries and the lock file: each case made for real."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py import environment
from armnn_py._native import secure_mode
from armnn_py.backends import load_backends

from .harness import Workshop, run_child
from .judging import SOMEBODY, as_root, refused, verdict_on

# ---- Modes and owners ----------------------------------------------------------------------------


def test_a_file_of_ones_own_is_loaded(folder: Path) -> None:
    verdict = verdict_on(folder)
    assert (verdict.status, verdict.hint) == ("loaded", "")


def test_a_file_that_anybody_may_write_to(folder: Path) -> None:
    (folder / "Test_Mine_backend.so").chmod(0o666)
    verdict = verdict_on(folder)
    refused(verdict, "writable-by-anybody", "anybody may write to it")
    assert "trust='open'" in verdict.hint
    assert verdict_on(folder, trust="open").status == "loaded"


@pytest.mark.parametrize("mode", [0o777, 0o1777], ids=["plain", "sticky"])
def test_a_folder_that_anybody_may_write_to(folder: Path, mode: int) -> None:
    folder.chmod(mode)
    refused(verdict_on(folder), "writable-by-anybody", f"its folder {folder}")


def test_a_folder_above_that_anybody_may_write_to(folder: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    refused(verdict_on(folder), "writable-by-anybody", f"{tmp_path}, which it lies under")


def test_a_sticky_folder_above_is_as_good_as_any(folder: Path, tmp_path: Path) -> None:
    """As /tmp: others cannot replace what is in it."""
    tmp_path.chmod(0o1777)
    assert verdict_on(folder).status == "loaded"


@pytest.mark.parametrize("where", ["link", "target"])
def test_both_ends_of_a_link_count(folder: Path, tmp_path: Path, where: str) -> None:
    away = tmp_path / "away"
    away.mkdir()
    file = folder / "Test_Mine_backend.so"
    shutil.move(file, away / file.name)
    file.symlink_to(away / file.name)
    assert verdict_on(folder).status == "loaded"
    (folder if where == "link" else away).chmod(0o777)
    refused(verdict_on(folder), "writable-by-anybody")


@pytest.mark.parametrize("what", ["file", "folder"])
def test_links_on_the_way_count(folder: Path, tmp_path: Path, what: str) -> None:
    """Anybody may let such a link lead elsewhere, though both of its ends are good."""
    away, shared = tmp_path / "away", tmp_path / "shared"
    away.mkdir(mode=0o755)
    shared.mkdir()
    if what == "file":
        (folder / "Test_Mine_backend.so").rename(away / "Test_Mine_backend.so")
        (shared / "link").symlink_to("../shared/../away/Test_Mine_backend.so")
        (folder / "Test_Mine_backend.so").symlink_to(shared / "link")
    else:
        folder.rename(away / "folder")
        (shared / "link").symlink_to("../away/folder")
        folder.symlink_to(shared / "link")
    assert verdict_on(folder).status == "loaded"
    shared.chmod(0o777)
    refused(verdict_on(folder), "writable-by-anybody", f"anybody may write to {shared}")
    shared.chmod(0o1777)
    assert verdict_on(folder).status == "loaded"
    if os.geteuid() == 0:
        os.lchown(shared / "link", SOMEBODY, SOMEBODY)  # who may replace it, also there
        assert f"the link {shared}/link belongs to user {SOMEBODY}" in verdict_on(folder).hint
        os.lchown(shared / "link", 0, 0)
        os.chown(shared, SOMEBODY, SOMEBODY)
        assert f"{shared}, which it lies under, belongs to" in verdict_on(folder).hint


@as_root
@pytest.mark.parametrize("which", ["file", "folder"])
def test_a_file_of_another_user_is_reported(
    folder: Path, which: str, caplog: pytest.LogCaptureFixture
) -> None:
    owned = folder if which == "folder" else folder / "Test_Mine_backend.so"
    os.chown(owned, SOMEBODY, SOMEBODY)
    verdict = verdict_on(folder)
    assert verdict.status == "loaded"
    assert f"belongs to user {SOMEBODY}" in verdict.hint
    assert f"belongs to user {SOMEBODY}" in caplog.text
    assert verdict_on(folder, trust="open").hint == ""


@as_root
def test_a_file_of_another_user_is_refused_with_raised_privileges(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.chown(folder / "Test_Mine_backend.so", SOMEBODY, SOMEBODY)
    monkeypatch.setattr("armnn_py.environment.has_raised_privileges", lambda: True)
    refused(verdict_on(folder), "foreign-owner", f"belongs to user {SOMEBODY}")


@as_root
def test_program_started_with_capabilities(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(folder / "Test_Mine_backend.so", SOMEBODY, SOMEBODY)
    for name in ("getuid", "geteuid"):
        monkeypatch.setattr(os, name, lambda: SOMEBODY)
    verdict = verdict_on(folder)
    assert (verdict.status, verdict.hint) == ("loaded", "")
    monkeypatch.setattr("armnn_py.environment.has_raised_privileges", lambda: True)
    refused(verdict_on(folder), "foreign-owner", f"belongs to user {SOMEBODY}")


def test_the_packages_own_files_are_not_judged() -> None:
    with load_backends() as registry:
        assert "CpuRef" in registry


@pytest.mark.parametrize("level", ["loose", "", 1, True])
def test_levels_of_no_sense(level: object) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="open, warn, locked expected"):
        load_backends(trust=level)  # type: ignore[arg-type]


def test_the_level_of_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.chmod(0o777)
    monkeypatch.setenv("ARMNN_PY_TRUST", "open")
    assert verdict_on(folder).status == "loaded"
    monkeypatch.setenv("ARMNN_PY_TRUST", "loose")
    with pytest.raises(ann.InvalidArgumentError, match="ARMNN_PY_TRUST: 'loose' given"):
        verdict_on(folder)


@as_root
def test_the_system_tells_of_file_capabilities() -> None:
    """A program with capabilities that another user begins: its ids are equal all the same."""
    setcap = shutil.which("setcap", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if setcap is None or shutil.which("python3", path="/usr/bin") is None:
        pytest.skip("setcap or the system's Python is not here")
    code = (
        inspect.getsource(secure_mode)
        + "import os\nprint(began_secure(), os.getuid() == os.geteuid())"
    )
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        program = folder / "python"
        # One that other users may begin, with its library.
        shutil.copy2(os.path.realpath(shutil.which("python3", path="/usr/bin") or ""), program)

        def answer() -> str:
            done = subprocess.run(
                [program, "-S", "-c", code], user=SOMEBODY, group=SOMEBODY, extra_groups=[],
                env={"PYTHONHOME": "/usr"}, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode:
                pytest.skip(f"another user cannot begin this Python: {done.stderr[-300:]}")
            return done.stdout.strip()

        assert answer() == "False True"
        if subprocess.run([setcap, "cap_net_raw+ep", program], check=False).returncode:
            pytest.skip("the file system has no capabilities")
        assert answer() == "True True"


def test_no_variable_is_read_in_secure_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNAMIC_BACKEND_PATHS", "/somewhere")
    assert environment.dynamic_backend_paths() == "/somewhere"
    monkeypatch.setattr(environment, "began_secure", lambda: True)
    assert environment.dynamic_backend_paths() is None
    assert environment.lock_file() is None


_SET_USER_ID = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
from armnn_py import environment
from armnn_py.backends import load_backends
found = {}
for folder in sys.argv[1:]:
    with load_backends(dynamic_backends_path=folder, bundled_backends=False) as registry:
        found.update({verdict.path: verdict.code for verdict in registry.load_report})
read = [environment.dynamic_backend_paths(), environment.trust_level()]
print(json.dumps([os.getuid(), os.geteuid(), read, found]))
"""


@as_root
def test_a_set_user_id_program(folder: Path, tmp_path: Path, workshop: Workshop) -> None:
    """Somebody begins a program of root's: no variable counts, and no file of that user's opens."""
    elsewhere = workshop.put_id(tmp_path / "elsewhere", "Elsewhere")
    theirs = workshop.put_id(tmp_path / "theirs", "Theirs")
    os.chown(theirs, SOMEBODY, SOMEBODY)
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        program = Path(made) / "python"
        shutil.copyfile(os.path.realpath(sys.executable), program)
        program.chmod(0o4755)

        def answer(code: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [program, "-c", code, folder, theirs.parent], user=SOMEBODY,
                env={"PYTHONHOME": sys.base_prefix, "PYTHONPATH": os.pathsep.join(sys.path),
                     "DYNAMIC_BACKEND_PATHS": str(elsewhere.parent), "ARMNN_PY_TRUST": "open"},
                capture_output=True, text=True, check=False,
            )  # fmt: skip

        if answer("import os; print(os.geteuid())").stdout != "0\n":
            pytest.skip("the file system ignores set-user-id")
        done = answer(_SET_USER_ID)
    assert done.returncode == 0, done.stderr
    user, effective, read, found = json.loads(done.stdout)
    assert (user, effective, read) == (SOMEBODY, 0, [None, None])
    mine = folder / "Test_Mine_backend.so"
    assert found == {str(mine): "ok", str(theirs): "foreign-owner"}


# ---- What a file links to ------------------------------------------------------------------------


def linked(workshop: Workshop, folder: Path, *flags: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "Test_Linked_backend.so"
    workshop.compile(workshop.fixture("bad_backend.c"), target, '-DBACKEND_ID="Linked"', *flags)
    return target


@pytest.mark.parametrize(
    "entries",
    # The system's loader puts relative names in place of LIB and PLATFORM.
    [".", "lib", "lib:.", "/opt/lib:.:", "$ORIGIN:lib", "$LIB/acme", "/opt:${LIB}", "$PLATFORM"],
)
@pytest.mark.parametrize("kind", ["--enable-new-dtags", "--disable-new-dtags"])
def test_run_paths_in_the_folder_of_the_program(
    tmp_path: Path, workshop: Workshop, entries: str, kind: str
) -> None:
    linked(workshop, tmp_path / "b", f"-Wl,{kind},-rpath,{entries}")
    verdict = verdict_on(tmp_path / "b")
    refused(verdict, "run-path-relative", "relative to the folder that the program is started in")
    assert "$ORIGIN" in verdict.hint


@pytest.mark.parametrize(
    "entries", ["$ORIGIN", "$ORIGIN/../lib:/opt/lib", "${ORIGIN}/x", "/opt/$LIB:$ORIGIN/$PLATFORM"]
)
def test_run_paths_that_do_not_depend_on_it(
    tmp_path: Path, workshop: Workshop, entries: str
) -> None:
    linked(workshop, tmp_path / "b", f"-Wl,-rpath,{entries}")
    assert verdict_on(tmp_path / "b").status == "loaded"


@pytest.mark.parametrize("entries", ["/opt/lib:::", ":::::::"])
def test_an_empty_entry_of_a_run_path_is_reported(
    tmp_path: Path, workshop: Workshop, entries: str
) -> None:
    """CMake puts them into files that are not installed yet."""
    linked(workshop, tmp_path / "b", f"-Wl,-rpath,{entries}")
    verdict = verdict_on(tmp_path / "b")
    assert verdict.status == "loaded"
    assert f"its run path '{entries}' has an empty entry" in verdict.hint


def helper(workshop: Workshop, target: Path, *flags: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source = target.with_suffix(".c")
    source.write_text('__attribute__((visibility("default"))) int helper(void) { return 1; }\n')
    workshop.compile(source, target, *flags)


def multiarch() -> str:
    return sysconfig.get_config_var("MULTIARCH") or "lib"


def load_once(file: Path) -> set[str]:
    """Open a file in another process, in this folder; files of tests that came with it."""
    found = run_child(
        "import ctypes, json, sys\n"
        "ctypes.CDLL(sys.argv[1])\n"
        "lines = [line.split() for line in open('/proc/self/maps')]\n"
        "print(json.dumps(sorted({line[5] for line in lines if line[5:]})))",
        file,
    )
    return {path for path in found if path.startswith(str(file.parents[1]))} - {str(file)}


def test_a_needed_library_by_a_relative_path(
    tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper(workshop, tmp_path / "libhelper.so")
    monkeypatch.chdir(tmp_path)
    linked(workshop, tmp_path / "b", "-Wl,--no-as-needed", "./libhelper.so")
    refused(verdict_on(tmp_path / "b"), "needed-relative", "needs './libhelper.so'")


@pytest.mark.parametrize(
    "flags",
    [
        ["--auxiliary=./libhelper.so"],
        ["--auxiliary=./libhelper.so", "--auxiliary=libc.so.6"],
        ["--filter=./libhelper.so"],
    ],
    ids=["auxiliary", "first of two", "filter"],
)
def test_a_filter_by_a_relative_path(
    tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch, flags: list[str]
) -> None:
    """A library that stands in for symbols of the file is loaded with it, as a needed one is."""
    helper(workshop, tmp_path / "libhelper.so")
    monkeypatch.chdir(tmp_path)
    file = linked(workshop, tmp_path / "b", *(f"-Wl,{flag}" for flag in flags))
    assert load_once(file) == {str(tmp_path / "libhelper.so")}  # the system's loader does it
    refused(verdict_on(tmp_path / "b"), "needed-relative", "needs './libhelper.so'")


@pytest.mark.parametrize("kind", ["needed", "run path"])
@pytest.mark.parametrize("word", ["$LIB", "${LIB}"])
def test_a_name_that_the_systems_loader_makes_relative(
    tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch, word: str, kind: str
) -> None:
    """It puts the folder of libraries below a prefix in place of LIB: without a slash in front."""
    monkeypatch.chdir(tmp_path)
    name = "libhelper.so" if kind == "run path" else f"{word}/libhelper.so"
    helper(workshop, tmp_path / "libhelper.so", f"-Wl,-soname,{name}")
    file = linked(
        workshop,
        tmp_path / "b",
        f"-Wl,--no-as-needed,-rpath,{word if kind == 'run path' else '$ORIGIN'}",
        str(tmp_path / "libhelper.so"),
    )
    places = {tmp_path / "lib", tmp_path / "lib64", tmp_path / "lib" / multiarch()}
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tmp_path / "libhelper.so", place / "libhelper.so")
    assert load_once(file) in [{str(place / "libhelper.so")} for place in places]
    code = "needed-relative" if kind == "needed" else "run-path-relative"
    refused(verdict_on(tmp_path / "b"), code, f"'{word}")


@pytest.mark.parametrize("how", ["asked for", "not said"])
def test_a_file_that_makes_stacks_executable(tmp_path: Path, workshop: Workshop, how: str) -> None:
    """The system's loader does that to all threads of the program, where it does not refuse it."""
    file = linked(workshop, tmp_path / "b", "-Wl,-z,execstack")
    if how == "not said":
        image = bytearray(file.read_bytes())
        first, count = *struct.unpack_from("<Q", image, 32), *struct.unpack_from("<H", image, 56)
        for at in range(first, first + 56 * count, 56):
            if struct.unpack_from("<I", image, at) == (0x6474E551,):  # PT_GNU_STACK
                struct.pack_into("<I", image, at, 0)
        file.write_bytes(image)
    refused(verdict_on(tmp_path / "b"), "elf-executable-stack", "stacks of the whole program")


def test_the_name_of_another_library(tmp_path: Path, workshop: Workshop) -> None:
    linked(workshop, tmp_path / "b", "-Wl,-soname,libbz2.so.1.0")
    refused(verdict_on(tmp_path / "b"), "soname-foreign", "'libbz2.so.1.0'")


@pytest.mark.parametrize("name", ["Test_Linked_backend.so", "Acme_Npu_backend.so.1.2"])
def test_the_name_of_a_backend(tmp_path: Path, workshop: Workshop, name: str) -> None:
    linked(workshop, tmp_path / "b", f"-Wl,-soname,{name}")
    assert verdict_on(tmp_path / "b").status == "loaded"


def test_two_vendors_with_a_library_of_one_name(tmp_path: Path, workshop: Workshop) -> None:
    """The second one gets the library of the first: it is told of, and works or not."""
    for vendor in ("one", "two"):
        helper(workshop, tmp_path / vendor / "libvend.so.1", "-Wl,-soname,libvend.so.1")
        workshop.compile(
            workshop.fixture("bad_backend.c"),
            tmp_path / vendor / f"Test_{vendor}_backend.so",
            f'-DBACKEND_ID="{vendor}"',
            "-Wl,--no-as-needed,-rpath,$ORIGIN",
            str(tmp_path / vendor / "libvend.so.1"),
        )
    with load_backends(dynamic_backends_path=tmp_path / "one", bundled_backends=False) as first:
        assert [one.hint for one in first.load_report.loaded] == [""]
        with load_backends(dynamic_backends_path=tmp_path / "two", bundled_backends=False) as other:
            (hint,) = (one.hint for one in other.load_report.loaded)
    assert f"needs 'libvend.so.1' and gets {tmp_path}/one/libvend.so.1" in hint
    assert f"not its own {tmp_path}/two/libvend.so.1" in hint
