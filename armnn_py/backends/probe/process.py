# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The program ``armnn_probe``, started for many files at once, each with a time limit.

It runs the file's code in a child of its own, ends all that this starts, and reports
(``native/probe``). Here it is only waited for: by a pipe, with no lock held.

Its report has lines of a word and its values: the stages that a file has entered, then the
findings; the last is ``end NONCE``. The vendor's code shares memory and pipe with the writer, so
any line may be wrong: senseless lines are left out, and a report without its end means that the
program was killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Iterable, Iterator

from msgspec import structs

from armnn_py.backends.probe.findings import CALLS, CHANGES, Ended, Library, ProbeFinding
from armnn_py.backends.probe.program import ProbeProgramError, program_path
from armnn_py.interrupts import deferred_interrupts

#: Trials at the same time: hanging files wait, and cost nothing but their time.
_MOST_AT_ONCE = 64
#: Of the descriptors that a process may have, a probe takes a few, and leaves room for others.
_FILES_OF_A_TRIAL = 16
#: The program gives a file its limit again, a few times, if the machine was too busy to run it.
_MOST_LIMITS = 4
#: Seconds for the program to end what it watches, on top of the file's own.
_GRACE = 2.0
_PATIENCE = 1.0
#: Seconds without a report, after which the programs are looked at.
_LOOK = 0.1
_MOST_REPORT = 1 << 18
#: Descriptors of the program, and numbers to move them through: none of them is taken twice.
_REPORT, _STAGES, _FILE = 3, 4, 5
_FIRST_FREE = 10
_DEFAULT_SIGNALS = [
    getattr(signal, name) for name in ("SIGPIPE", "SIGXFSZ", "SIGINT", "SIGTERM", "SIGCHLD")
]


class ProbeProcess:
    """One running program, which waits until it is told to `begin`.

    Parameters
    ----------
    path, descriptor
        The file.
    seconds
        Its time limit.

    Raises
    ------
    ProbeProgramError
        The program cannot be started.
    """

    __slots__ = (
        "_begin", "_last_line", "_status", "data", "deadline", "nonce", "path", "pid", "pipe",
        "seconds", "stages", "was_stopped",
    )  # fmt: skip

    def __init__(self, path: str, descriptor: int, seconds: float) -> None:
        program = program_path()
        self.path = path
        self.nonce = os.urandom(8).hex()
        self._last_line = f"end {self.nonce}\n".encode()
        self.seconds = seconds
        self.deadline = 0.0
        self.data = bytearray()
        self._status: int | None = None
        self.was_stopped = False
        own: list[int] = []
        theirs: list[int] = []
        try:
            for flags in (os.O_CLOEXEC, os.O_CLOEXEC | os.O_NONBLOCK, os.O_CLOEXEC):
                reader, writer = os.pipe2(flags)
                own.append(reader)
                theirs.append(writer)
            own[2], theirs[2] = theirs[2], own[2]  # the third one leads to the program
            self.pipe, self.stages, self._begin = own
            theirs += [_moved(number) for number in (*theirs, descriptor)]
            report, stages, begin, file = theirs[3:]
            arguments = [program, self.nonce, str(max(1, round(seconds * 1000)))]
            self.pid = os.posix_spawn(
                program,
                [*arguments, str(_REPORT), str(_STAGES), str(_FILE), path],
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_RDWR, 0),
                    (os.POSIX_SPAWN_DUP2, 1, 2),
                    (os.POSIX_SPAWN_DUP2, begin, 0),
                    (os.POSIX_SPAWN_DUP2, report, _REPORT),
                    (os.POSIX_SPAWN_DUP2, stages, _STAGES),
                    (os.POSIX_SPAWN_DUP2, file, _FILE),
                ],
                setpgroup=0,  # Ctrl-C is for this process, which ends the probe
                setsigmask=[],
                setsigdef=_DEFAULT_SIGNALS,
            )
        except OSError as error:
            for number in own:
                os.close(number)
            raise ProbeProgramError(f"'{program}' cannot be started: {error.strerror}") from error
        finally:
            for number in theirs:
                os.close(number)

    @property
    def has_begun(self) -> bool:
        """Whether it was told to begin."""
        return self.deadline > 0

    def begin(self) -> None:
        """Let it try the file; its time begins."""
        with contextlib.suppress(BrokenPipeError):  # it is gone: the end of its report says so
            os.write(self._begin, b"\n")
        self.deadline = time.monotonic() + _MOST_LIMITS * self.seconds + _GRACE

    def read(self) -> bool:
        """Take what is there; False at the end, which need not be that of the program."""
        part = os.read(self.pipe, 1 << 16)
        self.data += part
        is_over = not part or self.data.endswith(self._last_line)
        return not is_over and len(self.data) < _MOST_REPORT

    def wake(self) -> None:
        """Let the program go on if it was stopped, so that it ends what it watches."""
        with contextlib.suppress(ChildProcessError, ProcessLookupError):
            if os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG):
                self.was_stopped = True
                os.kill(self.pid, signal.SIGCONT)

    def finding(self) -> ProbeFinding:
        """Its report so far. Code that stopped the program could as well have ended it."""
        found = read_report(self.stage_lines() + self.data, self.nonce, self.seconds)
        return structs.replace(found, ended="gone") if self.was_stopped else found

    def stage_lines(self) -> bytes:
        """The stages that it has entered; the vendor's code may also write there."""
        lines: list[bytes] = []
        with contextlib.suppress(BlockingIOError):
            lines = os.read(self.stages, 1 << 16).splitlines(keepends=True)
        return b"".join(line for line in lines if line.startswith(b"stage "))

    def close(self) -> None:
        """Close the pipes, upon which the program ends, unless it has."""
        for number in (self.pipe, self.stages, self._begin):
            os.close(number)

    def reap(self) -> int:
        """Wait until the program has ended, which takes a moment; return its status."""
        end = time.monotonic() + _PATIENCE
        pause = 0.0001
        while self._status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # this process ignores SIGCHLD
                self._status = 0
                break
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
                break
            self.wake()  # else it would not see that its pipes are closed
            if time.monotonic() > end:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.pid, signal.SIGKILL)
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        return self._status


