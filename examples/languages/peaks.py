# SPDX-License-Identifier: LGPL-2.1-or-later
import sys

import numpy as np
from zio_file import ZioFile

next_seq = 0
for block in ZioFile.from_file(sys.argv[1]).blocks:
    control, time = block.control, block.control.tstamp
    lost, next_seq = control.seq_num - next_seq, control.seq_num + 1
    volts = np.frombuffer(block.data, "<i2") * control.scale + control.offset
    print(f"{control.seq_num} {time.secs}.{time.ticks:09} {lost} {volts.max():.4f}")
