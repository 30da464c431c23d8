# SPDX-License-Identifier: GPL-2.0-only
set title "Memory of what is idle"
set style data histogram
set style histogram clustered gap 1
set ylabel "KiB each"
set yrange [0:*]
set key top right
set xtics nomirror
plot sprintf("< awk -F, '$9 == \"icount\"' '%s'", table) using 11:xtic(2) title "measured" linecolor rgb blue, \
     "" using 12 title "ZIO 1.1" linecolor rgb old
