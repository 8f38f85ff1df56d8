# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Step *inspect* on a candidate file: whether it may be opened at all.

Its bytes decide, the libraries that they name, and who may write to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py._native.table import dynamic_library
from armnn_py.backends.loader import elf
from armnn_py.backends.loader.verdict import RefusedError
from armnn_py.backends.trust.links import check_links
from armnn_py.errors.shortage import reason_of

if TYPE_CHECKING:
    from armnn_py.backends.loader.discovery import Candidate
    from armnn_py.backends.probe.findings import ProbeFinding
    from armnn_py.backends.probe.identity import FileIdentity
    from armnn_py.backends.probe.marks import OpeningMark
    from armnn_py.backends.trust.rules import TrustRules

_SANITIZER_LIBRARIES = (
    ("libasan.so", "address", "__asan_init"),
    ("libtsan.so", "thread", "__tsan_init"),
)


class InspectedFile(Struct, eq=False):
    """A candidate whose bytes were checked: ``info`` on it, or ``refusal``, why it is not used.

    ``warnings`` are sentences on what is odd about it. ``finding`` is what a probe of the file of
    that ``identity`` found in another process; None: it was not tried. Where that refuses the file,
    there is no ``info``. ``private`` says that it gets its libraries for itself. ``mark`` is set
    while it is opened, if files are tried.
    """

    candidate: Candidate
    info: elf.ElfInfo | None = None
    refusal: RefusedError | None = None
    identity: FileIdentity | None = None
    finding: ProbeFinding | None = None
    warnings: tuple[str, ...] = ()
    private: bool = False
    mark: OpeningMark | None = None

    @property
    def state(self) -> elf.FileState | None:
        """The state of the file at the inspection."""
        return None if self.info is None else self.info.state


def inspect_file(candidate: Candidate, trust: TrustRules | None = None) -> InspectedFile:
    """Check a file; runs none of its code and never raises.

    ``trust`` has the rules on who may write to it; None: for a file of the package, or one that a
    person names.
    """
    try:
        info = _inspect(candidate)
        told = check_links(info, candidate.real_path)
        if trust is not None:
            told += trust.check(candidate.path, candidate.real_path, info.state)
    except RefusedError as refusal:
        return InspectedFile(candidate, refusal=refusal)
    return InspectedFile(candidate, info, warnings=tuple(told))


def judge_known_file(file: InspectedFile, trust: TrustRules) -> RefusedError | None:
    """Ask who may write to a file that its finding refuses; its bytes were checked back then.

    The answer comes before the finding, as it does for a file that is read.
    """
    assert file.identity is not None
    try:
        trust.check(file.candidate.path, file.candidate.real_path, file.identity.state)
    except RefusedError as refusal:
        return refusal
    return None


def _inspect(candidate: Candidate) -> elf.ElfInfo:
    try:
        info = elf.inspect(candidate.real_path)
    except elf.ElfError as error:
        raise RefusedError("inspect", error.code, error.reason, error.hint) from None
    except FileNotFoundError:
        reason = "was removed after it was found"
        raise RefusedError("resolve", "vanished", reason) from None
    except OSError as error:
        reason = f"cannot be read: {reason_of(error)}"
        raise RefusedError("resolve", "unreadable", reason) from None
    for prefix, name, marker in _SANITIZER_LIBRARIES:
        # Such a library ends the process when it is loaded late.
        needs_it = any(needed.startswith(prefix) for needed in info.needed)
        if needs_it and not dynamic_library.process_has_symbol(marker):
            raise RefusedError(
                "inspect",
                "sanitizer",
                f"built with the {name} sanitizer, this process is not",
                f"install a build without -fsanitize={name}",
            )
    return info
