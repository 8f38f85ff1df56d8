# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``pytest --armnn-backend=FILE``: a test for each layer and data type of the conformance kit.

It lies beside the package, not in it: every pytest of an environment imports it, and without the
option that brings nothing but the option.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from armnn_py.testing.outcome import Result
    from armnn_py.testing.report import Report

__all__ = ["pytest_addoption", "pytest_collection"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("armnn-py", "conformance of a backend (armnn-py)")
    group.addoption("--armnn-backend", metavar="FILE|ID", help="test this backend")
    group.addoption(
        "--armnn-level", choices=("quick", "full"), default="quick", help="how many cases"
    )
    group.addoption("--armnn-model", metavar="FILE", help="test the layers of this model instead")
    group.addoption(
        "--armnn-reference", metavar="OPERATOR=MODULE:FUNCTION", action="append", default=[],
        help="computes an operator of the model without a layer, repeatable",
    )  # fmt: skip
    group.addoption("--armnn-expect", metavar="FILE.toml", help="known failures and refusals")


@pytest.hookimpl(hookwrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collect the tests of the backend beside those of the files."""
    yield
    backend = session.config.getoption("--armnn-backend")
    if backend is None:
        return
    found = _Kit.from_parent(session, name=f"armnn-py:{backend}")
    items = list(found.collect())
    session.config.hook.pytest_collection_modifyitems(
        session=session, config=session.config, items=items
    )
    session.items.extend(items)
    session.testscollected = len(session.items)


class _Kit(pytest.Collector):
    """Runs the kit when its first test runs."""

    _report: Report | None = None

    def collect(self) -> Iterator[pytest.Item]:
        """Give a test for loading, one for each layer of a data type, and one for networks.

        The layers of a model are known when it was imported: one test stands for all of them.
        """
        if self.config.getoption("--armnn-model") is not None:
            yield _KitItem.from_parent(self, name="model", key=None)
            return
        from armnn_py.testing.cases import all_cases

        level = self.config.getoption("--armnn-level")
        names = dict.fromkeys(
            (case.layer.label, case.type.label) for case in all_cases(level, seed=0)
        )
        for layer, data_type in (("", ""), *names):
            yield _KitItem.from_parent(
                self, name=f"{layer}[{data_type}]" if layer else "backend", key=(layer, data_type)
            )

    def report(self) -> Report:
        """Return what the kit found; the first call runs it."""
        if self._report is None:
            from armnn_py.testing import check_conformance

            self._report = check_conformance(
                self.config.getoption("--armnn-backend"),
                level=self.config.getoption("--armnn-level"),
                expect=self.config.getoption("--armnn-expect"),
                model=self.config.getoption("--armnn-model"),
                references=dict(
                    one.split("=", 1) for one in self.config.getoption("--armnn-reference")
                ),
            )
        return self._report


class _KitItem(pytest.Item):
    """A layer of a data type; of the backend as a whole both are empty; None: a model."""

    parent: _Kit

    def __init__(self, *, key: tuple[str, str] | None, **others: Any) -> None:
        super().__init__(**others)
        self.key = key

    def runtest(self) -> None:
        """Look the results up."""
        report = self.parent.report()
        own = [
            result
            for result in report.results
            if self.key is None or (result.layer, result.type) == self.key
        ]
        names = {(result.case, result.group) for result in own}
        wrong = [change for change in report.changes if (change.case, change.group) in names]
        if self.key in (None, ("", "")):  # entries of known results that nothing is like any more
            every = {(result.case, result.group) for result in report.results}
            wrong += [one for one in report.changes if (one.case, one.group) not in every]
        if wrong:
            lines = [f"{one.outcome}: {one.case} ({one.group}): {one.message}" for one in wrong]
            pytest.fail("\n".join(lines), pytrace=False)
        refused = [result for result in own if result.outcome == "refused"]
        if own and len(refused) == len(own):
            pytest.skip(_reason(refused))

    def reportinfo(self) -> tuple[str, None, str]:
        """Say where the test comes from."""
        return self.parent.name, None, self.name


def _reason(refused: list[Result]) -> str:
    return f"refused: {refused[0].message}"
