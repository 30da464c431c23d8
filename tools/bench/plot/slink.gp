# SPDX-License-Identifier: GPL-2.0-only
# After the figures of the page of S-Link Driver for Linux (Nikhef 2000).
set multiplot layout 2,2 title "Events of an emulated S-LINK card, 100 buffers"
some(method, load) = sprintf("< awk -F, '$2 == \"%s\" && $11 == \"%s\" && $9 == \"icount\" && $10 == 100' '%s'", method, load, table)
sld(buffers) = sprintf("< awk -F, '$1 == \"slink\" && $2 == \"raw\" && $4 == %d' '%s'", buffers, reference)
set style data linespoints
set logscale x
set xtics ("5" 5, "20" 20, "100" 100, "500" 500, "2k" 2000, "10k" 10000, "50k" 50000, "262k" 262144)
set xlabel "words of an event"
set ylabel "MB/s"
set yrange [0:*]
set key bottom right
plot some("ring", "raw") using 3:($7*1024/1e6) title "ring" linecolor rgb blue pointtype 7, \
     some("ring", "check") using 3:($7*1024/1e6) title "ring, every word checked" linecolor rgb light pointtype 6, \
     some("read", "raw") using 3:($7*1024/1e6) title "read" linecolor rgb orange pointtype 7, \
     some("read", "check") using 3:($7*1024/1e6) title "read, every word checked" linecolor rgb old pointtype 6, \
     sld(100) using 3:($6*1024/1e6) with points title "SLD, PIII 700 MHz" linecolor rgb grey pointtype 5
set logscale y
set yrange [*:*]
set ylabel "events per second"
set key top right
plot some("ring", "raw") using 3:8 title "ring" linecolor rgb blue pointtype 7, \
     some("read", "raw") using 3:8 title "read" linecolor rgb orange pointtype 7, \
     sld(100) using 3:($6*1024/$3/4) with points title "SLD, 100 buffers" linecolor rgb grey pointtype 5, \
     sld(1000) using 3:($6*1024/$3/4) with points title "SLD, 1000 buffers" linecolor rgb grey pointtype 4
unset logscale y
set yrange [0:100]
set ylabel "percent of the CPU that are idle"
set key top left
plot some("ring", "raw") using 3:14 title "ring" linecolor rgb blue pointtype 7, \
     some("ring", "check") using 3:14 title "ring, every word checked" linecolor rgb light pointtype 6, \
     some("read", "raw") using 3:14 title "read" linecolor rgb orange pointtype 7, \
     some("read", "check") using 3:14 title "read, every word checked" linecolor rgb old pointtype 6
unset logscale x
set xtics 1016, 4, 1044
set xrange [1016:1044]
set yrange [0:12]
set ylabel "per event"
set y2range [0:*]
set y2tics
set border 11
set y2label "MB/s"
set key top left
plot some("page-read", "raw") using 3:18 title "words by the CPU" linecolor rgb purple pointtype 7, \
     some("page-read", "raw") using 3:19 title "transfers" linecolor rgb blue pointtype 7, \
     some("page-read", "raw") using 3:16 title "interrupts" linecolor rgb orange pointtype 6, \
     some("page-read", "raw") using 3:($7*1024/1e6) axes x1y2 title "MB/s (right)" linecolor rgb grey pointtype 5
unset multiplot
