# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory of cameras, GPUs and other processes as inputs and outputs of a run."""

from __future__ import annotations

import errno
import math
import mmap
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from armnn_py._native.memory.run_memory import Descriptor, DescriptorFence
from armnn_py.errors import InvalidArgumentError
from armnn_py.later import public_class
from armnn_py.ownership import Closing, Owner
from armnn_py.types import MemorySource

if TYPE_CHECKING:
    from armnn_py.tensors import TensorInfo

_DESCRIPTORS = (MemorySource.FILE, MemorySource.DMA_BUF, MemorySource.DMA_BUF_PROTECTED)


@public_class
class ExternalMemory(Closing, Owner, instead="make another one from the same descriptor"):
    """Memory behind a file descriptor, or at an address, that takes the place of an array.

    Give it to `LoadedNetwork.run` or `LoadedNetwork.bind` for an input or an output. A backend
    that imports such memory uses it as it is; for others the descriptor is mapped into this
    process. Data type and shape are those of the network's input or output.

    Use it in a ``with`` block, or call `close`. The descriptor is duplicated; it must not become
    shorter while the object lives.

    Parameters
    ----------
    fd
        Descriptor of a memfd, a file, or a DMA-BUF.
    address
        Instead of a descriptor: an address of this process, whose memory the caller keeps.
    offset
        Bytes before the first element.
    size
        Bytes from there that may be used; default: to the end of the descriptor.
    strides
        Bytes between neighbours of each dimension; default: dense and row-major. For backends that
        do not take them the tensor is copied.
    shape
        Needed only for a network with free dimensions.
    source
        Default: ``DMA_BUF`` or ``FILE``, as the descriptor says, or ``MALLOC`` for an address.
        Memory of ``DMA_BUF_PROTECTED`` is never mapped.
    ready
        Descriptor of an eventfd or sync-file that can be read, as poll says, when the memory may be
        used. Each run waits for it; assign `ready` for the next frame.

    Raises
    ------
    InvalidArgumentError
        The descriptor is closed or of an unknown kind, or has fewer bytes.

    Examples
    --------
    >>> import os
    >>> import numpy as np
    >>> import armnn_py as ann
    >>> image = np.load("image.npy")
    >>> fd = os.memfd_create("frame")
    >>> os.write(fd, image.tobytes()) == image.nbytes
    True
    >>> with ann.load("model.onnx") as network, ann.ExternalMemory(fd) as frame:
    ...     print(network.run({"image": frame})["probabilities"].argmax())
    4
    >>> os.close(fd)
    """

    __slots__ = (
        "__weakref__",
        "_address",
        "_descriptor",
        "_fence",
        "_map",
        "_size",
        "offset",
        "shape",
        "source",
        "strides",
    )

    def __init__(
        self,
        fd: int | None = None,
        *,
        address: int | None = None,
        offset: int = 0,
        size: int | None = None,
        strides: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
        source: MemorySource | None = None,
        ready: int | None = None,
    ) -> None:
        self._descriptor: Descriptor | None = None
        self._fence: DescriptorFence | None = None
        self._map: tuple[np.ndarray, bool] | None = None
        self._address = 0
        if (fd is None) == (address is None):
            raise InvalidArgumentError("external memory: fd or address expected, one of them")
        for name, value in {"fd": fd, "address": address, "offset": offset, "size": size}.items():
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise InvalidArgumentError(f"external memory: {name}={value!r}, a number expected")
            if value is not None and value < 0:
                raise InvalidArgumentError(f"external memory: {name}={value} is negative")
        self.offset = offset
        self.strides = None if strides is None else tuple(int(stride) for stride in strides)
        self.shape = None if shape is None else tuple(int(side) for side in shape)
        self._size = size
        if address is not None:
            if source not in (None, MemorySource.MALLOC) or not address or size is None:
                raise InvalidArgumentError(
                    "external memory: an address goes with size= and with the source MALLOC"
                )
            self._address, self.source = address, MemorySource.MALLOC
        else:
            assert fd is not None
            try:
                self._descriptor = Descriptor(fd)
            except OSError as error:
                raise InvalidArgumentError(
                    f"external memory: descriptor {fd} cannot be used",
                    details=[os.strerror(error.errno or 0)],
                    hints=["pass the number of an open descriptor"],
                ) from None
            try:
                self.source = self._find_source(fd) if source is None else source
                if self.source not in _DESCRIPTORS:
                    raise InvalidArgumentError(
                        f"external memory: a descriptor of source {self.source!r}",
                        hints=["FILE, DMA_BUF and DMA_BUF_PROTECTED have descriptors"],
                    )
                self.size  # noqa: B018 - raises if it does not fit
            except BaseException:
                self.close()
                raise
        if ready is not None:
            self.ready = ready

    def _find_source(self, fd: int) -> MemorySource:
        target = _target_of(self.fileno())
        if target.startswith(("/dmabuf", "anon_inode:dmabuf")):
            return MemorySource.DMA_BUF
        if stat.S_ISREG(os.fstat(self.fileno()).st_mode):
            return MemorySource.FILE
        raise InvalidArgumentError(
            f"external memory: descriptor {fd} is neither a file nor a DMA-BUF",
            details=[f"it is {target}"] if target else [],
            hints=["source= says what it is, if it can be mapped"],
        )

    # ---- What it is ----------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._descriptor is None and not self._address

    @property
    def size(self) -> int:
        """Bytes behind `offset` that may be used."""
        if self.closed:
            raise InvalidArgumentError("external memory: it is closed")
        if self._address:
            assert self._size is not None
            return self._size
        end = os.fstat(self.fileno()).st_size
        if self.source is not MemorySource.FILE:
            try:
                end = os.lseek(self.fileno(), 0, os.SEEK_END)
            except OSError as error:
                if error.errno not in (errno.ESPIPE, errno.EINVAL):
                    raise
                end = self.offset + (self._size or 0)  # it does not tell
        wanted = self.offset + (self._size or 0)
        if wanted > end:
            raise InvalidArgumentError(
                f"external memory: the descriptor has {end} bytes, {wanted} expected",
                details=[f"offset {self.offset}, size {self._size or 'not given'}"],
            )
        return end - self.offset if self._size is None else self._size

    @property
    def ready(self) -> bool:
        """Whether runs wait for a descriptor; assign one, or None."""
        return self._fence is not None

    @ready.setter
    def ready(self, fd: int | None) -> None:
        fence = None
        if fd is not None:
            try:
                fence = DescriptorFence(fd, is_sync_file="sync_file" in _target_of(fd))
            except OSError:
                raise InvalidArgumentError(
                    f"external memory: ready={fd} is not an open descriptor",
                    hints=["pass that of an eventfd or a sync-file"],
                ) from None
        self._fence = fence

    @property
    def fence(self) -> DescriptorFence | None:
        """The fences that runs wait for."""
        return self._fence

    def fileno(self) -> int:
        """The duplicate of the descriptor; -1 without one."""
        return -1 if self._descriptor is None else self._descriptor.fd

    @property
    def descriptor(self) -> Descriptor | None:
        """The owner that keeps the duplicate open."""
        return self._descriptor

    def close(self) -> None:
        """Give the memory up; harmless when repeated. Arrays of `bind` keep it until they end."""
        self._fence = None
        self._map = None
        self._address = 0
        self._descriptor = None

    def __repr__(self) -> str:
        state = "closed" if self.closed else self.source.name
        return f"<ExternalMemory {state} offset {self.offset}>"

    # ---- For runs ------------------------------------------------------------------------------

    def shape_for(self, what: str, name: str, info: TensorInfo) -> tuple[int, ...]:
        """The shape of the input or output that it stands for."""
        if self.shape is not None:
            return self.shape
        if None in info.shape:
            raise InvalidArgumentError(
                f"{what} '{name}': external memory without a shape, for free dimensions",
                hints=["ExternalMemory(..., shape=...)"],
            )
        return info.static_shape

    def dense_or_strides(
        self, what: str, name: str, shape: tuple[int, ...], itemsize: int
    ) -> tuple[tuple[int, ...] | None, int]:
        """Strides, or None if it is dense, and the bytes that the tensor takes."""
        dense = math.prod(shape) * itemsize
        if self.strides is None or not dense:
            return None, dense
        if len(self.strides) != len(shape):
            _raise(what, name, f"{len(self.strides)} strides for {len(shape)} dimensions")
        extent = itemsize
        for stride, side in sorted(zip(self.strides, shape, strict=True)):
            if side > 1:
                if stride < extent:
                    _raise(what, name, f"with strides {self.strides} elements lie in each other")
                extent += stride * (side - 1)
        expected = itemsize
        is_dense = True
        for stride, side in zip(reversed(self.strides), reversed(shape), strict=True):
            is_dense = is_dense and (side == 1 or stride == expected)
            expected *= side
        return (None if is_dense else self.strides), extent

    def check_size(self, what: str, name: str, needed: int) -> None:
        """Raise unless the memory has so many bytes now."""
        if self.size < needed:
            _raise(what, name, f"{self.size} bytes of external memory given, {needed} expected")

    def address_for(self, needed: int, *, writable: bool) -> tuple[int, object, str]:
        """The address of the first byte in this process, or 0; what keeps it valid; why it is 0."""
        if self._address:
            return self._address + self.offset, None, ""
        if self.source is MemorySource.DMA_BUF_PROTECTED:
            return 0, None, "protected memory is never mapped"
        begin = self.offset // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
        length = self.offset - begin + needed
        known = self._map
        if known is None or known[0].nbytes < length or (writable and not known[1]):
            try:
                known = self._map = _open_map(self.fileno(), begin, length, writable=writable)
            except (OSError, ValueError) as error:
                return 0, None, str(error)
        return int(known[0].ctypes.data) + self.offset - begin, known[0], ""


def _target_of(fd: int) -> str:
    """The kernel's name of the file behind a descriptor."""
    try:
        return str(Path(f"/proc/self/fd/{fd}").readlink())
    except OSError:
        return ""


def _open_map(fd: int, begin: int, length: int, *, writable: bool) -> tuple[np.ndarray, bool]:
    """Map a descriptor; for reading only where it cannot be written."""
    both = mmap.PROT_READ | mmap.PROT_WRITE
    try:
        mapped, can_write = mmap.mmap(fd, length, mmap.MAP_SHARED, both, offset=begin), True
    except PermissionError:
        if writable:
            raise
        mapped = mmap.mmap(fd, length, mmap.MAP_SHARED, mmap.PROT_READ, offset=begin)
        can_write = False
    return np.frombuffer(mapped, np.uint8), can_write


def _raise(what: str, name: str, why: str) -> NoReturn:
    raise InvalidArgumentError(f"{what} '{name}': {why}")
