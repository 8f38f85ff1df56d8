# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options: what is stated of them holds, and those of one run are those of no other."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.kit_host import KitHost
from armnn_py._native.library import use_host
from armnn_py.errors import ArmnnError
from armnn_py.runtime.load import load
from armnn_py.testing.features.small_networks import ROWS, taken_by
from armnn_py.testing.outcome import CheckFailedError, NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from armnn_py.backends.option import BackendOption
    from armnn_py.runtime import LoadedNetwork, Runtime
    from armnn_py.testing.features.small_networks import SmallNetwork
    from armnn_py.testing.target import Target

__all__ = ["check_options", "check_run_options"]

_PATIENCE = 2.0  # seconds; two runs may well wait for each other


def check_options(target: Target, seed: int, on_step: Callable[[str], None]) -> None:
    """State each default, set what can be changed and set it back: nothing may differ.

    Raises
    ------
    CheckFailedError
        A default is not what holds where nobody gives a value, or a change stays.
    NotApplicableError
        The backend has no options.
    """
    on_step("as nobody gave an option")
    with target.runtime() as runtime:
        backend = runtime.backends[target.id]
        options = [one for one in backend.describe_options() if not one.secret]
        expected = _outputs(runtime, target.id, seed)
    given = dict(target.options or {})
    of_create = {one.name: one.default for one in options if one.scope == "backend"}
    of_model = {one.name: one.default for one in options if one.scope == "model"}
    if not of_create and not of_model:
        raise NotApplicableError("the backend has no options")
    if not expected:
        raise NotApplicableError("it takes none of the small networks on which options are tried")
    for name, default in of_create.items():
        if name in given:
            continue
        on_step(f"option '{name}' given as its default, {default!r}")
        stated = dataclasses.replace(target, options={**given, name: default})
        with stated.runtime() as runtime:
            what = f"option '{name}' is given as its stated default, {default!r}"
            _same(_outputs(runtime, target.id, seed), expected, what)
    with target.runtime() as runtime:
        for name, default in of_model.items():
            on_step(f"model option '{name}' given as its default, {default!r}")
            found = _outputs(runtime, target.id, seed, {target.id: {name: default}})
            what = f"model option '{name}' is given as its stated default, {default!r}"
            _same(found, expected, what)
        backend = runtime.backends[target.id]
        for option in (one for one in options if one.changeable):
            assert option.value is not None  # as for all options of the backend
            for value in _values_of(option):
                on_step(f"option '{option.name}' set to {value!r}, and back")
                backend.set_option(option.name, value)
                _outputs(runtime, target.id, seed)
            backend.set_option(option.name, option.value)
            what = f"option '{option.name}' was changed and set back to {option.value!r}"
            _same(_outputs(runtime, target.id, seed), expected, what)


def check_run_options(target: Target, seed: int, on_step: Callable[[str], None]) -> None:
    """Run with each option alone, then with two values of it at once.

    Raises
    ------
    CheckFailedError
        A run computes with an option of another one.
    NotApplicableError
        The backend has no options of a run.
    """
    host = KitHost()
    use_host(host.pointer)
    with target.runtime() as runtime:
        described = runtime.backends[target.id].describe_options()
        options = [one for one in described if one.scope == "run" and not one.secret]
        if not options:
            raise NotApplicableError("the backend has no options of a run")
        for network in taken_by(runtime, target.id):
            x = network.values(ROWS, seed)
            with load(network.with_rows(ROWS), [target.id], runtime=runtime) as loaded:
                for option in options:
                    on_step(f"{network.name}, run option '{option.name}'")
                    _mix(host, loaded, x, target.id, option)


def _mix(
    host: KitHost, loaded: LoadedNetwork, x: NDArray[Any], backend: str, option: BackendOption
) -> None:
    """Let a run with another value begin and end while one is under way, and after it."""
    name = option.name

    def run(value: Any) -> NDArray[Any]:
        return np.array(loaded.run(x, options={backend: {name: value}})["y"])

    plain = np.array(loaded.run(x)["y"])
    what = f"run option '{name}' is given as its stated default, {option.default!r}"
    _same({"": run(option.default)}, {"": plain}, what)
    for value in _values_of(option):
        try:
            expected = run(value)
        except ArmnnError:
            continue  # such as an option that refuses runs
        what = f"a run with option '{name}' = {value!r} came before"
        _same({"": np.array(loaded.run(x)["y"])}, {"": plain}, what)
        other = threading.Thread(target=run, args=(value,), daemon=True)

        def between(other: threading.Thread = other) -> None:
            other.start()
            other.join(_PATIENCE)

        host.between = between
        found = np.array(loaded.run(x)["y"])
        host.between = None
        if other.ident is not None:
            other.join()
        what = f"a run with option '{name}' = {value!r} goes on at the same time"
        _same({"": found}, {"": plain}, what)
        _same({"": run(value)}, {"": expected}, f"option '{name}' = {value!r} is given again")


def _values_of(option: BackendOption) -> list[Any]:
    """Return values that an option allows, the default not among them."""
    if option.choices:
        found: list[Any] = list(option.choices)
    elif option.type == "bool":
        found = [False, True]
    else:
        found = [one for one in (option.minimum, option.maximum) if one is not None]
    return [value for value in found if value != option.default]


def _outputs(
    runtime: Runtime,
    backend: str,
    seed: int,
    model_options: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return what each small network gives that the backend takes."""

    def output(network: SmallNetwork) -> NDArray[Any]:
        fixed = network.with_rows(ROWS)
        with load(fixed, [backend], runtime=runtime, model_options=model_options) as loaded:
            return np.array(loaded.run(network.values(ROWS, seed))["y"])

    return {network.name: output(network) for network in taken_by(runtime, backend)}


def _same(
    found: Mapping[str, NDArray[Any]], expected: Mapping[str, NDArray[Any]], what: str
) -> None:
    for name, wanted in expected.items():
        if name not in found:
            raise CheckFailedError(f"network '{name}' is not taken any more where {what}")
        if not np.array_equal(found[name], wanted, equal_nan=True):
            network = f"network '{name}': " if name else ""
            raise CheckFailedError(
                f"{network}the output is another where {what}", found=found[name], expected=wanted
            )
