# SPDX-License-Identifier: GPL-2.0-only
# Left: what each way costs at 16 bytes. Right: how it grows with the block.
bars = "dev-zero null-zero bulk read read-random ctrl ctrl+read poll+read write"
pick(list) = sprintf("< for m in %s; do awk -F, -v m=$m '$2 == m && $3 == 16 && $9 == \"icount\"' '%s'; done", list, table)

set multiplot layout 1,2 title "The pipeline in an in-process loop: one channel, user trigger, kmalloc buffer"
set style data histogram
set style histogram clustered gap 1
set ylabel "instructions per block of 16 bytes"
set xtics rotate by -35 left
set yrange [0:*]
plot pick(bars) using 5:xtic(2) title "measured" linecolor rgb blue, \
     "" using 12 title "ZIO 1.1" linecolor rgb old

set style data linespoints
set logscale xy 2
set logscale y 10
set yrange [*:*]
unset xtics
set xtics nomirror norotate ("16" 16, "64" 64, "256" 256, "1k" 1024, "4k" 4096, "16k" 16384, "64k" 65536)
set xlabel "block (bytes)"
set ylabel "instructions per block"
plot rows("ctrl+read") using 3:5 title "control + read" linecolor rgb light pointtype 7, \
     rows("read") using 3:5 title "read" linecolor rgb blue pointtype 7, \
     rows("write") using 3:5 title "write" linecolor rgb green pointtype 7, \
     rows("null-zero") using 3:5 title "null pipe" linecolor rgb purple pointtype 7, \
     rows("dev-zero") using 3:5 title "/dev/zero" linecolor rgb grey pointtype 7, \
     before("pipeline", "read") using 3:5 title "read, ZIO 1.1" linecolor rgb old dashtype 2 pointtype 6, \
     before("pipeline", "ctrl+read") using 3:5 title "control + read, ZIO 1.1" linecolor rgb orange dashtype 2 pointtype 6
unset multiplot
