# SPDX-License-Identifier: GPL-2.0-only
# After B. LaHaise's figures of 2001: the goal was 1 % over read() from 64 KiB on.
set title "A fixed volume from zio-zero, blocks of 4096 bytes: what other interfaces cost over read()"
small(method) = sprintf("< awk -F, '$2 == \"%s\" && $9 == \"icount\" && $10 == 4096' '%s'", method, table)
set xlabel "log2 of the request (bytes)"
set ylabel "instructions over those of read(), percent"
set logscale y
set yrange [0.03:*]
set xrange [8.7:23.3]
set xtics 9, 1, 23
set key top right
set style data linespoints
log2(x) = log(x) / log(2)
above(y) = y > 0 ? y : NaN
set arrow from 16,1 to 23.3,1 nohead linecolor rgb old linewidth 2
set label "goal: 1 %" at 23.2,1.25 right textcolor rgb old
plot small("threads") using (log2($3)):(above($13)) title "a second thread" linecolor rgb orange pointtype 7, \
     small("uring-async") using (log2($3)):(above($13)) title "io_uring, forced on a worker" linecolor rgb purple pointtype 7, \
     small("libaio") using (log2($3)):(above($13)) title "libaio" linecolor rgb grey pointtype 7, \
     small("poll+read") using (log2($3)):(above($13)) title "poll + read" linecolor rgb green pointtype 7, \
     small("uring") using (log2($3)):(above($13)) title "io_uring READ" linecolor rgb light pointtype 7, \
     small("uring-fixed") using (log2($3)):(above($13)) title "io_uring READ_FIXED" linecolor rgb blue pointtype 7, \
     small("uring-batch") using (log2($3)):(above($13)) title "io_uring READ, 16 at once" linecolor rgb light dashtype 2 pointtype 6, \
     small("preadv2") using (log2($3)):(above($13)) title "preadv2" linecolor rgb old pointtype 6