def _most_at_once() -> int:
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return _MOST_AT_ONCE
    return max(1, min(_MOST_AT_ONCE, allowed // _FILES_OF_A_TRIAL))


def _moved(descriptor: int) -> int:
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)


@contextlib.contextmanager
def try_files(
    files: Iterable[tuple[str, int, float]],
    early: ProbeProcess | None = None,
) -> Iterator[Iterator[tuple[str, ProbeFinding]]]:
    """Try files, several at a time; the block gets what was found as it comes.

    At its end the programs are waited for, so that what they have found can be put to use while
    the system takes them down.

    Parameters
    ----------
    files
        Path, open descriptor and time limit of each; the descriptor is the file that is tried, and
        may be closed when the next one is asked for, which is when there is room.
    early
        A probe that was made already, of one of the files or of none.

    Raises
    ------
    ProbeProgramError
        The program cannot be started.
    """
    running: dict[int, ProbeProcess] = {}
    ended: list[ProbeProcess] = []

    def probe_of(path: str, descriptor: int, seconds: float) -> ProbeProcess:
        if early is not None and early.path == path:
            return early
        return ProbeProcess(path, descriptor, seconds)

    try:
        yield _findings(iter(files), probe_of, running, ended)
    finally:
        with deferred_interrupts():
            for probe in running.values():
                probe.close()
        for probe in (*running.values(), *ended):
            probe.reap()


def _findings(
    waiting: Iterator[tuple[str, int, float]],
    probe_of: Callable[[str, int, float], ProbeProcess],
    running: dict[int, ProbeProcess],
    ended: list[ProbeProcess],
) -> Iterator[tuple[str, ProbeFinding]]:
    """Start probes and read their reports; ``running`` by pipe, ``ended`` are to be reaped."""
    at_once = _most_at_once()
    poll = select.poll()
    while True:
        while len(running) < at_once:
            file = next(waiting, None)
            if file is None:
                break
            with deferred_interrupts():  # Ctrl-C between two lines would leave it running
                probe = probe_of(*file)
                running[probe.pipe] = probe
                probe.begin()  # what is not running is closed by who made it
            poll.register(probe.pipe, select.POLLIN)
        if not running:
            return
        first = min(probe.deadline for probe in running.values())
        ready = poll.poll(max(0.0, min(first - time.monotonic(), _LOOK)) * 1000)
        now = time.monotonic()
        if not ready:
            for probe in running.values():
                probe.wake()
        at_end = {pipe for pipe, _ in ready if not running[pipe].read()}
        late = {pipe for pipe, probe in running.items() if probe.deadline < now}
        for pipe in at_end | late:
            poll.unregister(pipe)
            with deferred_interrupts():
                probe = running.pop(pipe)
                ended.append(probe)
                try:
                    finding = probe.finding()
                finally:
                    probe.close()
            if finding.stage == "start" and not probe.data and probe.reap() > 0:
                raise ProbeProgramError(f"'{program_path()}' failed with status {probe.reap()}")
            yield probe.path, finding
        while len(ended) > at_once:
            ended.pop(0).reap()


_HAPPENINGS = ("forked", "children", "closed", "wild")
_MOST_TEXT = 2048
_MOST_NAMES = 256


def read_report(data: bytes, nonce: str, limit_seconds: float) -> ProbeFinding:
    """Return what a report says."""
    stage, ended, number = "start", "gone", 0
    happenings: dict[str, str] = {}
    entered: dict[str, int] = {}
    facts: dict[str, str] = {}
    variables: list[str] = []
    libraries: list[Library] = []
    version: tuple[int, int] | None = None
    is_refused = has_end = overflow = False
    for line in data.decode("ascii", "replace").split("\n"):
        word, _, rest = line.partition(" ")
        values = rest.split(" ")
        if word == "stage" and values[0] in CALLS:
            stage = values[0]
        elif word == "entered" and len(values) == 2:
            entered[values[0]] = _number(values[1])
        elif word in _HAPPENINGS and values[0] in CALLS:
            happenings.setdefault(word, values[0])
        elif word == "changed" and len(values) == 2 and values[0] in CHANGES and values[1] in CALLS:
            happenings.setdefault(values[0], values[1])
        elif word == "left" and _number(values[0]) > 0:
            happenings.setdefault("children", stage)
        elif word == "refused":
            is_refused = True
            if values[0] in CALLS:
                happenings.setdefault(word, values[0])
        elif word == "ended" and len(values) == 2:
            ended, number = values[0], _number(values[1])
        elif word == "variable" and len(variables) < _MOST_NAMES:
            variables.append(_text(rest))
        elif word == "library" and len(values) == 5 and len(libraries) < _MOST_NAMES:
            library = _library(values)
            libraries += [] if library is None else [library]
        elif word in ("id", "words"):
            facts[word] = _text(rest)
        elif word == "version" and len(values) == 2:
            version = _number(values[0]), _number(values[1])
        elif word == "overflow":
            overflow = True
        elif word == "end" and values[0] == nonce:
            has_end = True
    begin, end = entered.get("open", 0), entered.get("context", 0)
    return ProbeFinding(
        stage,
        _ended(ended, is_refused=is_refused) if has_end else "gone",
        number,
        tuple(happenings.items()),
        facts.get("id"),
        version,
        facts.get("words", "").strip()[-_MOST_TEXT:],
        round((end - begin) / 1e9, 6) if end > begin > 0 else 0.0,
        limit_seconds,
        tuple(dict.fromkeys(variables)),
        tuple(libraries),
        not overflow,
    )


def _ended(word: str, *, is_refused: bool) -> Ended:
    if word == "done":
        return "refused" if is_refused else "passed"
    if word == "signal":
        return "signal"
    if word == "exit":
        return "exit"
    return "time" if word == "time" else "gone"


def _number(digits: str) -> int:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0


def _text(digits: str) -> str:
    try:
        return bytes.fromhex(digits).decode("utf-8", "replace")
    except ValueError:
        return ""


def _library(values: list[str]) -> Library | None:
    try:
        device, inode, size, modified_ns = map(_number, values[:4])
        path = os.fsdecode(bytes.fromhex(values[4]))
    except ValueError:
        return None
    return Library(path, device, inode, size, modified_ns)
