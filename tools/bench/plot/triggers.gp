# SPDX-License-Identifier: GPL-2.0-only
# Above: what events cost, and how many there can be. Below: when they come.
sets(method, n) = sprintf("< awk -F, '$2 == \"%s\" && $10 == %d && $9 == \"icount\"' '%s' | sort -t, -k3n", method, n, table)
set multiplot layout 2,2 title "Triggers: 1 to 100 channel sets, blocks of 16 bytes"
set style data linespoints
set logscale xy
set xtics (1, 2, 10, 100)
set xrange [0.8:130]
set xlabel "channel sets"
set ylabel "instructions per event"
plot rows("hrt-own-store") using 10:5 title "each its own hrt" linecolor rgb old pointtype 7, \
     rows("hrt-shared-read") using 10:5 title "one shared hrt, and reads" linecolor rgb light pointtype 7, \
     rows("hrt-shared-store") using 10:5 title "one shared hrt" linecolor rgb blue pointtype 7, \
     rows("iio-hrtimer-store") using 10:5 title "IIO, hrtimer and dummy" linecolor rgb orange pointtype 6

set ylabel "events per second without loss"
set key bottom left
plot rows("rate-hrt-shared-ring") using 10:(1e9 / $5) title "one shared hrt, rings" linecolor rgb green pointtype 7, \
     rows("rate-hrt-shared-read") using 10:(1e9 / $5) title "one shared hrt, reads" linecolor rgb light pointtype 7, \
     rows("rate-hrt-own-read") using 10:(1e9 / $5) title "each its own hrt, reads" linecolor rgb old pointtype 7, \
     rows("rate-iio-hrtimer-read") using 10:(1e9 / $5) title "IIO, reads" linecolor rgb orange pointtype 6, \
     before("triggers", "rate-hrt-shared-read") using 4:(1e9 / $5) title "ZIO 1.1" with points linecolor rgb grey pointtype 6 pointsize 1.5

# Ten bins a decade: of 100 timers each has times of its own.
bin(ns) = 10 ** (floor(10 * log10(ns / 1000.0)) / 10.0)
set key top right
set xtics autofreq
set xrange [0.3:1000]
set yrange [0.5:1e6]
set xlabel "hrt: time stamp after the tick, us"
set ylabel "blocks"
plot sets("jitter-hrt-shared", 1) using (bin($3)):4 smooth frequency title "1 set" linecolor rgb blue pointtype 7, \
     sets("jitter-hrt-shared", 10) using (bin($3)):4 smooth frequency title "10 share one" linecolor rgb green pointtype 7, \
     sets("jitter-hrt-shared", 100) using (bin($3)):4 smooth frequency title "100 share one" linecolor rgb purple pointtype 7, \
     sets("jitter-hrt-own", 100) using (bin($3)):4 smooth frequency title "100, each its own" linecolor rgb old pointtype 6
unset logscale x
set xrange [0:*]
set yrange [0.5:*]
set xlabel "timer: time stamp after the jiffy, us"
plot sets("jitter-timer-shared", 1) using ($3 / 1000):4 title "1 set" linecolor rgb blue pointtype 7, \
     sets("jitter-timer-shared", 10) using ($3 / 1000):4 title "10 share one" linecolor rgb green pointtype 7, \
     sets("jitter-timer-shared", 100) using ($3 / 1000):4 title "100 share one" linecolor rgb purple pointtype 7
unset multiplot
