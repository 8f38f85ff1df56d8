# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which plans of a network with free dimensions are kept, and plans that are made beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.runtime.contexts.context_pool import ContextPool


class Rows:
    """A network of free rows that counts for which it was built."""

    def __init__(self) -> None:
        self.built: list[Any] = []

    def __call__(self, infos: Any) -> ann.Network:
        self.built.append(infos["x"].shape[0])
        network = ann.Network()
        x = network.add_input("x", infos["x"])
        network.add_output("y", network.add_softmax(network.add_floor(x)))
        return network

    def network(self) -> ann.Network:
        info = ann.TensorInfo((None, 1024), dimension_names=("rows", None))
        return ann.Network.from_builder("rows", {"x": info}, self, {"y": info})


@pytest.fixture
def rows() -> Rows:
    return Rows()


@pytest.fixture
def load(runtime: ann.Runtime, rows: Rows) -> Any:
    def loaded(**options: Any) -> ann.LoadedNetwork:
        return ann.load(rows.network(), ["CpuRef"], runtime=runtime, **options)

    return loaded


def run(network: ann.LoadedNetwork, *sizes: int) -> None:
    for size in sizes:
        x = np.full((size, 1024), 2.5, np.float32)
        np.testing.assert_allclose(network.run(x)["y"], 1 / 1024, rtol=1e-5)


def test_plans_are_kept_up_to_their_bytes(load: Any, rows: Rows) -> None:
    """A plan of 256 rows has at least a tensor of 1 MiB, one of a row next to nothing."""
    with load(plan_cache_bytes=4 * 2**20) as network:
        run(network, 1, 256, 1, 256)
        assert rows.built == [1, 256]
        run(network, 257, 258, 259, 260, 261, 262)
        rows.built.clear()
        run(network, 262)
        assert rows.built == []  # the last one is there
        run(network, 1, 256)
        assert rows.built == [1, 256]  # the least recently used are gone


def test_recently_used_entries_stay(load: Any, rows: Rows) -> None:
    with load(plan_cache_bytes=4 * 2**20) as network:
        for size in range(300, 312):
            run(network, size, 1)
        assert rows.built.count(1) == 1


def test_the_default_keeps_many_small_plans(load: Any, rows: Rows) -> None:
    with load() as network:
        run(network, *range(1, 41), *range(1, 41))
    assert rows.built == list(range(1, 41))


def test_the_default_keeps_few_large_plans_and_not_many(load: Any, rows: Rows) -> None:
    """A plan of 5,000 rows has at least a tensor of 20 MiB."""
    few = range(5000, 5004)
    with load() as network:
        run(network, *few, *few)
        assert rows.built == list(few)  # 80 MiB at least, of four shapes
        rows.built.clear()
        many = range(6000, 6005)
        run(network, *many)
        rows.built.clear()
        run(network, many[0])
        assert rows.built == [many[0]]  # five shapes may take 64 MiB


def test_no_bytes_keep_the_last_plan(load: Any, rows: Rows) -> None:
    with load(plan_cache_bytes=0) as network:
        run(network, 3, 3, 4, 4, 3)
    assert rows.built == [3, 4, 3]


def test_both_limits_hold(load: Any, rows: Rows) -> None:
    with load(plan_cache_size=2) as network:
        run(network, 1, 2, 3, 2, 1)
    assert rows.built == [1, 2, 3, 1]


@pytest.mark.parametrize("given", [-1, 1.5, "1 MB", True])
def test_wrong_bytes(load: Any, given: Any) -> None:
    with pytest.raises(ann.InvalidArgumentError, match=r"plan_cache_bytes: .* at least 0 expected"):
        load(plan_cache_bytes=given)


# ---- Plans made beforehand -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "shapes", [{"rows": 5}, {"x": (5, 1024)}, {"x": (5, None)}, [{"rows": 4}, {"rows": 5}]]
)
def test_a_prepared_run_finds_its_plan(load: Any, rows: Rows, shapes: Any) -> None:
    with load() as network:
        network.prepare(shapes)
        made = list(rows.built)
        assert 5 in made
        run(network, 5)
        assert rows.built == made


def test_prepare_again_does_nothing(load: Any, rows: Rows) -> None:
    with load() as network:
        network.prepare({"rows": 5})
        network.prepare({"rows": 5})
    assert rows.built == [5]


def test_prepare_a_network_of_known_shapes(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has its plan since it was loaded."""
    network = Rows()({"x": ann.TensorInfo((2, 1024))})
    with ann.load(network, runtime=runtime) as loaded:
        asked: list[Any] = []
        with monkeypatch.context() as patch:
            patch.setattr(ContextPool, "plan", lambda _, shapes: asked.append(shapes))
            loaded.prepare({})
        assert asked == []
        run(loaded, 2)


def test_prepare_under_bounds(load: Any, rows: Rows) -> None:
    with load(bounds={"rows": 8}) as network:
        made = list(rows.built)
        network.prepare({"rows": 4})
        assert rows.built == made
        run(network, 4)


def test_preparation_failures(load: Any) -> None:
    with load() as network:
        with pytest.raises(ann.InvalidArgumentError) as caught:
            network.prepare({})
        assert str(caught.value) == (
            "shapes: none for dimension 'rows'\n"
            "hint: shapes={'rows': 128}\n"
            "hint: load(..., shapes=...) gives a dimension one size for ever"
        )
        with pytest.raises(ann.UnknownNameError, match="no free dimension is called 'row'"):
            network.prepare({"row": 3})
        with pytest.raises(ann.InvalidArgumentError, match="it is always 1024"):
            network.prepare({"x": (3, 5)})
    with pytest.raises(ann.InvalidArgumentError, match="closed"):
        network.prepare({"rows": 3})
