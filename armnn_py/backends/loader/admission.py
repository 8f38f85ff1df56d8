# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which backends a runtime wants at all: named ones, allowed ones, none of those denied.

An id is known when the backend was asked for it, here or in the probe of its file. Before that the
file's name is all there is: ``<vendor>_<name>`` stands for the ids ``<name>`` and
``<vendor>_<name>``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py.backends.loader.naming import is_reserved, parse_file_name
from armnn_py.backends.loader.verdict import RefusedError
from armnn_py.device_ids import split_id, split_optional
from armnn_py.errors import InvalidArgumentError
from armnn_py.text import quoted, with_article

if TYPE_CHECKING:
    from armnn_py.backends.loader.discovery import Candidate

_MOST_SHOWN = 5
#: Characters that an id cannot have.
_NO_ID = re.compile("[,.:=?]")


class Admission(Struct, frozen=True):
    """Ids by which backends are let in.

    Attributes
    ----------
    wanted
        Only files of these backends are opened; None: all files. Others are of no interest, and
        backends that are no files are there in any case.
    allowed
        Only these are used; None: all.
    denied
        These are not used.
    private
        These get the libraries that they need for themselves, by the names of their files.
    isolated
        These run in processes of their own: no file of theirs is opened here.
    """

    wanted: frozenset[str] | None = None
    allowed: frozenset[str] | None = None
    denied: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    isolated: frozenset[str] = frozenset()

    def is_private(self, path: str) -> bool:
        """Whether the name of a file says that it gets its libraries for itself."""
        return not self.private.isdisjoint(ids_of(path))

    def check_id(self, backend_id: str) -> None:
        """Raise `RefusedError` if the backend with this id must not be used."""
        if backend_id in self.denied:
            reason = f"was not loaded: '{backend_id}' is denied"
            raise RefusedError("id", "denied", reason, _HINT, status="skipped")
        if self.allowed is not None and backend_id not in self.allowed:
            reason = f"was not loaded: '{backend_id}' is not allowed, {_listed(self.allowed)}"
            raise RefusedError("id", "not-allowed", reason, _HINT, status="skipped")

    def check_file(self, backend_id: str, file: Candidate, named: Container[str]) -> None:
        """Raise `RefusedError` if the backend in a file must not be used.

        Only files of the package, and files whose real paths are ``named``, may have a reserved id.
        """
        self.check_id(backend_id)
        if backend_id in self.isolated:
            raise _is_isolated(backend_id)
        if file.place == "bundled" or file.real_path in named:
            return
        if is_reserved(backend_id, file.real_path):
            reason = f"the id '{backend_id}' belongs to a backend of the armnn_py package"
            hint = (
                "if this file shall replace that backend, name the file itself as a place to "
                f"search: '{file.real_path}'"
            )
            raise RefusedError("id", "id-of-package", reason, hint)

    def check_name(self, path: str) -> None:
        """Raise `RefusedError` if the name of a file says that it is denied."""
        denied = self.denied and self.denied.intersection(ids_of(path))
        if denied:
            reason = f"was not opened: '{min(denied)}' is denied, and the file has that name"
            raise RefusedError("name", "denied", reason, _HINT, status="skipped")
        for backend_id in ids_of(path) if self.isolated else ():
            if backend_id in self.isolated:
                raise _is_isolated(backend_id)

    def check_spelling(self, ids: Iterable[str], paths: Iterable[str]) -> None:
        """Refuse texts that name a backend and are not its id: they would do nothing.

        They differ in capital letters, or are several ids. Others may well be of backends that this
        machine has not.

        Parameters
        ----------
        ids
            The ids that backends told.
        paths
            All files that were found: their names are denied as well.

        Raises
        ------
        InvalidArgumentError
            Such a text is allowed or denied.
        """
        if not (self.allowed or self.denied):
            return
        told = frozenset(ids)
        named = frozenset(one for path in paths for one in ids_of(path))
        for what, given, known in (
            ("allowed", self.allowed or frozenset(), told),
            ("denied", self.denied, told | named),
        ):
            meant = {one.casefold(): one for one in sorted(known)}
            for one in sorted(given - known):
                if one.casefold() in meant:
                    right = meant[one.casefold()]
                    raise InvalidArgumentError(
                        f"'{one}' is {what}, but the id of that backend is '{right}'",
                        hints=[f"write '{right}': ids are compared letter by letter"],
                    )
                part = next((part for part in _parts_of(one, meant) if part in meant), None)
                if part is not None:
                    raise InvalidArgumentError(
                        f"{one!r} is {what} as one id, but '{meant[part]}' is that of a backend",
                        hints=["give each id by itself, and commas between those in a variable"],
                    )

    def not_wanted(self) -> RefusedError:
        """Return the refusal of a file that was not asked for."""
        assert self.wanted is not None
        reason = f"was not opened: it was not asked for, {_listed(self.wanted)}"
        return RefusedError("name", "not-asked-for", reason, status="skipped")


def _is_isolated(backend_id: str) -> RefusedError:
    reason = f"was not opened here: '{backend_id}' runs in a process of its own"
    return RefusedError("id", "isolated", reason, status="skipped")


_HINT = "allowed_backends and denied_backends of Runtime, or their variables, decide this"


def _parts_of(text: str, known: Container[str]) -> list[str]:
    """Return what a text has between marks that no id has, or between known ids."""
    parts = [part.strip() for part in _NO_ID.sub(",", text.casefold()).split(",")]
    words = text.casefold().replace(";", " ").split()
    return parts + words * all(word in known for word in words)


@functools.lru_cache(maxsize=8)
def _listed(ids: frozenset[str]) -> str:
    names = sorted(ids)
    return f"only {quoted(names, most=_MOST_SHOWN)}" if names else "nothing is"


@functools.lru_cache(maxsize=1024)
def ids_of(path: str) -> tuple[str, ...]:
    """Return the ids that the name of a file stands for."""
    name = parse_file_name(path.rpartition("/")[2])
    return () if name is None else (name.name, f"{name.vendor}_{name.name}")


def read_wanted(value: Sequence[str] | str | None) -> tuple[frozenset[str] | None, frozenset[str]]:
    """Return the backends that ``backends`` names, and those of them that may be absent.

    Raises
    ------
    InvalidArgumentError
        As `read_ids`.
    """
    read_ids("backends", value)
    if value is None:
        return None, frozenset()
    entries = [split_optional(one) for one in ([value] if isinstance(value, str) else value)]
    optional = (name for name, is_optional in entries if is_optional)
    return read_ids("backends", [name for name, _ in entries]), frozenset(optional)


def read_ids(argument: str, value: Sequence[str] | str | None) -> frozenset[str] | None:
    """Return the backends that an argument names, without indexes of devices; None for None.

    Raises
    ------
    InvalidArgumentError
        It is not a sequence of texts.
    """
    if value is None:
        return None
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, (list, tuple, set, frozenset)):
        raise InvalidArgumentError(
            f"{argument}: {type(value).__name__} given, an id or a list of ids expected"
        )
    for one in values:
        if not isinstance(one, str):
            raise InvalidArgumentError(
                f"{argument}: the list has {with_article(type(one).__name__)}, ids expected"
            )
    return frozenset(split_id(one)[0] for one in values)
