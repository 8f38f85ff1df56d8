# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A loaded backend: one runtime's instance, and the library that holds its code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native.backend_table import BackendTable, destroy_instance
from armnn_py.backends import shared_library

if TYPE_CHECKING:
    from armnn_py._native import abi
    from armnn_py._native.backend_options import OptionValue
    from armnn_py.backends.version import BackendVersion

__all__ = ["Backend"]


class Backend:
    """One runtime's instance of a backend; made by :func:`armnn_py.backends.load_backends`.

    Attributes
    ----------
    id
        Name of the backend, unique in a runtime.
    version
        Version of the backend API that it asks for.
    file
        Real path of its shared object, or None if it is linked into the core library.
    place
        Where it was found, as in :class:`~armnn_py.backends.verdict.Verdict`.
    options
        Every option that it understands with the value in force.
    """

    __slots__ = ("_instance", "_library", "_table", "file", "id", "options", "place", "version")

    def __init__(
        self,
        *,
        backend_id: str,
        version: BackendVersion,
        place: str,
        file: str | None,
        table: BackendTable,
        instance: int,
        library: shared_library.SharedLibrary | None,
        options: dict[str, OptionValue],
    ) -> None:
        self.id = backend_id
        self.version = version
        self.place = place
        self.file = file
        self.options = options
        self._table = table
        self._instance = instance
        self._library = library

    @property
    def is_static(self) -> bool:
        """Whether it is linked into the core library."""
        return self.file is None

    @property
    def vendor_version(self) -> str | None:
        """The backend's own version, any text."""
        return self._table.vendor_version

    @property
    def description(self) -> str | None:
        """One line for people."""
        return self._table.description

    @property
    def score(self) -> int:
        """Default order of preference, higher first."""
        return int(self._table.api.score)

    @property
    def api(self) -> abi.armnn_backend_api_t:
        """A private copy of its table of functions; what an older backend lacks is null."""
        return self._table.api

    @property
    def instance(self) -> int:
        """Address of the backend object; 0 after :meth:`close`."""
        return self._instance

    def close(self) -> None:
        """Destroy the instance, and close the library after its last user; may be repeated.

        Everything that was made from the instance must be gone.
        """
        with shared_library.LOADING:
            if not self._instance:
                return
            instance, self._instance = self._instance, 0
            destroy_instance(self._table, instance)
            if self._library is not None:
                shared_library.release(self._library, unloadable=self._table.unloadable)
                self._library = None

    def __repr__(self) -> str:
        state = "" if self._instance else " closed"
        return f"<Backend '{self.id}' API {self.version} from {self.file or self.place}{state}>"
