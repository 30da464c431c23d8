# SPDX-License-Identifier: GPL-2.0-only
set multiplot layout 1,2 title "The recipe of the 2012 wiki: a random channel, dd and zio-cat-file"
set logscale x 2
set logscale y 10
set xtics ("16" 16, "64" 64, "256" 256, "1k" 1024, "4k" 4096, "16k" 16384, "64k" 65536)
set xlabel "block (bytes)"
set ylabel "microseconds per block (1 us = 1000 instructions)"
set style data linespoints
plot rows("zio-cat-file") using 3:6 title "zio-cat-file" linecolor rgb light pointtype 7, \
     rows("cat-ring") using 3:6 title "zio-cat-file, ring" linecolor rgb orange pointtype 7, \
     rows("dd-zio") using 3:6 title "dd zio" linecolor rgb blue pointtype 7, \
     rows("dd-null-random") using 3:6 title "dd null pipe" linecolor rgb purple pointtype 7, \
     rows("dd-urandom") using 3:6 title "dd /dev/urandom" linecolor rgb green pointtype 7, \
     rows("dd-zero") using 3:6 title "dd /dev/zero" linecolor rgb grey pointtype 7

unset logscale y
set yrange [0:2.2]
set ylabel "time / time of dd if=/dev/urandom"
set key top right
ratio_before(m) = sprintf("< awk -F, '$1 == \"wiki\" && $2 == \"dd-urandom\" { u[$3] = $5 } $1 == \"wiki\" && $2 == \"%s\" { m[$3] = $5 } END { for (s in m) print s \",\" m[s] / u[s] }' '%s' | sort -n", m, reference)
plot rows("zio-cat-file") using 3:7 title "zio-cat-file" linecolor rgb light pointtype 7, \
     rows("cat-ring") using 3:7 title "zio-cat-file, ring" linecolor rgb orange pointtype 7, \
     rows("dd-zio") using 3:7 title "dd zio" linecolor rgb blue pointtype 7, \
     rows("dd-null-random") using 3:7 title "dd null pipe" linecolor rgb purple pointtype 7, \
     ratio_before("zio-cat-file") using 1:2 title "zio-cat-file, ZIO 1.1" linecolor rgb grey dashtype 2 pointtype 6, \
     ratio_before("dd-zio") using 1:2 title "dd zio, ZIO 1.1" linecolor rgb old dashtype 2 pointtype 6, \
     1 notitle with lines linecolor rgb green
unset multiplot
