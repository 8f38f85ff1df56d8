# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The cheapest choices: against trying all of them, and never worse than the preferred ones."""

from __future__ import annotations

import itertools
import random
import sys

import pytest

from armnn_py.optimizer.measuring.least_time import least_time

Costs = list[list[int]]
Links = dict[tuple[int, int], list[list[int]]]


def total(costs: Costs, links: Links, choices: tuple[int, ...]) -> int:
    own = sum(costs[item][choice] for item, choice in enumerate(choices))
    return own + sum(table[choices[a]][choices[b]] for (a, b), table in links.items())


def cheapest(costs: Costs, links: Links) -> tuple[int, ...]:
    """All choices are tried; of equals, the one with the least sum of indices."""
    everything = itertools.product(*(range(len(own)) for own in costs))
    return min(everything, key=lambda choices: (total(costs, links, choices), sum(choices)))


def random_costs(rng: random.Random, items: int, high: int = 100) -> Costs:
    return [[rng.randrange(high) for _ in range(rng.randint(1, 3))] for _ in range(items)]


def random_link(rng: random.Random, costs: Costs, a: int, b: int) -> list[list[int]]:
    return [[rng.randrange(-40, 60) for _ in costs[b]] for _ in costs[a]]


@pytest.mark.parametrize("seed", range(60))
def test_chains_are_solved_as_by_trying_all(seed: int) -> None:
    rng = random.Random(seed)
    costs = random_costs(rng, rng.randint(1, 8))
    links = {(n, n + 1): random_link(rng, costs, n, n + 1) for n in range(len(costs) - 1)}
    found = least_time(costs, links)
    best = cheapest(costs, links)
    assert found.is_exact
    assert found.cost == total(costs, links, best) == total(costs, links, found.choices)
    assert sum(found.choices) == sum(best)


@pytest.mark.parametrize("seed", range(40))
def test_graphs_are_solved_as_by_trying_all(seed: int) -> None:
    rng = random.Random(seed)
    costs = random_costs(rng, rng.randint(2, 7))
    pairs = [p for p in itertools.combinations(range(len(costs)), 2) if rng.random() < 0.5]
    links = {(a, b): random_link(rng, costs, a, b) for a, b in pairs}
    found = least_time(costs, links)
    assert found.is_exact
    assert found.cost == total(costs, links, cheapest(costs, links))


@pytest.mark.parametrize("seed", range(40))
def test_dense_graphs_never_end_worse_than_they_start(seed: int) -> None:
    rng = random.Random(seed)
    costs = random_costs(rng, rng.randint(4, 30))
    pairs = [p for p in itertools.combinations(range(len(costs)), 2) if rng.random() < 0.6]
    links = {(a, b): random_link(rng, costs, a, b) for a, b in pairs}
    labels = [["A", "B", "C"][: len(own)] for own in costs]
    found = least_time(costs, links, labels, largest_table=2)
    assert found.cost == total(costs, links, found.choices)
    assert found.cost <= total(costs, links, (0,) * len(costs))
    for label in range(3):
        everywhere = tuple(label if label < len(own) else 0 for own in costs)
        assert found.cost <= total(costs, links, everywhere)


def test_the_search_leaves_a_start_that_no_single_change_improves() -> None:
    """Two items that only gain if they move together: "all on B" finds it."""
    costs = [[5, 1], [5, 1]]
    links = {(0, 1): [[0, 50], [50, 0]]}
    found = least_time(costs, links, [["A", "B"], ["A", "B"]], largest_table=1)
    assert not found.is_exact
    assert (found.choices, found.cost) == ((1, 1), 2)


@pytest.mark.parametrize("table", [4096, 1])
def test_ties_go_to_the_preferred(table: int) -> None:
    costs = [[7, 7, 7], [3, 3], [2, 1]]
    links = {(0, 1): [[0, 0]] * 3, (1, 2): [[0, 0]] * 2}
    assert least_time(costs, links, largest_table=table).choices == (0, 0, 1)


def test_copies_outweigh_a_faster_layer() -> None:
    """The middle one is faster elsewhere, but not by as much as two borders cost."""
    costs = [[10, 50], [10, 4], [10, 50]]
    border = [[0, 4], [4, 0]]
    links = {(0, 1): border, (1, 2): border}
    assert least_time(costs, links).choices == (0, 0, 0)
    cheap = [[0, 2], [2, 0]]
    assert least_time(costs, {(0, 1): cheap, (1, 2): cheap}).choices == (0, 1, 0)


