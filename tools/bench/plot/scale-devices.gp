# SPDX-License-Identifier: GPL-2.0-only
set title "Cost of a block of 16 bytes beside other devices"
set logscale x
set xtics (1, 10, 50, 100, 200)
set xlabel "devices"
set ylabel "instructions per block"
set yrange [0:*]
set key center right
set style data linespoints
plot rows("ctrl+read-last") using 10:5 title "control + read, last device" linecolor rgb light pointtype 7, \
     rows("read-last") using 10:5 title "read, last device" linecolor rgb blue pointtype 7, \
     rows("read-first") using 10:5 title "read, first device" linecolor rgb green pointtype 6, \
     2975 title "read, ZIO 1.1, one device" with lines linecolor rgb old dashtype 2, \
     3974 title "control + read, ZIO 1.1, one device" with lines linecolor rgb orange dashtype 2
