# SPDX-License-Identifier: LGPL-2.1-or-later
import numpy as np
import zio

for name in "one.zio", "two.zio":
    with zio.open(name, create=True) as out:
        for n in range(100):
            control = zio.make_control(name[:3] + "-0-0", time=n, seq=n)
            out.write(np.arange(16, dtype=np.uint16) + n, control)

with zio.group(["one.zio", "two.zio"], limit_ms=100) as group:
    for event in group:
        block = event["one.zio"]
        print(event.time_ns, block and np.sum(block), event.missing)
    print(group.stats)
