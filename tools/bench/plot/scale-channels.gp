# SPDX-License-Identifier: GPL-2.0-only
set title "Cost of an event: it fills one block of 16 bytes per enabled channel, each is read"
set xtics (1, 2, 4, 8, 16)
set xlabel "enabled channels"
set ylabel "instructions per event"
set yrange [0:*]
set xrange [0:17]
set style data linespoints
one = real(system(sprintf("awk -F, '$2 == \"read-all\" && $10 == 1 && $9 == \"icount\" { print $5 }' '%s'", table)))
plot rows("read-all") using 10:($5 * $10) title "measured" linecolor rgb blue pointtype 7, \
     one * x title "one channel, times their number" with lines linecolor rgb grey dashtype 3, \
     before("scale-channels", "read-all") using 4:($5 * $4) title "ZIO 1.1" with points linecolor rgb old pointtype 6 pointsize 1.5
