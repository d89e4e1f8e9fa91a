"""The metrics of several processes on one page. It must never add figures up: each series says whose it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

PROC = "proc"


def merged(pages: Mapping[int, bytes]) -> bytes:
    """The pages of these processes, in Prometheus's text format, as one: every series with the label `proc`."""
    families: dict[str, Family] = {}
    for proc, page in pages.items():
        for read in text_string_to_metric_families(page.decode()):
            family = families.setdefault(read.name, Family(read.name, read.documentation, read.type))
            family.samples += [sample._replace(labels={**sample.labels, PROC: str(proc)}) for sample in read.samples]
    registry = CollectorRegistry()
    registry.register(_Read(families))
    return generate_latest(registry)


class _Read(Collector):
    """Families as they were read."""

    def __init__(self, families: Mapping[str, Family]) -> None:
        self._families = families

    def collect(self) -> Iterator[Family]:
        """All of them."""
        return iter(self._families.values())
