# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What owns native things is one of a kind: a copy would free them a second time."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import armnn_py as ann


@pytest.fixture(scope="module")
def owners() -> Iterator[dict[str, object]]:
    network = ann.Network()
    network.add_output("y", network.add_floor(network.add_input("x", ann.TensorInfo((2,)))))
    with ann.Runtime(enable_dynamic_backends=False) as runtime:
        optimized = ann.optimize(network, runtime=runtime)
        with runtime.load_network(optimized) as loaded, loaded.bind() as bound:
            yield {
                "Backend": runtime.backends["CpuRef"],
                "BackendRegistry": runtime.backends,
                "BoundNetwork": bound,
                "Runtime": runtime,
                "OptimizedNetwork": optimized,
                "LoadedNetwork": loaded,
                "Profile": loaded.profile(),
                "CancelToken": ann.CancelToken(),
            }


@pytest.mark.parametrize(
    "name",
    [
        "Backend",
        "BackendRegistry",
        "BoundNetwork",
        "CancelToken",
        "LoadedNetwork",
        "OptimizedNetwork",
        "Profile",
        "Runtime",
    ],
)
@pytest.mark.parametrize(
    ("clone", "what"),
    [
        (copy.copy, "copied"),
        (copy.deepcopy, "copied"),
        (lambda owner: copy.deepcopy([owner]), "copied"),
        *((lambda owner, p=p: pickle.dumps(owner, p), "pickled") for p in range(6)),
    ],
)
def test_owners_are_not_copied(
    owners: dict[str, object], name: str, clone: Callable[[object], Any], what: str
) -> None:
    article = "^an" if name == "OptimizedNetwork" else "^a"
    with pytest.raises(
        ann.InvalidArgumentError, match=f"{article} {name} cannot be {what}"
    ) as caught:
        clone(owners[name])
    assert caught.value.hints[0]


def test_parts_of_owners_can_be_pickled(owners: dict[str, object]) -> None:
    loaded, optimized = owners["LoadedNetwork"], owners["OptimizedNetwork"]
    assert isinstance(optimized, ann.OptimizedNetwork)
    assert isinstance(loaded, ann.LoadedNetwork)
    network = pickle.loads(pickle.dumps(optimized.network))
    assert [layer.name for layer in network.layers] == ["x", "floor_1", "y"]
    assert pickle.loads(pickle.dumps(loaded.assignment)).counts == {"CpuRef": 1}
