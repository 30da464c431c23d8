# SPDX-License-Identifier: LGPL-2.1-or-later
import numpy as np
import zio

with zio.open("many.zio", create=True) as out:
    for n in range(10_000):
        out.write(np.arange(16, dtype=np.uint16))

sums = 0.0
missing = 0
with zio.open("many.zio") as ch:
    for batch in ch.batches(1024):
        sums += float(np.sum(batch.data))
        missing += int(batch.lost.sum())
        first, last = batch.time_ns[0], batch.time_ns[-1]
        numbers = batch.controls["seq_num"]
print(sums, missing, numbers[-1])
