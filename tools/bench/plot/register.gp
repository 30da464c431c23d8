# SPDX-License-Identifier: GPL-2.0-only
set title "Registering devices of one channel"
set logscale xy
set xlabel "devices"
set ylabel "instructions, millions"
set style data linespoints
plot rows("insmod") using 10:($5 * $10 / 1e6) title "insmod" linecolor rgb blue pointtype 7, \
     rows("rmmod") using 10:($5 * $10 / 1e6) title "rmmod" linecolor rgb green pointtype 7, \
     before("register", "insmod") using 4:($5 / 1e6) title "insmod, ZIO 1.1" linecolor rgb old dashtype 2 pointtype 6
