# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names of a package that are imported when they are first asked for (PEP 562)."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from armnn_py.errors.shortage import tells_shortage
from armnn_py.garbage import without_collections
from armnn_py.interrupts import deferred_interrupts

__all__ = ["IMPORTING", "forks_wait_for", "names_of", "public_class"]

_Class = TypeVar("_Class", bound=type)


def forks_wait_for(lock: threading.RLock) -> None:
    """Take a lock for the time of each fork, but of one that had begun before this is called."""
    holders: list[int] = []

    def before() -> None:
        lock.acquire()
        holders.append(threading.get_ident())

    def after() -> None:
        if holders and holders[-1] == threading.get_ident():
            holders.pop()
            lock.release()

    os.register_at_fork(before=before, after_in_parent=after, after_in_child=after)


#: One thread at a time imports for the program: of two that need each other's modules, Python lets
#: one have a module by half, which is an ImportError. A fork waits: a module that another thread is
#: importing would stay locked in the child for ever. Modules that these names need do not ask for
#: them while they are imported: whoever imports one by itself has it locked.
IMPORTING = threading.RLock()
forks_wait_for(IMPORTING)


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
        Only programs ask for the names, one thread at a time. Classes and functions say that they
        are the package's, as those do that it imports at once: tracebacks then read
        ``armnn_py.Network``, not in which file that was written.
    """
    module_of = {name: module for module, names in modules.items() for name in names}

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name not in packages and name not in module_of:
            if public:
                from armnn_py.habits import missing_attribute

                raise missing_attribute(package, name, sys.modules[package])
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if not public:
            return imported(name)
        with IMPORTING:
            return imported(name)

    @tells_shortage(f"import {{}} of {package}")
    def imported(name: str) -> Any:
        # Ctrl-C amid the import of numpy, say, would leave half of it, which is never imported
        # again. And classes and functions stay: to walk them for garbage is in vain.
        with deferred_interrupts(), without_collections():
            if name in packages:
                return importlib.import_module(f"{package}.{name}")
            found = getattr(importlib.import_module(module_of[name]), name)
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
