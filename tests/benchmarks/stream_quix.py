"""The bare copy by Quix Streams, exactly once: run by a Python that has it, with nothing of ours.

Arguments: bootstrap, source topic, target topic, consumer group, records. Prints what the whole process took.
"""

from __future__ import annotations

import json
import resource
import sys

from quixstreams import Application


def copy(bootstrap: str, source: str, target: str, group: str, count: int) -> None:
    """Copies so many records, a transaction each 500, with the client settings that our own copy has."""
    application = Application(
        broker_address=bootstrap,
        consumer_group=group,
        auto_offset_reset="earliest",
        processing_guarantee="exactly-once",
        commit_every=500,
        auto_create_topics=False,
        loglevel="ERROR",
        consumer_extra_config={"fetch.queue.backoff.ms": 10, "queued.max.messages.kbytes": 16_384},
        producer_extra_config={"compression.type": "lz4", "linger.ms": 5, "partitioner": "murmur2_random"},
    )
    read = application.topic(source, key_deserializer="bytes", value_deserializer="bytes")
    written = application.topic(target, key_serializer="bytes", value_serializer="bytes")
    application.dataframe(read).to_topic(written)
    application.run(count=count, timeout=120)


if __name__ == "__main__":
    copy(*sys.argv[1:5], int(sys.argv[5]))
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"cpu_s": used.ru_utime + used.ru_stime}))
