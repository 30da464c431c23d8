# SPDX-License-Identifier: GPL-2.0-only
set title "Zeros by way of other frameworks: acquisition and read of a block"
set logscale xy
set logscale x 2
set xtics ("16 bytes" 16, "1 KiB" 1024, "64 KiB" 65536)
set xrange [8:131072]
set xlabel "block"
set ylabel "instructions per block"
set key top left
set style data linespoints
plot rows("iio-trigger-1") using 3:5 title "IIO, a trigger and a scan for each sample" linecolor rgb old pointtype 6, \
     rows("iio-1") using 3:5 title "IIO, a scan for each sample" linecolor rgb orange pointtype 6, \
     rows("comedi") using 3:5 title "Comedi, comedi_test (16 bits)" linecolor rgb purple pointtype 7, \
     rows("iio-trigger-64") using 3:5 title "IIO, a trigger for each scan of 64 samples" linecolor rgb old pointtype 7, \
     rows("iio-64") using 3:5 title "IIO, scans of 64 samples" linecolor rgb orange pointtype 7, \
     rows("zio-ctrl") using 3:5 title "ZIO, control + data" linecolor rgb light pointtype 7, \
     rows("zio") using 3:5 title "ZIO, data" linecolor rgb blue pointtype 7, \
     rows("null-zero") using 3:5 title "null pipe" linecolor rgb grey pointtype 7
