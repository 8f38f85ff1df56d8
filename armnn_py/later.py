# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names of a package that are imported when they are first asked for (PEP 562)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from armnn_py.errors.shortage import tells_shortage
from armnn_py.habits import missing_attribute

_Class = TypeVar("_Class", bound=type)
_import = tells_shortage("import {}")(importlib.import_module)


def names_of(
    package: str,
    modules: Mapping[str, Collection[str]],
    *,
    packages: Collection[str] = (),
    public: bool = False,
) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that imports some of its names late.

    Parameters
    ----------
    package
        The package's name.
    modules
        By the name of a module: the names that the package has from it.
    packages
        Packages inside of this one that are its attributes, imported or not.
    public
        Classes and functions say that they are the package's, as those do that it imports at once:
        tracebacks then read ``armnn_py.Network``, not in which file that was written.
    """
    module_of = {name: module for module, names in modules.items() for name in names}

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name in packages:
            return _import(f"{package}.{name}")
        if name not in module_of:
            if public:
                raise missing_attribute(package, name, sys.modules[package])
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(_import(module_of[name]), name)
        if public:
            found.__module__ = package
        setattr(sys.modules[package], name, found)
        return found

    return __getattr__


def public_class(cls: _Class) -> _Class:
    """Say that a class is one of ``armnn_py``, where users find it, whoever imports it first.

    Tracebacks and pickles name it so.
    """
    cls.__module__ = "armnn_py"
    return cls
