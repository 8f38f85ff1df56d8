# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Does any file make the package crash, hang, raise an error that is not ours, or fill the memory?

    python scripts/fuzz.py onnx|tflite|so|armnn [SEEDS ...] [--minutes 60] [--files COUNT]
                           [--seed 0] [--findings DIR] [--sweep STRIDE]

SEEDS are files, or folders of them; without any (but for tflite) small ones are made. They are
damaged at the level of bytes and of fields. Then models are imported, shared objects (so) inspected
as the loader does before it opens them, and saved networks (armnn) loaded and run. A damaged file
whose outcome is a new one (an error's text without names and numbers, or the layers of a network)
becomes a seed itself. --files ends it after so many files, however long they take.

With --sweep (armnn) each STRIDE-th byte of each compiled program is changed in turn instead, to
five other values. Each finding goes to DIR with what happened; one for each place in the code. Exit
code 1 if there is one.

The work is done in a process of its own, so that a crash or a hang is a finding as well. An input
may take 20 seconds of processor time, and 1 GiB of memory beyond what the process had.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import itertools
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent))
from fuzzing.formats import FORMATS, damaged
from fuzzing.saved_networks import swept
from fuzzing.uses import SEEDS, USES

SECONDS = 20
MEMORY = 1 << 30
LARGEST_SEED = 2 << 20
MOST_SEEDS = 4000
DONE = 3  # exit code of a process that came to the end of a sweep, or of the files wanted
MOST_SEED_BYTES = 128 << 20  # they stay in memory, and are no use of a file


# ---- The process that does the work --------------------------------------------------------------


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _outcome(path: Path, use: Callable[[Path], str]) -> str:
    """Use a file; what came of it, without names and numbers."""
    import armnn_py as ann

    try:
        outcome = use(path)
    except ann.ArmnnError as error:
        text = str(error)
        if not text or re.search(r"[\x00-\x08\x0b-\x1f\x7f\x1b]", text):
            raise AssertionError(
                f"an error without text or with control characters: {text!r}"
            ) from error
        outcome = f"{type(error).__name__} {text}"
    return re.sub(r"'[^']*'|\d+", "#", outcome)[:300]


def _at_random(name: str, corpus: list[bytes], chance: random.Random) -> Iterator[bytes]:
    """Yield damaged files without an end; ``corpus`` may grow."""
    sound = len(corpus)
    while True:
        # What is damaged already mostly stays an error: half of the time from a sound one.
        most = sound if chance.random() < 0.5 else len(corpus)
        yield damaged(corpus[chance.randrange(most)], chance.choice(corpus), name, chance)


def _sweep(corpus: list[bytes], stride: int) -> Iterator[bytes]:
    for file in corpus:
        yield from swept(file, stride)


def work(name: str, seeds: Path, folder: Path, arguments: argparse.Namespace) -> int:
    """Damage and use files until the time is over, or there are no more: ``tried`` were before."""
    import warnings

    warnings.simplefilter("ignore")
    # Where it hangs goes to stderr before the signal's default ends the process.
    faulthandler.register(signal.SIGPROF, all_threads=False, chain=True)
    chance = random.Random(arguments.seed)
    corpus = [path.read_bytes() for path in sorted(seeds.iterdir())]
    sound = len(corpus)
    known: set[str] = set()
    current = folder / f"current.{name}"
    counts: collections.Counter[str] = collections.Counter()
    for path in sorted(seeds.iterdir())[:50]:  # what an import takes anyway
        current.write_bytes(path.read_bytes())
        _outcome(current, USES[name])
    start = _peak()
    stride = arguments.sweep
    files = _at_random(name, corpus, chance)
    if stride:
        files = itertools.islice(_sweep(corpus, stride), arguments.tried, None)
    for data in itertools.islice(files, max(arguments.files - arguments.tried, 0)):
        if time.time() >= arguments.until:
            return 0
        current.write_bytes(data)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            outcome = _outcome(current, USES[name])
        except Exception:
            _report(folder, data, name, traceback.format_exc())
            outcome = "finding"
        signal.setitimer(signal.ITIMER_PROF, 0)
        counts[outcome.split(" ")[0].split(":")[0][:40]] += 1
        if outcome not in known and outcome != "finding" and not stride:
            known.add(outcome)
            room = MOST_SEED_BYTES - sum(map(len, corpus[sound:]))
            if len(data) < min(LARGEST_SEED, room) and len(corpus) < MOST_SEEDS:
                corpus.append(data)
                digest = f"{len(corpus):05d}"
                (seeds / f"new_{arguments.seed}_{digest}").write_bytes(data)
        (folder / "counts.json").write_text(json.dumps([sum(counts.values()), counts]))
        if _peak() > start + MEMORY:
            _report(
                folder, data, name, f"memory: {(_peak() - start) >> 20} MiB more\n  at {outcome}"
            )
            return 0
    return DONE


