# SPDX-License-Identifier: LGPL-2.1-or-later
import numpy as np
import zio

with zio.acquire("zzero-0-2", trigger="hrt", period=0.01, nsamples=1000) as ch:
    for block in ch.take(10):
        print(block.time, block.lost, np.mean(block))
