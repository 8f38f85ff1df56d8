# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One line of JSON for each request, in the log ``armnn_py.serve.requests``."""

from __future__ import annotations

import logging
import re
import time
import uuid

import msgspec

_log = logging.getLogger("armnn_py.serve.requests")
_ID = re.compile(r"[\w.:/+=-]{1,128}", re.ASCII)


def request_id(given: str | None) -> str:
    """Return the id that the client gave, if it is a plain one, or a new one."""
    return given if given and _ID.fullmatch(given) else uuid.uuid4().hex


def log_request(
    protocol: str,
    model: tuple[str, str],
    status: str,
    seconds: float,
    number: str,
    trace: str | None,
) -> None:
    """Write a line at level INFO, at WARNING if the server is at fault."""
    level = logging.WARNING if status in ("INTERNAL", "UNAVAILABLE") else logging.INFO
    if not _log.isEnabledFor(level):
        return
    line = {
        "time": round(time.time(), 6),
        "request": number,
        "protocol": protocol,
        "model": model[0],
        "version": model[1],
        "status": status,
        "ms": round(seconds * 1000, 3),
    }
    if trace is not None:
        line["traceparent"] = trace[:128]
    _log.log(level, "%s", msgspec.json.encode(line).decode())
