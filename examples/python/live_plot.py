# SPDX-License-Identifier: LGPL-2.1-or-later
import matplotlib.pyplot as plt
import zio

(line,) = plt.plot([])
with zio.live.watch("zzero-0-2") as live:
    while plt.fignum_exists(1):
        if block := live.newest(timeout=0.1):
            line.set_data(range(len(block)), block.values())
            line.axes.relim()
            line.axes.autoscale_view()
        plt.title(f"{live.state}, {live.lost} blocks lost")
        plt.pause(0.02)
