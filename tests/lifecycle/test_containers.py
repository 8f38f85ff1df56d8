# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Programs in containers: a user without a home of its own, and file systems without writing."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import armnn_py as ann

DEMO = Path(ann.__file__).parent / "demo" / "digits.onnx"

#: Loads with each cache that there is: of networks, of findings on files, of measured times.
PROGRAM = """
import logging, sys
import numpy as np
import armnn_py as ann
logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
feed = {"image": np.zeros((1, 1, 8, 8), np.float32)}
with ann.load(sys.argv[1], ["CpuRef"], cache=True) as network:
    network.run(feed)
with ann.Runtime(sys.argv[2]) as runtime:
    assert [one.place for one in runtime.load_report.loaded].count("argument") == 1
    with ann.load(sys.argv[1], runtime=runtime, strategy="measure") as network:
        network.run(feed)
print("done")
"""

#: As the files of an image: all is read-only. What the user may not enter on the way to Python
#: and the package is given anew, so that only the home stays closed.
NAMESPACE = """
set -e
mount --make-rprivate /
mount -t tmpfs none /mnt
{rescue}
for place in / /tmp /var/tmp /run /dev/shm; do
  [ -d $place ] || continue
  mountpoint -q $place || mount --rbind $place $place
  mount -o remount,bind,ro $place
done
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
"""


def hidden_above(path: Path) -> Path | None:
    """The topmost folder above a path that other users may not enter."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    return None


def rescue(paths: list[Path]) -> str:
    """Commands that make paths reachable for every user, in a mount namespace."""
    closed = [(path, above) for path in paths if (above := hidden_above(path)) is not None]
    lines = [
        f"mkdir /mnt/{i} && mount --rbind {shlex.quote(str(path))} /mnt/{i}"
        for i, (path, _) in enumerate(closed)
    ]
    for above in dict.fromkeys(above for _, above in closed):
        lines.append(f"mount -t tmpfs -o mode=755 none {shlex.quote(str(above))}")
    for i, (path, _) in enumerate(closed):
        quoted = shlex.quote(str(path))
        lines.append(f"mkdir -p {quoted} && mount --rbind /mnt/{i} {quoted}")
    return "\n".join(lines)


@pytest.fixture
def place(tmp_path: Path, build_backend: Callable[..., None]) -> Path:
    """A folder with a backend that is not the package's, so that it is tried."""
    folder = tmp_path / "place"
    folder.mkdir()
    build_backend("deed_backend.c", folder / "Test_Deed_backend.so")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home that the program may not enter."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    yield folder
    folder.chmod(0o700)


def check(run: subprocess.CompletedProcess[str]) -> None:
    assert (run.returncode, run.stderr) == (0, ""), run.stdout + run.stderr
    lines = run.stdout.splitlines()
    assert lines[-1] == "done"
    # One line for each cache, and no more.
    for words in ("optimised network is not kept in", "measured times are not kept in",
                  "findings on backend files are not kept in"):  # fmt: skip
        assert len([line for line in lines if words in line]) == 1, run.stdout


def without_rights(*command: str) -> list[str]:
    """A command that may not pass by modes of files; root may by default."""
    if os.geteuid() != 0:
        return list(command)
    if shutil.which("setpriv") is None:
        pytest.skip("root enters each folder: setpriv of util-linux is not installed")
    rights = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}", *command]


def test_a_home_that_may_not_be_entered(home: Path, place: Path) -> None:
    home.chmod(0)
    command = without_rights(sys.executable, "-W", "error", "-c", PROGRAM, str(DEMO), str(place))
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    check(
        subprocess.run(
            command, env=environment, check=False, capture_output=True, text=True, timeout=120
        )
    )


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "ARMNN_PY_CACHE"])
def test_a_cache_folder_that_may_not_be_entered(home: Path, variable: str) -> None:
    (home / "in").mkdir()
    home.chmod(0)
    code = "import sys, armnn_py as ann; ann.load(sys.argv[1]).close(); print('done')"
    command = without_rights(sys.executable, "-W", "error", "-c", code, str(DEMO))
    environment = {"PATH": os.environ["PATH"], "ARMNN_PY_CACHE": "1", variable: str(home / "in")}
    run = subprocess.run(
        command, env=environment, check=False, capture_output=True, text=True, timeout=120
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "done\n", "")


def test_unknown_user_in_a_read_only_container(home: Path, place: Path) -> None:
    """``HOME=/root`` as user 65534, without a folder that may be written to."""
    if os.geteuid() != 0:
        pytest.skip("only root makes a mount namespace and becomes another user")
    tools = ("unshare", "setpriv", "mount", "mountpoint")
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    probe = "mount --make-rprivate / && mount -t tmpfs none /mnt"
    tried = subprocess.run(
        ["unshare", "-m", "sh", "-c", probe], check=False, capture_output=True, text=True
    )
    if tried.returncode:
        pytest.skip(f"no mount namespace here: {tried.stderr.strip()}")
    place.parent.chmod(0o755)
    package = Path(ann.__file__).resolve().parent
    needed = [Path(sys.base_prefix), Path(sys.prefix), package.parent, place.parent]
    needed += [Path(one) for one in sys.path if Path(one).is_dir()]
    script = NAMESPACE.format(rescue=rescue([one.resolve() for one in dict.fromkeys(needed)]))
    run = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh",
         sys.executable, "-W", "error", "-c", PROGRAM, str(DEMO), str(place)],
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        cwd="/",
    )  # fmt: skip
    check(run)
