# SPDX-License-Identifier: LGPL-2.1-or-later
import sys

import uproot

with uproot.open(sys.argv[1]) as file:
    tree = file["adc-0000-0-1"]
    for block in tree.arrays():
        secs, ns = divmod(block.time_ns, 10**9)
        print(f"{block.seq} {secs}.{ns:09} {block.lost} {max(block['values']):.4f}")