def _report(folder: Path, data: bytes, name: str, text: str) -> None:
    """Keep an input with what happened, once for each place."""
    places = re.findall(r'File "[^"]*(armnn_py/[^"]*)", line (\d+)', text)
    last = "_".join(places[-1]).replace("/", ".") if places else text.splitlines()[0]
    key = re.sub(r"[^\w.]+", "_", f"{last}_{text.strip().splitlines()[-1].split(':')[0]}")[:120]
    if not (folder / f"{key}.txt").exists():
        (folder / f"{key}.txt").write_text(text, encoding="utf-8")
        (folder / f"{key}.{name}").write_bytes(data)


# ---- The process that watches --------------------------------------------------------------------


def _collect(name: str, given: list[Path], target: Path) -> int:
    """Copy seeds into a folder; without any, make small ones."""
    files = [
        file
        for path in given
        for file in (sorted(path.rglob(f"*.{name}")) if path.is_dir() else [path])
        if file.stat().st_size <= LARGEST_SEED
    ]
    made = SEEDS[name]() if not files and name in SEEDS else [one.read_bytes() for one in files]
    for index, data in enumerate(made):
        (target / f"{index:05d}").write_bytes(data)
    return len(made)


def watch(arguments: argparse.Namespace) -> int:
    """Start the work again and again until the time is over; return the exit code."""
    findings = Path(arguments.findings)
    findings.mkdir(parents=True, exist_ok=True)
    until = time.time() + arguments.minutes * 60
    tried, kinds, turn = 0, collections.Counter[str](), 0
    with tempfile.TemporaryDirectory() as temporary:
        seeds = Path(temporary)
        if not _collect(arguments.format, arguments.seeds, seeds):
            print("no seeds: name files of at most 2 MiB, or folders of them", file=sys.stderr)
            return 2
        while time.time() < until and tried < arguments.files:
            command = [
                *(sys.executable, __file__, arguments.format, "--worker", str(seeds)),
                *("--findings", str(findings), "--seed", str(arguments.seed + turn)),
                *("--until", str(until), "--files", str(arguments.files)),
                *("--sweep", str(arguments.sweep), "--tried", str(tried)),
            ]
            done = subprocess.run(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
            )
            counts = findings / "counts.json"
            if counts.exists():
                count, kind = json.loads(counts.read_text())
                tried += count
                kinds.update(kind)
                counts.unlink()
            if done.returncode == DONE:
                break
            if done.returncode != 0:
                said = done.stderr.decode("utf-8", "replace")[-4000:]
                what = f"ended {done.returncode}"
                if done.returncode == -signal.SIGPROF:  # the innermost call came first
                    calls = [line for line in said.splitlines() if line.startswith("  File ")]
                    what, said = "hang", "\n".join(reversed(calls))
                current = findings / f"current.{arguments.format}"
                _report(findings, current.read_bytes(), arguments.format, f"{what}\n{said}")
                tried += 1
            turn += 1
        new = len(list(seeds.iterdir()))
    found = sorted(findings.glob("*.txt"))
    (findings / f"current.{arguments.format}").unlink(missing_ok=True)
    print(f"{arguments.format}: {tried} damaged files, {new} kinds of outcome and seeds, "
          f"{len(found)} findings")  # fmt: skip
    for kind, count in kinds.most_common(8):
        print(f"  {kind} {count}")
    for path in found:
        print(f"{path}:\n{path.read_text(encoding='utf-8')[-600:]}")
    return 1 if found else 0


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("format", choices=sorted(FORMATS))
    parser.add_argument("seeds", nargs="*", type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--files", type=int, default=sys.maxsize, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--findings", default="build/fuzz")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--until", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--sweep", type=int, default=0, metavar="STRIDE")
    parser.add_argument("--tried", type=int, default=0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        os.environ.setdefault("PYTHONHASHSEED", "0")
        return work(arguments.format, arguments.worker, Path(arguments.findings), arguments)
    return watch(arguments)


if __name__ == "__main__":
    sys.exit(main())
