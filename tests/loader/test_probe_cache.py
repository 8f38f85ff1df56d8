# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What was found on a file is known until something changes; a cache can do no harm."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py.backends import elf, load_backends
from armnn_py.backends.probe import cache as probe_cache
from armnn_py.backends.probe import identity, process
from armnn_py.backends.probe.findings import ProbeFinding
from armnn_py.backends.probe.identity import FileIdentity
from armnn_py.backends.trust.lock_file import LockedBackend, hash_of, write_lock_file

from .harness import Load, Workshop, only, outcome, run_child

SOURCE = "deed_backend.c"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder; it is made by the first save."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "armnn_py"


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that were tried, in order; forget them with ``clear``."""
    names: list[str] = []
    try_files = process.try_files

    def note(files, *arguments):
        def each():
            for path, descriptor in files:
                names.append(Path(path).name)
                yield path, descriptor

        return try_files(each(), *arguments)

    monkeypatch.setattr(process, "try_files", note)
    return names


@pytest.fixture
def load_once(load: Load) -> Callable[..., tuple[str, str, str]]:
    """Load one file, close it again, and say what came of it."""

    def load_and_close(folder: Path, **arguments: object) -> tuple[str, str, str]:
        with load(folder, **arguments) as registry:
            return outcome(only(registry))

    return load_and_close


def let_it_age(file: Path) -> None:
    """Wait until the times of a file tell whether it is changed again."""
    while FileIdentity.of(file.stat()).is_fresh:
        time.sleep(0.005)


def forget() -> None:
    """As a new process begins: nothing is in memory."""
    probe_cache._caches.clear()


LOADED = ("loaded", "create", "ok")
DIED = ("refused", "id", "died")


def test_a_known_file_is_not_tried(
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    assert load_once(file.parent) == LOADED
    assert tried == [file.name]
    forget()
    assert load_once(file.parent) == LOADED
    assert tried == [file.name]
    [kept] = cache.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert cache.stat().st_mode & 0o777 == 0o700


def test_another_process_knows_it(
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    code = (
        "import json, sys; from armnn_py.backends import load_backends; "
        "load_backends(dynamic_backends_path=sys.argv[1]).close(); print(json.dumps(0))"
    )
    run_child(code, file.parent)
    assert load_once(file.parent) == LOADED
    assert tried == []


def test_a_known_refusal_is_told_without_reading_the_file(
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", 'DEED="abort"', 'SITE="id"', source=SOURCE)
    assert load_once(file.parent) == DIED
    forget()
    read: list[str] = []
    inspect = elf.inspect
    monkeypatch.setattr(elf, "inspect", lambda path: (read.append(path), inspect(path))[1])
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


def test_neither_a_trial_nor_what_is_known_imports_much(
    cache: Path, tmp_path: Path, workshop: Workshop
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    let_it_age(file)
    code = (
        "import json, sys; from armnn_py.backends import load_backends; "
        "load_backends(dynamic_backends_path=sys.argv[1]).close(); "
        "print(json.dumps(['hashlib' in sys.modules, 'subprocess' in sys.modules]))"
    )
    assert run_child(code, file.parent) == [False, False]
    assert run_child(code, file.parent) == [False, False]


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
    change: Callable[[Path], object],
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    load_once(file.parent)
    change(file)
    assert load_once(file.parent) == LOADED
    assert tried == [file.name] * 2
    load_once(file.parent)
    assert tried == [file.name] * 2


def test_variables_that_the_file_asks_for(
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
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
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    load_once(file.parent)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    load_once(file.parent)
    assert tried == [file.name] * 2


def test_libraries_that_come_with_the_file(
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    """They are found beside it, also by the trial, which opens it by a descriptor."""
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
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    """It takes no room, and reading it would take hours."""
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    os.truncate(file, 1 << 40)
    let_it_age(file)  # else its bytes would count
    assert load_once(file.parent) == LOADED
    assert load_once(file.parent) == LOADED
    assert tried == [file.name]


def test_a_second_change_within_a_step_of_the_clock(
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Size and times stay: the bytes tell, as long as the file is fresh."""
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
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
        forget()
        assert load_once(file.parent) == LOADED
    assert (len(tried), read) == (3, [str(file)])


