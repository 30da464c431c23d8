# SPDX-License-Identifier: LGPL-2.1-or-later
import numpy as np
import zio

with zio.open("run.zio", create=True) as out:
    for n in range(0, 100, 3):
        control = zio.make_control("adc-0-1", 1 + n / 100, "V", 0.001, rate=1600, seq=n)
        out.write(np.arange(16, dtype=np.int16), control)

volts = zio.load("run.zio", channel="adc-0-1")
print(volts.max().item(), volts.attrs["units"])
print(len(volts), "samples,", volts.isnull().sum().item(), "are NaN")
print(volts.attrs["account"])
