# SPDX-License-Identifier: GPL-2.0-only
set multiplot layout 1,2 title "64 MiB of zeros in blocks: copied, dropped, mapped"
set logscale xy
set logscale x 2
set xtics ("4k" 4096, "16k" 16384, "64k" 65536, "256k" 262144, "1M" 1048576, "4M" 4194304)
set xlabel "block (bytes)"
set ylabel "microseconds per block (1 us = 1000 instructions)"
set style data linespoints
plot rows("read-touch") using 3:6 title "read, every byte used" linecolor rgb old pointtype 7, \
     rows("read") using 3:6 title "read" linecolor rgb orange pointtype 7, \
     rows("splice") using 3:6 title "splice to a pipe, and on" linecolor rgb green pointtype 7, \
     rows("mmap-touch") using 3:6 title "mapped, every byte used" linecolor rgb purple pointtype 7, \
     rows("mmap") using 3:6 title "mapped, control by read" linecolor rgb blue pointtype 7, \
     rows("ring") using 3:6 title "mapped, control ring" linecolor rgb light pointtype 7, \
     rows("drop") using 3:6 title "dropped" linecolor rgb grey pointtype 7
unset logscale y
set yrange [0:*]
set ylabel "instructions per KiB"
set key top right
plot rows("read-touch") using 3:($5/$3*1024) title "read, every byte used" linecolor rgb old pointtype 7, \
     rows("read") using 3:($5/$3*1024) title "read" linecolor rgb orange pointtype 7, \
     rows("splice") using 3:($5/$3*1024) title "splice to a pipe, and on" linecolor rgb green pointtype 7, \
     rows("mmap-touch") using 3:($5/$3*1024) title "mapped, every byte used" linecolor rgb purple pointtype 7, \
     rows("mmap") using 3:($5/$3*1024) title "mapped, control by read" linecolor rgb blue pointtype 7, \
     rows("ring") using 3:($5/$3*1024) title "mapped, control ring" linecolor rgb light pointtype 7, \
     rows("drop") using 3:($5/$3*1024) title "dropped" linecolor rgb grey pointtype 7
unset multiplot
