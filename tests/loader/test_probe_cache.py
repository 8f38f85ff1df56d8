# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Findings on a file hold until something changes; a damaged cache does no harm."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py.backends import load_backends
from armnn_py.backends.loader import elf
from armnn_py.backends.probe import cache as probe_cache
from armnn_py.backends.probe import identity, process
from armnn_py.backends.probe.identity import FileIdentity
from armnn_py.backends.trust.lock_file import LockedBackend, hash_of, write_lock_file

from .harness import DIED, LOADED, Workshop, forget_findings, run_child

SOURCE = "deed_backend.c"


def let_it_age(file: Path) -> None:
    """Wait until the times of a file tell whether it is changed again."""
    while FileIdentity.of(file.stat()).is_fresh:
        time.sleep(0.005)


@pytest.fixture
def file(tmp_path: Path, workshop: Workshop) -> Path:
    """A backend that does nothing wrong."""
    return workshop.put(tmp_path / "place", "Deed", source=SOURCE)


def test_a_known_file_is_not_tried(file: Path, cache: Path, tried: list[str], load_once) -> None:
    assert load_once(file.parent) == LOADED
    assert tried == [file.name]
    forget_findings()
    assert load_once(file.parent) == LOADED
    assert tried == [file.name]
    [kept] = cache.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert cache.stat().st_mode & 0o777 == 0o700


def test_another_process_knows_it(file: Path, cache: Path, tried: list[str], load_once) -> None:
    code = (
        "import json, sys; from armnn_py.backends import load_backends; "
        "load_backends(dynamic_backends_path=sys.argv[1]).close(); print(json.dumps(0))"
    )
    run_child(code, file.parent)
    assert load_once(file.parent) == LOADED
    assert tried == []


