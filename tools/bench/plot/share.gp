# SPDX-License-Identifier: GPL-2.0-only
set multiplot layout 1,2 title "From one board to another: a block of zeros, made, moved, played"
some(method, outputs) = sprintf("< awk -F, '$2 == \"%s\" && $9 == \"icount\" && $10 == %d' '%s'", method, outputs, table)
fan(method) = sprintf("< awk -F, '$2 == \"%s\" && $9 == \"icount\" && $3 == 8192' '%s' | sort -t, -n -k10", method, table)
set style data linespoints
set logscale xy
set logscale x 2
set xtics ("512" 512, "2k" 2048, "8k" 8192, "32k" 32768, "128k" 131072, "1M" 1048576)
set xlabel "block (bytes)"
set ylabel "instructions per block, one output"
plot some("rw", 1) using 3:5 title "read, write" linecolor rgb old pointtype 7, \
     some("uring", 1) using 3:5 title "io_uring" linecolor rgb purple pointtype 6, \
     some("splice", 1) using 3:5 title "splice" linecolor rgb green pointtype 7, \
     some("mmap-out", 1) using 3:5 title "read into the mapped output" linecolor rgb grey pointtype 6, \
     some("mmap", 1) using 3:5 title "both mapped" linecolor rgb grey pointtype 7, \
     some("mmap-in", 1) using 3:5 title "mapped input, write" linecolor rgb orange pointtype 7, \
     some("share", 1) using 3:5 title "shared" linecolor rgb blue pointtype 7, \
     some("route", 1) using 3:5 title "route in the kernel" linecolor rgb light pointtype 7, \
     some("drop", 1) using 3:5 title "input alone" linecolor rgb "#cccccc" pointtype 7
unset logscale
set logscale x 2
set xtics (1, 2, 4, 8)
set yrange [0:*]
set xlabel "outputs"
set ylabel "instructions per block of 8 KiB and output"
set key top right
plot fan("rw") using 10:12 title "read, write" linecolor rgb old pointtype 7, \
     fan("mmap-in") using 10:12 title "mapped input, write" linecolor rgb orange pointtype 7, \
     fan("share") using 10:12 title "shared" linecolor rgb blue pointtype 7, \
     fan("route") using 10:12 title "route in the kernel" linecolor rgb light pointtype 7
unset multiplot
