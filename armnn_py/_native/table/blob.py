# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Compiled sub-graphs that a backend made, owned until nothing refers to them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, check_memory, status_name
from armnn_py._native.memory.read_memory import NonsenseError, address_of, read_counted
from armnn_py._native.table.dynamic_library import is_code
from armnn_py._native.texts import counted
from armnn_py.errors import BackendError
from armnn_py.interrupts import deferred_interrupts
from armnn_py.ownership import Owner
from armnn_py.tensors.memory import aligned_empty

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_MOST_BYTES = 1 << 40
_CANARY = b"\xa5" * 64


class IncompatibleBlobError(BackendError):
    """A backend does not take a compiled sub-graph any more; its layers may be compiled again."""


class NativeBlob(Owner, instead="optimize() the network again: its backend makes a blob anew"):
    """An ``armnn_blob_t`` that the host owns.

    Nodes, optimised networks and workloads refer to it. When the last of them is gone, the
    backend's ``release`` is called, once, on the thread that dropped it.

    Parameters
    ----------
    blob
        The structure that the backend gave; everything is copied.
    compatibility
        The bytes that ``check_blob`` gets to see.
    retain, release
        Keep the backend open from `take` until the blob is released.

    The backend owns the blob until `take`.
    """

    __slots__ = (
        "__weakref__",
        "_data",
        "_give_up_backend",
        "_release",
        "_retain",
        "_text",
        "compatibility",
        "is_from_file",
        "struct",
    )

    def __init__(
        self,
        blob: abi.armnn_blob_t,
        compatibility: bytes,
        *,
        retain: Callable[[], None],
        release: Callable[[], None],
    ) -> None:
        self._give_up_backend: Callable[[], None] | None = None
        self._data: NDArray[np.uint8] | None = None  # what the backend reads until the release
        self.compatibility = compatibility
        #: Whether it was read from a file, which another version of the backend may have written.
        self.is_from_file = False
        self._text = ctypes.create_string_buffer(compatibility)
        #: The structure, for sub-graphs and workload infos; it lives as long as this object.
        self.struct = abi.armnn_blob_t()
        self.struct.header.struct_size = ctypes.sizeof(abi.armnn_blob_t)
        self.struct.header.struct_type = abi.ARMNN_STRUCT_BLOB
        self.struct.object = blob.object
        self.struct.release = blob.release
        self.struct.get_size = blob.get_size
        self.struct.serialize = blob.serialize
        self.struct.compatibility.data = ctypes.cast(self._text, ctypes.POINTER(ctypes.c_char))
        self.struct.compatibility.size = len(compatibility)
        self._retain, self._release = retain, release

    def take(self) -> None:
        """Become the owner; call it last, when nothing can fail any more.

        Raises
        ------
        InvalidArgumentError
            The backend is closed; it still owns the blob.
        """
        self._retain()
        self._give_up_backend = self._release

    def keep(self, data: NDArray[np.uint8]) -> None:
        """Keep the bytes that it was made of until it is released: its backend reads them."""
        self._data = data

    @property
    def is_serializable(self) -> bool:
        """Whether its backend can write it as bytes."""
        return bool(self.struct.serialize)

    def to_bytes(self, backend_id: str, layer: str) -> NDArray[np.uint8]:
        """Let the backend write the blob as bytes.

        Parameters
        ----------
        backend_id, layer
            For messages.

        Raises
        ------
        BackendError
            It fails, or its answers make no sense.
        """
        what = f"backend '{backend_id}': the blob of layer '{layer}'"
        size = int(self.struct.get_size(self.struct.object))
        if not 0 < size <= _MOST_BYTES:
            raise BackendError(f"{what} cannot be saved: its get_size answers {size} bytes")
        memory = aligned_empty((size + len(_CANARY),), np.dtype(np.uint8))
        memory[size:] = np.frombuffer(_CANARY, np.uint8)
        error = ErrorBuffer()
        status = self.struct.serialize(
            self.struct.object, memory.ctypes.data, size, ctypes.byref(error.struct)
        )
        if memory[size:].tobytes() != _CANARY:
            raise BackendError(f"{what}: serialize wrote behind the {size} bytes of its buffer")
        check_memory(status, backend_id, f"serialize of layer '{layer}'", error, layer=layer)
        if status != abi.ARMNN_STATUS_OK:
            raise error.coded(
                BackendError(
                    f"{what} cannot be saved: serialize failed: {status_name(status)}",
                    details=error.details,
                )
            )
        return memory[:size]

    def __del__(self) -> None:
        give_up = self._give_up_backend
        if give_up is None:  # never became ours
            return
        with deferred_interrupts():  # until the backend has one user less
            self._give_up_backend = None
            try:
                if self.struct.release:
                    self.struct.release(self.struct.object)
            finally:
                give_up()

    def __repr__(self) -> str:
        return f"<NativeBlob 0x{self.struct.object or 0:x} {self.compatibility[:40]!r}>"


