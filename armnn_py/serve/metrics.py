# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Counters of the server for Prometheus."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from armnn_py.isolation.events import WorkerEvent
from armnn_py.runtime.events import ShadowEvent

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_MODEL = ("model", "version")


class Metrics:
    """Histograms and counters, in a registry of their own.

    Parameters
    ----------
    gauges
        Called for each scrape: name, help and the value for each set of labels.
    """

    def __init__(self, gauges: Callable[[], Iterable[Metric]]) -> None:
        self._registry = registry = CollectorRegistry()
        registry.register(_Gauges(gauges))
        self._requests = Counter(
            "armnn_requests", "Requests by their end", (*_MODEL, "protocol", "status"),
            registry=registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "armnn_request_seconds", "Time of a request in the server", (*_MODEL, "protocol"),
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._queue = Histogram(
            "armnn_queue_seconds", "Time of the oldest request of a run in the queue", _MODEL,
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._runs = Histogram(
            "armnn_run_seconds", "Time of a run", (*_MODEL, "backends"),
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._rows = Histogram(
            "armnn_batch_rows", "Rows of a run", _MODEL,
            buckets=(1, 2, 4, 8, 16, 32, 64, 128), registry=registry,
        )  # fmt: skip
        self._fallbacks = Counter(
            "armnn_fallbacks", "Runs that another backend answered, since one was lost", _MODEL,
            registry=registry,
        )  # fmt: skip

        self._workers = Counter(
            "armnn_worker_events", "Events of isolated backends: ended, restarted, abandoned",
            ("backend", "kind"), registry=registry,
        )  # fmt: skip

    def worker_event(self, event: WorkerEvent | ShadowEvent) -> None:
        """Count an event of the runtime."""
        self._workers.labels(event.backend, event.kind).inc()

    def answered(
        self, model: str, version: str, protocol: str, status: str, seconds: float
    ) -> None:
        """Count a request."""
        self._requests.labels(model, version, protocol, status).inc()
        self._seconds.labels(model, version, protocol).observe(seconds)

    def runs_of(
        self, model: str, version: str, backends: Callable[[], str]
    ) -> Callable[[int, float, float, bool], None]:
        """Return what counts the runs of a model; see `Batcher`.

        ``backends`` is called after the first run: free dimensions have none before.
        """
        queue = self._queue.labels(model, version)
        of_backends: list[Histogram] = []
        sizes = self._rows.labels(model, version)
        fallbacks = self._fallbacks.labels(model, version)

        def seen(rows: int, waited: float, seconds: float, degraded: bool) -> None:
            queue.observe(waited)
            if not of_backends:
                of_backends.append(self._runs.labels(model, version, backends()))
            of_backends[0].observe(seconds)
            sizes.observe(rows)
            if degraded:
                fallbacks.inc()

        return seen

    def text(self) -> bytes:
        """Return everything in Prometheus' format; of several workers the sum of the counters."""
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)


class _Gauges(Collector):
    """Values that are read when they are asked for."""

    def __init__(self, read: Callable[[], Iterable[Metric]]) -> None:
        self._read = read

    def collect(self) -> Iterable[Metric]:
        return self._read()


def gauge(
    name: str, text: str, labels: tuple[str, ...], rows: Iterable[tuple[tuple[str, ...], float]]
) -> Metric:
    """Return a value for each set of labels."""
    family = GaugeMetricFamily(name, text, labels=labels)
    for of, value in rows:
        family.add_metric(of, value)
    return family