def test_a_long_chain_is_solved_exactly() -> None:
    costs = [[2, 1]] * 2000
    links = {(n, n + 1): [[0, 3], [3, 0]] for n in range(1999)}
    found = least_time(costs, links)
    assert found.is_exact
    assert found.choices == (1,) * 2000


def test_no_layers_take_no_time() -> None:
    assert least_time([], {}).choices == ()


Groups = dict[tuple[int, ...], dict[tuple[int, ...], int]]


def random_groups(rng: random.Random, costs: Costs) -> Groups:
    """Groups of two to four items with costs of some combinations, savings among them."""
    groups: Groups = {}
    for _ in range(rng.randint(1, 4)):
        items = tuple(rng.sample(range(len(costs)), rng.randint(2, min(4, len(costs)))))
        everything = itertools.product(*(range(len(costs[item])) for item in items))
        groups[items] = {choice: rng.randrange(-80, 60) for choice in everything
                         if rng.random() < 0.6}  # fmt: skip
    return groups


def in_all(costs: Costs, links: Links, groups: Groups, choices: tuple[int, ...]) -> int:
    return total(costs, links, choices) + sum(
        table.get(tuple(choices[item] for item in items), 0) for items, table in groups.items()
    )


@pytest.mark.parametrize("seed", range(40))
def test_groups_are_solved_as_by_trying_all(seed: int) -> None:
    rng = random.Random(seed)
    costs = random_costs(rng, rng.randint(2, 7))
    links = {(n, n + 1): random_link(rng, costs, n, n + 1) for n in range(len(costs) - 1)}
    groups = random_groups(rng, costs)
    found = least_time(costs, links, groups=groups)
    everything = itertools.product(*(range(len(own)) for own in costs))
    best = min(in_all(costs, links, groups, choices) for choices in everything)
    assert found.is_exact
    assert found.cost == best == in_all(costs, links, groups, found.choices)


@pytest.mark.parametrize("seed", range(20))
def test_groups_that_are_too_large_never_make_it_worse(seed: int) -> None:
    """One start of the search is what is best without them."""
    rng = random.Random(seed)
    costs = [[rng.randrange(100) for _ in range(2)] for _ in range(9)]
    links = {(n, n + 1): random_link(rng, costs, n, n + 1) for n in range(8)}
    items = tuple(range(9))
    groups: Groups = {items: {(1,) * 9: -400}}
    found = least_time(costs, links, [["A", "B"]] * 9, groups=groups, largest_table=16)
    without = least_time(costs, links)
    assert not found.is_exact
    assert found.cost == in_all(costs, links, groups, found.choices)
    assert found.cost <= in_all(costs, links, groups, without.choices)
    assert found.cost <= in_all(costs, links, groups, (1,) * 9)


def test_items_without_a_choice_cost_no_table() -> None:
    """Here they would link all others: one table for 2 ** 30 combinations."""
    costs = [[1, 2] for _ in range(30)] + [[5], [7]]
    links = {(n, hub): [[4], [0]] for n in range(30) for hub in (30, 31)}
    groups: Groups = {(0, 30, 1): {(0, 0, 0): -100, (1, 0, 1): 3}}
    found = least_time(costs, links, groups=groups)
    assert found.is_exact
    assert found.choices == (0, 0, *(1,) * 28, 0, 0)
    assert found.cost == in_all(costs, links, groups, found.choices) == 2 * 9 + 28 * 2 + 12 - 100


def calls_for(costs: Costs, links: Links) -> int:
    """How many functions a solution calls: what it takes, on any machine."""
    count = 0

    def tick(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(tick)
    try:
        least_time(costs, links)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("kind", ["chain", "star", "comb"])
def test_twice_the_items_take_twice_the_work(kind: str) -> None:
    def work(items: int) -> int:
        table = [[0, 3], [3, 0]]
        links = {
            "chain": {(n, n + 1): table for n in range(items - 1)},
            "star": {(0, n): table for n in range(1, items)},
            "comb": {(n // 2 * 2, n + 1 + n % 2): table for n in range(items - 2)},
        }[kind]
        return calls_for([[2, 1]] * items, links)

    assert work(800) < 2.5 * work(400)
