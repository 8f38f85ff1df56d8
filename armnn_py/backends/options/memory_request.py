# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The allocators that a runtime gives its backends; a backend that refuses its own is not used."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from armnn_py._native.table.allocators import GivenAllocator, use_allocator
from armnn_py._native.table.backend_options import OptionValue, TableError
from armnn_py._native.table.backend_table import BackendTable, capabilities
from armnn_py._native.table.guarded_calls import guarded
from armnn_py.backends.options.allocator import Allocator
from armnn_py.device_ids import device_id, option_keys
from armnn_py.errors import InvalidArgumentError
from armnn_py.types import MemorySource

_PROTECTED = "ProtectedContentAllocation"


class UnfitMemoryError(Exception):
    """A backend cannot be used with the memory that was asked for; ``code`` is the verdict's."""

    def __init__(self, code: str, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint


class MemoryRequest(Struct, frozen=True):
    """The allocators of a runtime by backend id, and whether memory must be protected.

    Raises
    ------
    InvalidArgumentError
        ``allocators`` is not a mapping of ids to `Allocator`, or ``protected`` is not a bool.
    """

    allocators: Mapping[str, Allocator] = field(default_factory=dict)
    protected: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.allocators, Mapping):
            raise InvalidArgumentError(
                f"custom_allocators: {type(self.allocators).__name__} given, "
                "a mapping of ids to Allocator expected"
            )
        for backend_id, allocator in self.allocators.items():
            if not isinstance(allocator, Allocator):
                raise InvalidArgumentError(
                    f"custom_allocators['{backend_id}']: {type(allocator).__name__} given, "
                    "an Allocator expected",
                    hints=["derive a class from armnn_py.Allocator and give an object of it"],
                )
            if not isinstance(allocator.memory_source, MemorySource):
                raise InvalidArgumentError(
                    f"custom_allocators['{backend_id}']: its memory_source is "
                    f"{allocator.memory_source!r}, a MemorySource expected"
                )
        if not isinstance(self.protected, bool):
            raise InvalidArgumentError(
                f"protected_mode: {self.protected!r} given, True or False expected"
            )

    def hand_over(
        self, table: BackendTable, backend_id: str, index: int, instance: int
    ) -> GivenAllocator | None:
        """Give a new instance its allocator, right after ``create``; None without one.

        Raises
        ------
        UnfitMemoryError
            The instance must not be used.
        """
        given_for = [self.allocators.get(key) for key in option_keys(backend_id, index)]
        allocator = given_for[1] or given_for[0]
        backend_id = device_id(backend_id, index)
        if self.protected:
            self._check_protection(table, instance, backend_id, allocator)
        if allocator is None:
            return None
        given = GivenAllocator(backend_id, allocator)
        reason = use_allocator(guarded(table.api), instance, given)
        if reason is not None:
            raise UnfitMemoryError(
                "allocator-refused",
                f"this backend does not accept the allocator: {reason}",
                "leave it out of custom_allocators to use the backend with its own memory",
            )
        return given

    @staticmethod
    def _check_protection(
        table: BackendTable, instance: int, backend_id: str, allocator: Allocator | None
    ) -> None:
        try:
            says: Mapping[str, OptionValue] = capabilities(table, instance, backend_id)
        except TableError as error:
            raise UnfitMemoryError("protected-unsupported", error.reason) from None
        if says.get(_PROTECTED) is not True:
            raise UnfitMemoryError(
                "protected-unsupported",
                f"protected mode: it does not have the capability {_PROTECTED}",
            )
        if allocator is None:
            raise UnfitMemoryError(
                "protected-no-allocator",
                "protected mode: no allocator was given for it",
                f"give Runtime() custom_allocators={{'{backend_id}': ...}}",
            )
        if allocator.memory_source != MemorySource.DMA_BUF_PROTECTED:
            raise UnfitMemoryError(
                "protected-source",
                "protected mode: the memory source of its allocator is "
                f"{allocator.memory_source.name}, DMA_BUF_PROTECTED is needed",
            )
