# SPDX-License-Identifier: LGPL-2.1-or-later
import zio

channel = zio.find("zzero/0/2")
channel["unit"], channel["scale"] = "V", "0.00125"
with channel.open() as ch:
    for block in ch:
        if block.unit:
            break
    print(block.values()[:3].round(4), block.unit)
