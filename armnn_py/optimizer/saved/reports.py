# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The reports of a saved network, read when somebody asks for them: what is run needs none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from armnn_py.optimizer.reports.report_layer import LayerAssignment
from armnn_py.optimizer.run_passes import PassRecord
from armnn_py.optimizer.saved.archive import damage_in
from armnn_py.optimizer.saved.values import member, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class SavedReports:
    """The reports of a saved network on its layers and passes.

    Parameters
    ----------
    path
        The file, for errors.
    text
        The member that has the reports, copied: the file may be gone when somebody asks.
    """

    def __init__(self, path: str, text: bytes) -> None:
        self._path = path
        self._text = text
        self._document: dict[str, Any] | None = None

    def assignment(self) -> tuple[LayerAssignment, ...]:
        """The backend of each layer.

        Raises
        ------
        ParseError
            The file is damaged here, as from `passes`.
        """
        with damage_in(self._path):
            items = member(self._read(), "assignment", list, dict)
            return tuple(_assignment(item) for item in items)

    def passes(self) -> tuple[PassRecord, ...]:
        """The changes of each pass."""
        with damage_in(self._path):
            return tuple(
                PassRecord(
                    member(item, "name", str),
                    tuple(member(item, "changes", list, str)),
                    member(item, "enabled", bool),
                )
                for item in member(self._read(), "passes", list, dict)
            )

    def _read(self) -> dict[str, Any]:
        if self._document is None:
            self._document = json.loads(self._text)
        return self._document


def _assignment(item: dict[str, Any]) -> LayerAssignment:
    def text(name: str, *, optional: bool = False) -> Any:
        return None if optional and item.get(name) is None else member(item, name, str)

    def count(name: str) -> int | None:
        return None if item.get(name) is None else number(item[name])

    return LayerAssignment(
        count("guid"),
        text("layer"),
        text("type"),
        text("backend"),
        None,
        text("hint", optional=True),
        tuple(
            (member(refusal, "backend", str), member(refusal, "reason", str))
            for refusal in member(item, "refusals", list)
        ),
        count("part"),
        text("note"),
        text("rule", optional=True),
        member(item, "inserted", bool),
        text("run_by"),
        text("run_as"),
    )


def merged(
    rows: Sequence[LayerAssignment],
    before: Mapping[int, Sequence[LayerAssignment]],
    behind: Sequence[LayerAssignment],
    files: Mapping[str, str | None],
) -> list[LayerAssignment]:
    """The saved rows, with those of the copies and imports that were inserted at load.

    Parameters
    ----------
    rows
        Those of the layers of the user's network.
    before
        By guid: the rows that come before that of the layer.
    behind
        The rows that come last.
    files
        By id: the file of each backend that has layers now.
    """
    waiting = {guid: list(some) for guid, some in before.items()}
    records: list[LayerAssignment] = []
    for row in rows:
        if row.guid is not None:
            records += waiting.pop(row.guid, [])
        file = files.get(row.backend)
        records.append(row if row.file == file else _with_file(row, file))
    for left in waiting.values():
        records += left
    return [*records, *behind]


def _with_file(row: LayerAssignment, file: str | None) -> LayerAssignment:
    """The row with the file of its backend; ``structs.replace`` takes several times as long."""
    return LayerAssignment(
        row.guid, row.layer, row.type, row.backend, file, row.hint, row.refusals, row.part,
        row.note, row.rule, row.inserted, row.run_by, row.run_as,
    )  # fmt: skip