def check_functions(blob: abi.armnn_blob_t, what: str) -> None:
    """Refuse a blob whose functions cannot be called.

    Raises
    ------
    NonsenseError
        One does not point to code, or one of a pair is missing.
    """
    for name in ("release", "get_size", "serialize"):
        function = getattr(blob, name)
        if function and not is_code(address_of(function)):
            raise NonsenseError(f"{what}: its {name} does not point to code")
    if bool(blob.get_size) != bool(blob.serialize):
        missing = "serialize" if blob.get_size else "get_size"
        raise NonsenseError(f"{what} has no {missing}: get_size and serialize belong together")


def check_blob(
    backend_id: str, api: abi.armnn_backend_api_t, instance: Any, blob: NativeBlob, layer: str
) -> None:
    """Ask a backend whether a blob may still be used; without ``check_blob`` it may.

    Raises
    ------
    IncompatibleBlobError
        It may not; the message has the layer's name and the backend's reason.
    """
    check_text(backend_id, api, instance, blob.compatibility, layer)


def check_text(
    backend_id: str, api: abi.armnn_backend_api_t, instance: Any, compatibility: bytes, layer: str
) -> None:
    """As `check_blob`, for a blob that is not there yet."""
    if not api.check_blob:
        return
    error = ErrorBuffer()
    status = api.check_blob(
        ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t)),
        counted(compatibility),
        ctypes.byref(error.struct),
    )
    if status != abi.ARMNN_STATUS_OK:
        _refuse(IncompatibleBlobError, backend_id, layer, compatibility, status, error)


def deserialize_blob(
    backend_id: str,
    api: abi.armnn_backend_api_t,
    instance: Any,
    data: NDArray[np.uint8],
    compatibility: bytes,
    layer: str,
    *,
    retain: Callable[[], None],
    release: Callable[[], None],
) -> NativeBlob:
    """Have a backend make a blob of bytes; it has ``deserialize_blob``.

    Parameters
    ----------
    data
        What `NativeBlob.to_bytes` gave, 64-byte aligned.
    compatibility
        The content of the blob; ``check_blob`` is asked first.
    layer
        For messages.
    retain, release
        Keep the backend open for the blob.

    Raises
    ------
    IncompatibleBlobError
        The backend does not take it any more.
    BackendError
        It fails, or its answer makes no sense.
    """
    check_text(backend_id, api, instance, compatibility, layer)
    what = f"backend '{backend_id}': deserialize_blob for layer '{layer}'"
    error = ErrorBuffer()
    made = abi.armnn_blob_t()
    made.header.struct_size = ctypes.sizeof(made)
    made.header.struct_type = abi.ARMNN_STRUCT_BLOB
    with deferred_interrupts():  # until the blob has its owner
        status = api.deserialize_blob(
            ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t)),
            data.ctypes.data,
            data.nbytes,
            counted(compatibility),
            ctypes.byref(made),
            ctypes.byref(error.struct),
        )
        if status == abi.ARMNN_STATUS_INCOMPATIBLE:
            _refuse(IncompatibleBlobError, backend_id, layer, compatibility, status, error)
        if status != abi.ARMNN_STATUS_OK:
            _refuse(BackendError, backend_id, layer, compatibility, status, error)
        try:
            check_functions(made, "the blob")
            words = read_counted(made.compatibility, "its compatibility")
        except NonsenseError as problem:
            # Nothing is released: what the blob says of itself cannot be believed.
            raise BackendError(f"{what}: {problem}") from None
        blob = NativeBlob(made, words, retain=retain, release=release)
        blob.is_from_file = True
        blob.take()
    return blob


def _refuse(
    kind: type[BackendError],
    backend_id: str,
    layer: str,
    compatibility: bytes,
    status: int,
    error: ErrorBuffer,
) -> NoReturn:
    asked = f"the compiled sub-graph '{layer}'"
    check_memory(status, backend_id, asked, error, layer=layer)
    raise error.coded(
        kind(
            f"backend '{backend_id}' does not take the compiled sub-graph '{layer}': "
            + (error.text or status_name(status)),
            details=[
                f"status: {status_name(status)}",
                f"made for: {compatibility.decode('utf-8', 'replace') or 'not said'}",
            ],
            hints=["optimize() the network again on this machine"],
        )
    )
