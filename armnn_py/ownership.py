# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Objects that own something outside Python: closed after use, and never copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, SupportsIndex

from armnn_py.errors import InvalidArgumentError
from armnn_py.text import with_article

if TYPE_CHECKING:
    from types import TracebackType


class Closing:
    """Base of objects that a ``with`` block closes at its end."""

    __slots__ = ()

    def close(self) -> None:
        """Free the memory and handles that it owns."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class Owner:
    """Base of objects that cannot be copied or pickled.

    Parameters
    ----------
    instead
        Class keyword: what to do instead, the hint of the error. Subclasses inherit it.
    """

    __slots__ = ()

    _instead: ClassVar[str] = ""

    def __init_subclass__(cls, *, instead: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if instead is not None:
            cls._instead = instead

    def _refuse(self, what: str) -> NoReturn:
        raise InvalidArgumentError(
            f"{with_article(type(self).__name__)} cannot be {what}", hints=[self._instead]
        )

    def __copy__(self) -> NoReturn:
        self._refuse("copied")

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        self._refuse("copied")

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        self._refuse("pickled")
