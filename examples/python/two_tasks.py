# SPDX-License-Identifier: LGPL-2.1-or-later
import asyncio

import zio


async def show(name: str) -> None:
    with zio.open(name) as ch:
        async for block in ch:
            print(name, block.seq, block.data[0])
            if block.seq >= 5:
                break


async def main() -> None:
    await asyncio.gather(show("zzero-0-0"), show("zzero-0-2"))


asyncio.run(main())
