# SPDX-License-Identifier: GPL-2.0-only
# kafka_bench sets these variables: table and picture (files).
set encoding utf8
set terminal pngcairo size 1200,480 noenhanced font "DejaVu Sans,12"
set output picture
set style data histograms
set style fill solid border -1
set boxwidth 0.9
set grid ytics linecolor "#dddddd"
set border 3
set tics nomirror
set key outside above reverse Left samplen 2 maxcols 2
set yrange [0:*]
set xlabel "samples of a block (bytes)"
set multiplot layout 1,2
set style histogram clustered gap 1
set ylabel "MB/s, with controls"
plot table using 2:xtic(1) title "zio-kafka put" linecolor rgb "#0b6e99", \
     "" using 3 title "librdkafka, a block in a message" linecolor rgb "#d9730d", \
     "" using 4 title "librdkafka, 512 KiB" linecolor rgb "#e8b27a", \
     "" using 5 title "kcat" linecolor rgb "#448361"
set style histogram rowstacked
set ylabel "ns of a processor per byte, zio-kafka put"
plot table using 7:xtic(1) title "read and collect" linecolor rgb "#0b6e99", \
     "" using ($6-$7) title "librdkafka and network" linecolor rgb "#d9730d"
unset multiplot