@pytest.mark.parametrize("deed", ["kill_parent", "stop_parent"])
def test_what_ends_the_program_that_watches_it_twice_is_known(
    deed: str, cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    file = workshop.put(
        tmp_path / "place", "Deed", f'DEED="{deed}"', 'SITE="create"', source=SOURCE
    )
    for _ in range(3):
        forget()
        stage, _, code = load_once(file.parent)
        assert (stage, code) == ("refused", "died")
    assert tried == [file.name] * 2


def test_what_somebody_else_ends_once_is_tried_again(
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    begin, begun = process.Trial.begin, []

    def begin_and_end_the_first(trial: process.Trial) -> None:
        if not begun:
            os.kill(trial.pid, signal.SIGKILL)
        begun.append(trial)
        begin(trial)

    monkeypatch.setattr(process.Trial, "begin", begin_and_end_the_first)
    monkeypatch.setattr(process.Trial, "stage_lines", lambda _: b"stage open\n")
    assert load_once(file.parent) == LOADED
    assert tried == [file.name] * 2
    assert load_once(file.parent) == LOADED
    assert tried == [file.name] * 2


def test_many_files_are_known(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as fit into a file of some megabytes; the oldest go first."""
    cache.mkdir(parents=True)
    finding = ProbeFinding("exit", "passed", 0, (), "Deed", (1, 0), "", 0.001, 1.0, (), ())

    def known() -> list[int]:
        forget()
        found = probe_cache.cache_of(str(cache))
        return [i for i in range(3000) if found.find(FileIdentity(1, i, 1, 1, 1), 1.0, "/x")]

    kept = probe_cache.cache_of(str(cache))
    for i in range(3000):
        kept.put(FileIdentity(1, i, 1, 1, 1), finding)
        if i % 500 == 499:
            kept.save()
    assert known() == list(range(3000))
    [file] = cache.iterdir()
    monkeypatch.setattr(probe_cache, "_MOST_BYTES", file.stat().st_size)
    monkeypatch.setattr(probe_cache, "_MOST_REWRITTEN", file.stat().st_size // 2)
    now = probe_cache.time.time()
    monkeypatch.setattr(probe_cache.time, "time", lambda: now + 10)
    kept = probe_cache.cache_of(str(cache))
    kept.put(FileIdentity(1, 0, 1, 1, 1), finding)
    kept.save()
    remembered = known()
    assert 0 in remembered
    assert 1000 < len(remembered) < 2000


def test_what_refuses_a_file_is_asked_again_after_an_hour(
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


def test_new_lines_are_added_and_old_ones_go(
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    """One line is added for each finding; the file is replaced when most of its lines are old."""
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    other = workshop.put(tmp_path / "other", "Deed", source=SOURCE)
    assert load_once(other.parent) == LOADED
    [kept] = cache.iterdir()
    counts, inodes = [], set()
    for moment in range(1, 50):
        os.utime(file, ns=(moment, moment))
        assert load_once(file.parent) == LOADED
        counts.append(kept.read_bytes().count(b"\n"))
        inodes.add(kept.stat().st_ino)
    assert counts[:5] == [3, 4, 5, 6, 7]
    assert max(counts) < 45
    assert len(inodes) == 2
    forget()
    assert load_once(file.parent) == LOADED
    assert load_once(other.parent) == LOADED
    assert tried == [other.name, *[file.name] * 49]


def test_what_a_full_disk_left_is_passed_over(
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    first, *rest = (
        workshop.put(tmp_path / name, "Deed", source=SOURCE) for name in ("one", "two", "three")
    )
    assert load_once(first.parent) == LOADED
    [kept] = cache.iterdir()
    with kept.open("ab") as stream:
        stream.write(kept.read_bytes().splitlines()[1][:100])
    for _ in range(2):
        forget()
        for file in (first, *rest):
            assert load_once(file.parent) == LOADED
    assert tried == [file.name for file in (first, *rest)]


# ---- Caches that are none -----------------------------------------------------------------------


def make_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_endless(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def make_huge(path: Path) -> None:
    os.truncate(path, 1 << 40)


def make_damaged(path: Path) -> None:
    path.write_bytes(bytes(byte ^ 0x55 for byte in path.read_bytes()))


def make_cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 20)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_writable(path: Path) -> None:
    path.chmod(0o666)


def make_foreign(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root gives files away")
    os.chown(path, 65534, 65534)


@pytest.mark.parametrize(
    "spoil",
    [
        make_fifo, make_endless, make_huge, make_damaged, make_cut, make_folder, make_writable,
        make_foreign,
    ],
)  # fmt: skip
def test_a_spoilt_cache(
    spoil: Callable[[Path], None],
    cache: Path,
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
) -> None:
    """It counts as empty, and is replaced by one of our own if that can be done."""
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    load_once(file.parent)
    [kept] = cache.iterdir()
    spoil(kept)
    forget()
    assert load_once(file.parent) == LOADED
    assert tried == [file.name] * 2
    forget()
    assert load_once(file.parent) == LOADED
    assert len(tried) == (3 if spoil is make_folder else 2)


def test_every_single_byte_may_be_wrong(
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", 'DEED="abort"', 'SITE="id"', source=SOURCE)
    load_once(file.parent)
    [kept] = cache.iterdir()
    data = kept.read_bytes()
    found = probe_cache.cache_of(str(cache))
    [(key, entry)] = found._read().items()
    for position in range(len(data)):
        for value in (0, ord("9"), ord("\t"), ord("\n"), 255):
            changed = bytearray(data)
            changed[position] = value
            kept.write_bytes(changed)
            assert found._read() in ({}, {key: entry})


def test_a_cache_of_another_release(
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    load_once(file.parent)
    [kept] = cache.iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"probes ", b"probes 9", 1))
    forget()
    load_once(file.parent)
    assert tried == [file.name] * 2


def test_no_cache_folder(
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was found is known to this process."""
    forget()
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    assert load_once(file.parent) == load_once(file.parent) == LOADED
    assert tried == [file.name]


def test_many_processes_at_once(cache: Path, tmp_path: Path, workshop: Workshop) -> None:
    files = [workshop.put_id(tmp_path / str(i), f"Id{i}") for i in range(4)]
    code = (
        "import sys; from armnn_py.backends import load_backends; "
        "load_backends(dynamic_backends_path=sys.argv[1], bundled_backends=False).close()"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    children = [
        subprocess.Popen([sys.executable, "-c", code, str(file.parent)], env=environment)
        for file in files
    ]
    assert [child.wait() for child in children] == [0] * 4
    assert len(probe_cache.ProbeCache(str(cache))._read()) == 4
    assert len(list(cache.iterdir())) == 1
