# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The variables of a loaded network by name, as `LoadedNetwork.state` and `BoundNetwork.state`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import UnknownNameError
from armnn_py.later import public_class
from armnn_py.runtime.arrays.buffers import bind_input
from armnn_py.tensors import format_shape
from armnn_py.text import printable

if TYPE_CHECKING:
    from armnn_py.tensors import TensorInfo


@public_class
class NetworkState(Mapping[str, "np.ndarray[Any, Any]"]):
    """The variables of a network, which stay from run to run: arrays by name.

    Reading copies; ``state["h"] = array`` sets a variable for the next run. Wherever the network
    keeps a variable, in memory of the host or of a backend, it is read and set the same way.

    Examples
    --------
    >>> import numpy as np
    >>> import armnn_py as ann
    >>> network = ann.Network()
    >>> x = network.add_input("x", ann.TensorInfo((2,)))
    >>> last = network.add_variable("last", ann.TensorInfo((2,)))
    >>> assign = network.assign(last, x)
    >>> output = network.add_output("step", network.add_subtraction(x, last))
    >>> with ann.load(network, ["CpuRef"]) as loaded:
    ...     _ = loaded.run(np.float32([1, 2]))
    ...     print(loaded.state)
    ...     saved = dict(loaded.state)
    ...     loaded.state["last"] = np.float32([5, 5])
    ...     print(loaded.run(np.float32([6, 6]))["step"])
    ...     loaded.state.update(saved)
    ...     print(loaded.state["last"])
    <NetworkState last float32 2>
    [1. 1.]
    [1. 2.]
    """

    __slots__ = ("_infos", "_name", "_read", "_write")

    def __init__(
        self,
        name: str,
        infos: Mapping[str, TensorInfo],
        read: Callable[[str], np.ndarray[Any, Any]],
        write: Callable[[Mapping[str, np.ndarray[Any, Any]]], None],
    ) -> None:
        self._name = name
        self._infos = dict(infos)
        self._read = read
        self._write = write

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        self._check(name)
        return self._read(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def update(self, values: Mapping[str, Any]) -> None:
        """Set several variables; none, if a name, shape or dtype does not fit."""
        arrays = {}
        for name, value in values.items():
            self._check(name)
            # A read-only copy: it cannot change before it is copied to the variable.
            arrays[name] = np.array(bind_input(name, value, self._infos[name], what="variable"))
        if arrays:
            self._write(arrays)

    def _check(self, name: str) -> None:
        if name not in self._infos:
            raise UnknownNameError(
                f"network '{self._name}' has no variable '{name}'",
                name=str(name),
                valid=list(self._infos),
            )

    def __contains__(self, name: object) -> bool:
        return name in self._infos

    def __iter__(self) -> Iterator[str]:
        return iter(self._infos)

    def __len__(self) -> int:
        return len(self._infos)

    def __repr__(self) -> str:
        items = [
            f"{printable(name)} {info.data_type.shown} {format_shape(info.shape)}"
            for name, info in self._infos.items()
        ]
        return f"<NetworkState {', '.join(items) or 'without variables'}>"
