# SPDX-License-Identifier: GPL-2.0-only
# Given by `bench`: table, reference (files), picture (file), format (svg, png).
set datafile separator comma
set encoding utf8
if (format eq "svg") {
	set terminal svg size 1000,560 dynamic noenhanced font "DejaVu Sans,13" background "white"
} else {
	set terminal pngcairo size 1500,840 noenhanced font "DejaVu Sans,15" linewidth 1.5
}
set output picture
set grid linecolor "#dddddd"
set border 3
set tics nomirror
set key top left reverse Left samplen 2
set style fill solid 0.85 noborder

blue = "#0b6e99"
light = "#7cc3e0"
orange = "#d9730d"
grey = "#8a8a8a"
green = "#448361"
purple = "#6940a5"
old = "#c0392b"

# Rows of one method: those that count instructions, those of ZIO 1.1.
rows(method) = sprintf("< awk -F, '$2 == \"%s\" && $9 == \"icount\"' '%s'", method, table)
before(bench, method) = sprintf("< awk -F, '$1 == \"%s\" && $2 == \"%s\"' '%s'", bench, method, reference)