def test_a_known_refusal_is_reported_without_reading_the_file(
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", 'DEED="abort"', 'SITE="id"', source=SOURCE)
    assert load_once(file.parent) == DIED
    forget_findings()
    read: list[str] = []
    inspect = elf.inspect
    monkeypatch.setattr(
        elf, "inspect", lambda path, **settings: (read.append(path), inspect(path, **settings))[1]
    )
    assert load_once(file.parent) == DIED
    assert (tried, read) == ([file.name], [])
    file.touch()
    assert load_once(file.parent) == DIED
    assert (tried, read) == ([file.name] * 2, [str(file)])


def test_a_known_refusal_leaves_the_file_to_the_rules_of_trust(
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are asked at each load, and answer first: folders change without their files."""
    monkeypatch.setenv("ARMNN_PY_LOCK_FILE", str(tmp_path / "backends.lock"))
    place = tmp_path / "place"
    file = workshop.put(place, "Deed", 'DEED="abort"', 'SITE="id"', source=SOURCE)
    assert load_once(place) == DIED
    place.chmod(0o777)
    assert load_once(place) == ("refused", "resolve", "writable-by-anybody")
    assert load_once(place, trust="open") == DIED
    place.chmod(0o755)
    write_lock_file(str(tmp_path / "backends.lock"), [])
    assert load_once(place, trust="locked") == ("refused", "inspect", "not-locked")
    locked = LockedBackend("Deed", str(file), hash_of(str(file)))
    write_lock_file(str(tmp_path / "backends.lock"), [locked])
    assert load_once(place, trust="locked") == DIED
    assert tried == [file.name]


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file.touch(),
        lambda file: os.utime(file, ns=(1, 1)),
        lambda file: file.chmod(0o700),
        lambda file: (shutil.copy2(file, file.with_name("x")), file.with_name("x").rename(file)),
    ],
    ids=["touched", "dated back", "mode", "replaced"],
)
def test_a_changed_file_is_tried_anew(
    file: Path, change: Callable[[Path], object], cache: Path, tried: list[str], load_once
) -> None:
    load_once(file.parent)
    change(file)
    assert load_once(file.parent) == LOADED
    assert tried == [file.name] * 2
    load_once(file.parent)
    assert tried == [file.name] * 2


def test_variables_that_the_file_asks_for(
    file: Path, cache: Path, tried: list[str], load_once, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_once(file.parent) == LOADED
    monkeypatch.setenv("SITE_Other", "id")
    assert load_once(file.parent) == LOADED
    assert tried == [file.name]
    monkeypatch.setenv("DEED_Deed", "abort")
    monkeypatch.setenv("SITE_Deed", "id")
    assert load_once(file.parent) == DIED
    assert load_once(file.parent) == DIED
    assert tried == [file.name] * 2
    monkeypatch.delenv("SITE_Deed")
    assert load_once(file.parent) == LOADED
    assert tried == [file.name] * 3


def test_variables_of_the_systems_loader(
    file: Path,
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load_once(file.parent)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    load_once(file.parent)
    assert tried == [file.name] * 2


def test_libraries_that_come_with_the_file(
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    """They are found beside it, also by the probe, which opens it by a descriptor."""
    place = tmp_path / "place"
    place.mkdir()
    source = tmp_path / "vendor.c"
    source.write_text(
        "int function_of_the_needed_library(void);\n"
        "int function_of_the_needed_library(void) { return 0; }\n"
    )
    library = place / "libvendor.so"
    workshop.compile(source, library, "-fvisibility=default")
    file = place / "Test_Needs_backend.so"
    flags = ["-DNEEDS_LIBRARY", str(library), "-Wl,-rpath,$ORIGIN"]
    workshop.compile(workshop.fixture("bad_backend.c"), file, *flags)

    def status() -> str:
        with load_backends(dynamic_backends_path=[place], bundled_backends=False) as registry:
            return next(v.status for v in registry.load_report if v.path == str(file))

    assert status() == "loaded"
    assert tried == [file.name]
    assert status() == "loaded"
    assert tried == [file.name]
    os.utime(library, ns=(1, 1))
    assert status() == "loaded"
    assert tried == [file.name] * 2


@pytest.mark.parametrize("site", ["constructor", "create", "support"])
def test_libraries_that_its_code_opens(
    site: str,
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A driver, say, which a vendor's backend looks for when it is made."""
    library = tmp_path / "libdriver.so"
    workshop.compile(workshop.fixture("plain_library.c"), library)
    monkeypatch.setenv("ARMNN_TEST_LIBRARY", str(library))
    file = workshop.put(
        tmp_path / "place", "Deed", 'DEED="library"', f'SITE="{site}"', source=SOURCE
    )
    assert load_once(file.parent) == LOADED
    assert load_once(file.parent) == LOADED
    assert tried == [file.name]
    os.utime(library, ns=(1, 1))
    assert load_once(file.parent) == LOADED
    assert tried == [file.name] * 2


def test_a_sparse_file_is_not_read_to_its_end(
    file: Path, cache: Path, tried: list[str], load_once
) -> None:
    """It takes no room, and reading it would take hours."""
    os.truncate(file, 1 << 40)
    let_it_age(file)  # else its bytes would count
    assert load_once(file.parent) == LOADED
    assert load_once(file.parent) == LOADED
    assert tried == [file.name]


def test_a_second_change_within_a_step_of_the_clock(
    file: Path, cache: Path, tried: list[str], load_once, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Size and times stay: the bytes tell, as long as the file is fresh."""
    of = FileIdentity.of
    moment = time.time_ns() // 10**9 * 10**9 + 1
    monkeypatch.setattr(FileIdentity, "of", lambda status: of(status)._replace(changed_ns=moment))
    monkeypatch.setattr(identity, "_FINE_STEP", 10**12)
    for _ in range(2):
        assert load_once(file.parent) == LOADED
    assert len(tried) == 1
    data, modified_ns = file.read_bytes(), file.stat().st_mtime_ns

    def write(changed: bytes) -> None:
        file.write_bytes(changed)
        os.utime(file, ns=(modified_ns, modified_ns))

    write(data.replace(b"Deed\0", b"Dead\0"))
    assert load_once(file.parent) == LOADED
    assert len(tried) == 2
    write(data)
    assert load_once(file.parent) == LOADED
    assert len(tried) == 3
    # Later its times tell, and it is not read any more.
    monkeypatch.setattr(identity, "_FINE_STEP", 0)
    read: list[str] = []
    content_of = probe_cache.content_of
    monkeypatch.setattr(
        probe_cache, "content_of", lambda path: (read.append(path), content_of(path))[1]
    )
    for _ in range(2):
        forget_findings()
        assert load_once(file.parent) == LOADED
    assert (len(tried), read) == (3, [str(file)])


@pytest.mark.parametrize("deed", ["kill_parent", "stop_parent"])
def test_file_that_twice_ended_its_supervisor_is_known(
    deed: str, cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    file = workshop.put(
        tmp_path / "place", "Deed", f'DEED="{deed}"', 'SITE="create"', source=SOURCE
    )
    for _ in range(3):
        forget_findings()
        stage, _, code = load_once(file.parent)
        assert (stage, code) == ("refused", "died")
    assert tried == [file.name] * 2


def test_externally_ended_probe_is_repeated(
    file: Path, cache: Path, tried: list[str], load_once, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, begun = process.ProbeProcess.begin, []

    def begin_and_end_the_first(probe: process.ProbeProcess) -> None:
        if not begun:
            os.kill(probe.pid, signal.SIGKILL)
        begun.append(probe)
        begin(probe)

    monkeypatch.setattr(process.ProbeProcess, "begin", begin_and_end_the_first)
    monkeypatch.setattr(process.ProbeProcess, "stage_lines", lambda _: b"stage open\n")
    assert load_once(file.parent) == LOADED
    assert tried == [file.name] * 2
    assert load_once(file.parent) == LOADED
    assert tried == [file.name] * 2


def test_refused_file_is_probed_again_after_an_hour(
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", 'DEED="abort"', 'SITE="id"', source=SOURCE)
    good = workshop.put(tmp_path / "good", "Deed", source=SOURCE)
    for _ in range(2):
        assert load_once(file.parent) == DIED
        assert load_once(good.parent) == LOADED
    assert tried == [file.name, good.name]
    now = probe_cache.time.time()
    monkeypatch.setattr(probe_cache.time, "time", lambda: now + 3601)
    assert load_once(file.parent) == DIED
    assert load_once(good.parent) == LOADED
    assert tried == [file.name, good.name, file.name]


def test_a_longer_limit_asks_again(
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", 'DEED="hang"', 'SITE="id"', source=SOURCE)
    for seconds, count in ((0.3, 1), (0.3, 1), (0.2, 1), (0.4, 2)):
        assert load_once(file.parent, probe_seconds=seconds) == ("refused", "id", "timed-out")
        assert len(tried) == count
