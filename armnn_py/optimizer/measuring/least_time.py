# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One choice for each item so that the sum of costs of items, pairs and groups is least.

Exact, by eliminating one item after the other (bucket elimination, R. Dechter 1999: dynamic
programming, on a chain that of Viterbi), while the tables stay small, as on chains, trees and
residual blocks. Where items are linked more densely, a local search: each item in turn takes its
best choice given its neighbours, until nothing changes. The best of several starts is never worse
than the first start, the preferred choices. One start is the exact solution without the groups.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LARGEST_TABLE = 4096

Table: TypeAlias = "dict[tuple[int, ...], int]"
Factor: TypeAlias = "tuple[tuple[int, ...], Mapping[tuple[int, ...], int]]"


class LeastTime(Struct, frozen=True):
    """The choice made for each item.

    Attributes
    ----------
    choices
        Index of the choice of each item.
    cost
        The sum of all costs.
    is_exact
        Whether the cost is proven to be the least; False: no lower one was found.
    """

    choices: tuple[int, ...]
    cost: int
    is_exact: bool


def least_time(
    costs: Sequence[Sequence[int]],
    links: Mapping[tuple[int, int], Sequence[Sequence[int]]],
    labels: Sequence[Sequence[str]] | None = None,
    *,
    groups: Mapping[tuple[int, ...], Mapping[tuple[int, ...], int]] | None = None,
    largest_table: int = _LARGEST_TABLE,
) -> LeastTime:
    """Choose for each item; among equals, the choices with the least sum of indices.

    Parameters
    ----------
    costs
        For each item the cost of each of its choices, the preferred one first; at least one.
        Whole numbers, so that equal sums are equal.
    links
        For pairs of different items the cost of each combination of their choices, ``[a][b]``; may
        be negative.
    labels
        Names of the choices; for each name, "all items on it" is a start of the search.
    groups
        For groups of different items the costs of combinations of their choices; others cost
        nothing.
    largest_table
        How many entries a table may have for the exact method.
    """
    work = _Work(costs, links, groups or {})
    exact = work.eliminate(largest_table)
    if exact is not None:
        return LeastTime(tuple(exact), work.total(exact) // work.scale, True)
    near = work.eliminate(largest_table, with_groups=False) if groups else None
    found = work.search(labels or [], near)
    return LeastTime(tuple(found), work.total(found) // work.scale, False)


class _Work:
    def __init__(
        self,
        costs: Sequence[Sequence[int]],
        links: Mapping[tuple[int, int], Sequence[Sequence[int]]],
        groups: Mapping[tuple[int, ...], Mapping[tuple[int, ...], int]],
    ) -> None:
        # Indices are added as the last digits of a cost: they decide between equals only.
        self.scale = 1 + sum(len(own) - 1 for own in costs)
        self.costs = [
            [cost * self.scale + index for index, cost in enumerate(own)] for own in costs
        ]
        self.links: list[tuple[int, int, list[list[int]]]] = []
        self.linked: list[list[tuple[int, list[list[int]]]]] = [[] for _ in costs]
        for (a, b), given in links.items():
            table = [[cost * self.scale for cost in row] for row in given]
            self.links.append((a, b, table))
            self.linked[a].append((b, table))
            self.linked[b].append((a, [list(column) for column in zip(*table, strict=True)]))
        self.groups: list[Factor] = []
        self.grouped: list[list[Factor]] = [[] for _ in costs]
        for items, sparse in groups.items():
            group = items, {choice: cost * self.scale for choice, cost in sparse.items()}
            self.groups.append(group)
            for item in items:
                self.grouped[item].append(group)

    def total(self, choices: Sequence[int]) -> int:
        own = sum(costs[choice] for costs, choice in zip(self.costs, choices, strict=True))
        linked = sum(table[choices[a]][choices[b]] for a, b, table in self.links)
        return own + linked + sum(_cost_in(group, choices) for group in self.groups)

    def eliminate(self, largest_table: int, *, with_groups: bool = True) -> list[int] | None:
        """The best choices, or None if a table would be too large."""
        factors = _Factors(self.costs)
        for a, b, given in self.links:
            pairs: Table = {(i, j): c for i, row in enumerate(given) for j, c in enumerate(row)}
            factors.put((a, b), pairs)
        for items, table in self.groups if with_groups else ():
            factors.put(items, table)
        steps: list[tuple[int, tuple[int, ...], Table]] = []
        while (item := factors.least_linked()) is not None:
            around = tuple(sorted(factors.neighbours[item]))
            if math.prod(len(self.costs[one]) for one in (item, *around)) > largest_table:
                return None
            own = factors.take_out(item)
            best: Table = {}
            choice: Table = {}
            for state in itertools.product(*(range(len(self.costs[other])) for other in around)):
                at = dict(zip(around, state, strict=True))
                sums = []
                for mine, cost in enumerate(self.costs[item]):
                    at[item] = mine
                    sums.append(cost + sum(_cost_in(factor, at) for factor in own))
                choice[state] = min(range(len(sums)), key=sums.__getitem__)
                best[state] = sums[choice[state]]
            factors.put(around, best)
            steps.append((item, around, choice))
        chosen = [0] * len(self.costs)
        for item, around, choice in reversed(steps):
            chosen[item] = choice[tuple(chosen[other] for other in around)]
        return chosen

    def search(self, labels: Sequence[Sequence[str]], near: list[int] | None) -> list[int]:
        """Local improvement from the preferred choices, ``near``, and each label everywhere."""
        starts = [[0] * len(self.costs)]
        if near is not None:
            starts.append(near)
        for label in dict.fromkeys(itertools.chain.from_iterable(labels)):
            starts.append([own.index(label) if label in own else 0 for own in labels])
        ends = [self._improve(start) for start in starts]
        return min(ends, key=self.total)

    def _improve(self, choices: list[int]) -> list[int]:
        changed = True
        while changed:  # each change lessens the total: this ends
            changed = False
            for item, costs in enumerate(self.costs):
                before, sums = choices[item], []
                for mine, cost in enumerate(costs):
                    choices[item] = mine
                    linked = sum(table[mine][choices[other]] for other, table in self.linked[item])
                    grouped = sum(_cost_in(group, choices) for group in self.grouped[item])
                    sums.append(cost + linked + grouped)
                choices[item] = min(range(len(sums)), key=sums.__getitem__)
                if sums[choices[item]] == sums[before]:
                    choices[item] = before
                changed |= choices[item] != before
        return choices


class _Factors:
    """The tables still to be summed, by item; items with one choice are left out."""

    def __init__(self, costs: Sequence[Sequence[int]]) -> None:
        self._open = {item for item, own in enumerate(costs) if len(own) > 1}
        self._of: dict[int, dict[int, Factor]] = {item: {} for item in self._open}
        self.neighbours: dict[int, set[int]] = {item: set() for item in self._open}
        self._count = 0
        # By number of neighbours; an item whose neighbours changed is in it once more.
        self._heap = [(0, item) for item in sorted(self._open)]

    def put(self, items: tuple[int, ...], table: Mapping[tuple[int, ...], int]) -> None:
        """Add a table."""
        kept = [place for place, item in enumerate(items) if item in self._open]
        if len(kept) < len(items):
            items = tuple(items[place] for place in kept)
            table = {tuple(state[place] for place in kept): cost for state, cost in table.items()}
        self._count += 1
        for item in items:
            self._of[item][self._count] = (items, table)
            self.neighbours[item].update(other for other in items if other != item)
            heapq.heappush(self._heap, (len(self.neighbours[item]), item))

    def least_linked(self) -> int | None:
        """The item with the fewest neighbours, of equals the first; None after the last."""
        while self._heap:
            count, item = heapq.heappop(self._heap)
            if item in self._open and count == len(self.neighbours[item]):
                return item
        return None

    def take_out(self, item: int) -> list[Factor]:
        """Take out an item with all its tables; the caller adds a new one for its neighbours."""
        self._open.remove(item)
        own = self._of.pop(item)
        for number, (items, _) in own.items():
            for other in items:
                if other != item:
                    del self._of[other][number]
        for other in self.neighbours.pop(item):
            self.neighbours[other].discard(item)
            heapq.heappush(self._heap, (len(self.neighbours[other]), other))
        return list(own.values())


def _cost_in(factor: Factor, choices: Sequence[int] | Mapping[int, int]) -> int:
    items, table = factor
    return table.get(tuple(choices[item] for item in items), 0)
