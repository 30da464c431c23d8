# SPDX-License-Identifier: GPL-2.0-only
#
# The table of 2007 beside that of today, and whether sharing is worth it.
# Usage: awk -f share.awk table.csv

# Gilbert 2007, scsi_debug, 50 copies of 8 MiB in blocks of 8 KiB: real, user, sys
function was(i, method, what, real, user, sys)
{
	order[i] = method; what_was[i] = what
	real_was[i] = real; user_was[i] = user; sys_was[i] = sys
}

function cell(value, format) { return value == "" ? "-" : sprintf(format, value) }

function for_each_output(m, n)
{
	return insn[m, 8192, n] == "" ? "" : insn[m, 8192, n] / n
}

function is_now(i)
{
	return insn[order[i], 8192, 1] != ""
}

# Every other way, of one output.
function least_other(size,    m, least)
{
	for (m in methods)
		if (m != "share" && m != "route" && m != "drop" &&
		    insn[m, size, 1] != "" &&
		    (least == "" || insn[m, size, 1] < least))
			least = insn[m, size, 1]
	return least
}

function line_of(i,    m)
{
	m = order[i]
	printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", m,
	       cell(insn[m, 8192, 1], "%.0f"),
	       cell(insn[m, 8192, 1] / insn["share", 8192, 1], "%.2f"),
	       cell(user[m, 8192, 1], "%.3f"), cell(sys[m, 8192, 1], "%.3f"),
	       cell(copied[m, 8192, 1], "%.2f"), what_was[i],
	       cell(real_was[i], "%.3f"), cell(user_was[i], "%.3f") " / " \
	       cell(sys_was[i], "%.3f"),
	       cell(real_was[i] == "" ? "" : real_was[i] / 3.871, "%.2f")
}

BEGIN {
	FS = ","
	was(1, "rw", "dd indirect", 7.448, .080, 7.046)
	was(2, "uring", "dd direct", 4.529, .114, 3.799)
	was(3, "splice", "-", "", "", "")
	was(4, "mmap-out", "-", "", "", "")
	was(5, "mmap-in", "mmap read + indirect write", 4.023, .127, 3.259)
	was(6, "mmap", "mmap read + direct write", 4.057, .164, 3.264)
	was(7, "share", "mmap read + smmap write", 3.871, .131, 3.111)
	was(8, "route", "-", "", "", "")
	was(9, "drop", "-", "", "", "")
}
FNR == 1 || $9 != "icount" { next }
{
	methods[$2] = 1
	insn[$2, $3, $10] = $5
	user[$2, $3, $10] = $7; sys[$2, $3, $10] = $8
	copied[$2, $3, $10] = $11
	if (!(($3, 0) in seen)) { seen[$3, 0] = 1; sizes[++n] = $3 }
	if (!($10 in outs)) { outs[$10] = 1; counts[++n_counts] = $10 }
}
END {
	print "# From one board to another, in blocks of 8 KiB\n"
	print "Instructions per block, the fill of the input included (drop: nothing"
	print "but that). Beside it Gilbert 2007, seconds for 400 MiB of a simulated"
	print "disk; where two stand in a line they are the nearest of kin.\n"
	print "| mode | insn | / share | user s | sys s | copies of a byte | 2007 | real s | user / sys s | / smmap |"
	print "|---|---|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= 9; i++)
		if (is_now(i)) line_of(i)
	print "\n| bytes | share | least of the others | route |"
	print "|---|---|---|---|"
	for (i = 1; i <= n; i++) {
		s = sizes[i]
		printf "| %d | %s | %s | %s |\n", s,
		       cell(insn["share", s, 1], "%.0f"),
		       cell(least_other(s), "%.0f"),
		       cell(insn["route", s, 1], "%.0f")
	}
	print "\n| outputs, 8 KiB | share | for each | route | for each |"
	print "|---|---|---|---|---|"
	for (i = 1; i <= n_counts; i++) {
		s = counts[i]
		printf "| %d | %s | %s | %s | %s |\n", s,
		       cell(insn["share", 8192, s], "%.0f"),
		       cell(for_each_output("share", s), "%.0f"),
		       cell(insn["route", 8192, s], "%.0f"),
		       cell(for_each_output("route", s), "%.0f")
	}
}
