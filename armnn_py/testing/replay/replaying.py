# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Has another process repeat a recording, and says whether it does what the recorded one did."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from armnn_py._native.process.parent_process import child_command, how_it_ended
from armnn_py.errors import BackendError
from armnn_py.recording.container import read_recording
from armnn_py.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.recording.container import Recording

#: The least for starting Python and for compiling.
_LOAD_SECONDS = 60.0


class Replay(Struct, frozen=True):
    """The result of a repetition.

    Attributes
    ----------
    is_same
        Whether it ended as the recorded calls did: the same failure, or equal outputs.
    fails
        Whether the process ended, or did not answer in time.
    words
        The result in a sentence.
    calls
        One record for each call that was repeated: ``call``, ``status``, and what differs.
    """

    is_same: bool
    fails: bool
    words: str
    calls: list[dict[str, Any]] = field(default_factory=list)


def child_of(
    path: str, folders: Sequence[str], *, isolate: bool = False, tells: bool = True
) -> list[str]:
    """Return the command of the process that repeats a recording."""
    return child_command(
        "armnn_py.testing.replay.child", "repeat", path, list(folders), isolate, tells
    )


def replay(
    path: str, folders: Sequence[str] = (), *, isolate: bool = False, timeout: float = 60.0
) -> Replay:
    """Repeat a recording in another process, which its backend may end.

    Parameters
    ----------
    path
        The recording.
    folders
        Where backends are searched; none: the usual folders.
    isolate
        Whether the backend runs in a worker of that process.
    timeout
        Seconds for each call; a process that takes longer hangs. Loading has at least 60.

    Raises
    ------
    ParseError
        The file is not a recording, or damaged.
    BackendError
        The backend is not there, or refuses the sub-graph.
    """
    recording = read_recording(path)
    told, hangs, code = _watched(child_of(path, folders, isolate=isolate), timeout)
    errors = [one["error"] for one in told if "error" in one]
    if errors:
        raise BackendError(
            errors[0]["message"],
            details=errors[0]["details"],
            hints=[*errors[0]["hints"], "--backend-path DIR names the folder of the backend"],
        )
    calls = [one for one in told if "status" in one]
    ended = [one for one in calls if one["status"] == "ended"]
    is_done = any("done" in one for one in told)
    if hangs or ended or not is_done:
        how = f"no answer within {timeout:g} s" if hangs else how_it_ended(code)
        at = told[-1] if told else {}
        if ended:
            how, at = ended[0]["reason"], ended[0]
        elif "call" in at:
            calls.append({"call": at["call"], "status": "ended", "reason": how})
        return _judge_end(recording, how, at, calls, hangs=hangs)
    return _judge_answers(recording, calls)


def _watched(command: list[str], timeout: float) -> tuple[list[dict[str, Any]], bool, int]:
    """Run the process; returns its messages, whether it hung, and its exit code."""
    told: list[dict[str, Any]] = []
    with contextlib.ExitStack() as stack:
        # A cache of its own: the ends of its workers must put no backend in quarantine.
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="armnn-py-"))
        process = stack.enter_context(
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "XDG_CACHE_HOME": folder},
            )
        )
        assert process.stdout is not None
        rest, hangs = b"", False
        end = time.monotonic() + max(timeout, _LOAD_SECONDS)
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                hangs = True
                process.kill()
                break
            data = process.stdout.read1()  # type: ignore[attr-defined]
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                told += _messages(line)
            is_loaded = any("call" in one for one in told)
            end = time.monotonic() + (timeout if is_loaded else max(timeout, _LOAD_SECONDS))
    return told, hangs, process.returncode


def _messages(line: bytes) -> list[dict[str, Any]]:
    """The message of a line; a backend may write others."""
    try:
        found = json.loads(line)
    except ValueError:
        return []
    return [found] if isinstance(found, dict) else []


def _judge_end(
    recording: Recording, how: str, at: dict[str, Any], calls: list[dict[str, Any]], *, hangs: bool
) -> Replay:
    where = f"call {at['call']}" if "call" in at else "compiling the sub-graph"
    recorded = _recorded_end(recording)
    if not recorded:
        return Replay(False, True, f"fails: {how} in {where}; the recorded calls did not", calls)
    reason = str(recorded.get("reason"))
    if hangs:
        is_same = recorded.get("signal") == "SIGKILL" and not reason.startswith("signal")
    else:
        is_same = how == reason
    if is_same:
        return Replay(True, True, f"fails as recorded: {reason} in {where}", calls)
    return Replay(False, True, f"fails in another way: {how} in {where}; recorded: {reason}", calls)


def _recorded_end(recording: Recording) -> dict[str, Any]:
    if recording.end:
        return recording.end
    ended = any(call.status == "ended" for call in recording.calls)
    return {"reason": "the process ended"} if ended else {}


def _judge_answers(recording: Recording, calls: list[dict[str, Any]]) -> Replay:
    recorded = _recorded_end(recording)
    if recorded:
        reason = recorded["reason"]
        return Replay(False, False, f"does not fail; recorded: {reason}", calls)
    others = [
        one
        for one, call in zip(calls, recording.calls, strict=True)
        if one["status"] != call.status
    ]
    if others:
        one = others[0]
        was = recording.calls[one["call"]].status
        words = f"call {one['call']} is {one['status']}, recorded: {was}"
        return Replay(False, False, f"{words}: {one.get('reason', '')}".rstrip(": "), calls)
    different = [one for one in calls if one["differences"]]
    if different:
        first = different[0]["differences"][0]
        return Replay(
            False, False,
            f"{counted(len(different), 'call')} of {len(calls)} with other outputs; call "
            f"{different[0]['call']}, output {first['output']}: {first['words']}",
            calls,
        )  # fmt: skip
    return Replay(True, False, f"{counted(len(calls), 'call')}: all as recorded", calls)
