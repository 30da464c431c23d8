# SPDX-License-Identifier: LGPL-2.1-or-later
import sys
import tempfile

import zio
from confluent_kafka import Consumer, KafkaException

broker, topic = sys.argv[1:]
start = {"group.id": "readers", "auto.offset.reset": "earliest"}
consumer = Consumer({"bootstrap.servers": broker, **start})
consumer.subscribe([topic])
while message := consumer.poll(30):
    if message.error():
        raise KafkaException(message.error())
    with tempfile.NamedTemporaryFile() as file:
        file.write(message.value())
        file.flush()
        with zio.open(file.name) as channel:
            for block in channel:
                print(block.channel, block.seq, block.values().mean(), flush=True)
