# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One choice for each item so that the sum of costs of items and of linked pairs is least.

Exact by eliminating one item after the other (bucket elimination, R. Dechter 1999: dynamic
programming, on a chain just that of Viterbi) as long as its tables stay small, as on chains, trees
and residual blocks. Where items are linked more densely, each item in turn takes what is best given
its neighbours, from several starts, until nothing changes; the best end is taken, which is never
worse than the first start: the preferred choices.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LeastTime", "least_time"]

_LARGEST_TABLE = 4096

Table: TypeAlias = "dict[tuple[int, ...], int]"


@dataclass(frozen=True, slots=True)
class LeastTime:
    """The choice made for each item.

    Attributes
    ----------
    choices
        Index of the choice of each item.
    cost
        The sum of all costs.
    is_exact
        Whether no choices cost less, or only nothing better was found.
    """

    choices: tuple[int, ...]
    cost: int
    is_exact: bool


def least_time(
    costs: Sequence[Sequence[int]],
    links: Mapping[tuple[int, int], Sequence[Sequence[int]]],
    labels: Sequence[Sequence[str]] | None = None,
    *,
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
        What the choices are called: "all items on the same label" are starts of the search.
    largest_table
        How many entries a table may have for the exact method.
    """
    work = _Work(costs, links)
    exact = work.eliminate(largest_table)
    if exact is not None:
        return LeastTime(tuple(exact), work.total(exact) // work.scale, True)
    found = work.search(labels or [])
    return LeastTime(tuple(found), work.total(found) // work.scale, False)


class _Work:
    def __init__(
        self,
        costs: Sequence[Sequence[int]],
        links: Mapping[tuple[int, int], Sequence[Sequence[int]]],
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

    def total(self, choices: Sequence[int]) -> int:
        own = sum(costs[choice] for costs, choice in zip(self.costs, choices, strict=True))
        return own + sum(table[choices[a]][choices[b]] for a, b, table in self.links)

    def eliminate(self, largest_table: int) -> list[int] | None:
        """The best choices, or None if a table would be too large."""
        factors: dict[int, list[tuple[tuple[int, ...], Table]]] = {
            item: [] for item in range(len(self.costs))
        }

        def put(items: tuple[int, ...], table: Table) -> None:
            for item in items:
                factors[item].append((items, table))

        for a, b, given in self.links:
            put((a, b), {(i, j): c for i, row in enumerate(given) for j, c in enumerate(row)})
        steps: list[tuple[int, tuple[int, ...], Table]] = []
        while factors:
            item = min(factors, key=lambda i: (len(_neighbours(i, factors[i])), i))
            own = factors.pop(item)
            around = _neighbours(item, own)
            size = len(self.costs[item])
            for other in around:
                size *= len(self.costs[other])
            if size > largest_table:
                return None
            best: Table = {}
            choice: Table = {}
            for state in itertools.product(*(range(len(self.costs[other])) for other in around)):
                at = dict(zip(around, state, strict=True))
                sums = []
                for mine, cost in enumerate(self.costs[item]):
                    at[item] = mine
                    sums.append(cost + sum(t[tuple(at[i] for i in items)] for items, t in own))
                choice[state] = min(range(len(sums)), key=sums.__getitem__)
                best[state] = sums[choice[state]]
            for other in around:
                factors[other] = [f for f in factors[other] if item not in f[0]]
            put(around, best)
            steps.append((item, around, choice))
        chosen = [0] * len(self.costs)
        for item, around, choice in reversed(steps):
            chosen[item] = choice[tuple(chosen[other] for other in around)]
        return chosen

    def search(self, labels: Sequence[Sequence[str]]) -> list[int]:
        """Local improvement from the preferred choices and from each label everywhere."""
        starts = [[0] * len(self.costs)]
        for label in dict.fromkeys(itertools.chain.from_iterable(labels)):
            starts.append([own.index(label) if label in own else 0 for own in labels])
        ends = [self._improve(start) for start in starts]
        return min(ends, key=self.total)

    def _improve(self, choices: list[int]) -> list[int]:
        changed = True
        while changed:  # each change lessens the total: this ends
            changed = False
            for item, costs in enumerate(self.costs):
                sums = [
                    cost + sum(table[mine][choices[other]] for other, table in self.linked[item])
                    for mine, cost in enumerate(costs)
                ]
                best = min(range(len(sums)), key=sums.__getitem__)
                if sums[best] < sums[choices[item]]:
                    choices[item] = best
                    changed = True
        return choices


def _neighbours(item: int, factors: Sequence[tuple[tuple[int, ...], Table]]) -> tuple[int, ...]:
    found = {other for items, _ in factors for other in items}
    return tuple(sorted(found - {item}))
