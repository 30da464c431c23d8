# SPDX-License-Identifier: GPL-2.0-only
# demo sets these variables: table and picture (files), format (svg, png).
set datafile separator comma
set encoding utf8
if (format eq "svg") {
	set terminal svg size 1000,520 dynamic noenhanced font "DejaVu Sans,13" background "white"
} else {
	set terminal pngcairo size 1500,780 noenhanced font "DejaVu Sans,15" linewidth 1.5
}
set output picture
set grid linecolor "#dddddd"
set border 3
set tics nomirror
set key top left reverse Left samplen 2
set style data linespoints
set logscale x 2
set xrange [13:80000]
set xtics ("16" 16, "64" 64, "256" 256, "1k" 1024, "4k" 4096, "16k" 16384, "64k" 65536)
set xlabel "block (bytes)"
rows(method) = sprintf("< grep '^demo,%s,' '%s'", method, table)

set multiplot layout 1,2 title "Blocks of random numbers, from /dev/urandom and through ZIO"
set logscale y 10
set ylabel "microseconds per block (1 µs = 1000 instructions)"
plot rows("zio-cat-file") using 3:6 title "zio-cat-file (control and data)" linecolor rgb "#7cc3e0" pointtype 7, \
     rows("dd-zio") using 3:6 title "dd if=/dev/zzero-0-1-data" linecolor rgb "#0b6e99" pointtype 7, \
     rows("zio-cat-mapped") using 3:6 title "zio-cat-file, vmalloc (mapped)" linecolor rgb "#d9730d" pointtype 7, \
     rows("dd-urandom") using 3:6 title "dd if=/dev/urandom" linecolor rgb "#448361" pointtype 7
unset logscale y
set yrange [0:*]
set ylabel "time / time of dd if=/dev/urandom"
set key bottom left
plot rows("zio-cat-file") using 3:7 title "zio-cat-file" linecolor rgb "#7cc3e0" pointtype 7, \
     rows("dd-zio") using 3:7 title "dd zio" linecolor rgb "#0b6e99" pointtype 7, \
     rows("zio-cat-mapped") using 3:7 title "zio-cat-file, vmalloc" linecolor rgb "#d9730d" pointtype 7, \
     1 title "urandom" with lines linecolor rgb "#448361"
unset multiplot
