# SPDX-License-Identifier: LGPL-2.1-or-later
import numpy as np
import zio

with zio.open("run.zio", create=True) as out:
    for n in range(100):
        samples = np.arange(16, dtype=np.int16) + n
        control = zio.make_control("adc-0-1", seq=n, unit="V", scale=0.001, rate=1000)
        out.write(samples, control)

with zio.open("run.zio") as ch:
    print(max(block.values().max() for block in ch), "V")
    print(ch.stats)
