# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the table of the S-LINK benchmark of what the guest printed.
# Usage: awk -v bench=slink -f slink-table.awk reference.csv MODE=icount RAW...
# Columns are where table.awk has them, up to the tenth. count: buffers; KB: 1024
# bytes, as on SLD's page.

function per_event(total)
{
	return sprintf("%.3f", total / driver)
}

function percent(part)
{
	return sprintf("%.1f", part / ns * 100)
}

BEGIN {
	FS = OFS = ","
	print "bench,method,size,blocks,insn_per_block,us_per_block,kb_per_s," \
	      "events_per_s,mode,count,load,user,system,idle," \
	      "switches_per_event,interrupts_per_event,polls_per_event," \
	      "cpu_words_per_event,transfers_per_event,reads_per_event," \
	      "writes_per_event,clock_error,sld_kb_per_s"
}
FILENAME ~ /reference\.csv$/ {
	if ($1 == bench) sld[$2, $3, $4] = $6
	next
}
$1 != "row" || $2 != bench { next }
{
	method = $3; load = $4; buffers = $5; words = $6; n = $7
	ns = $9		# by the clock of the card
	idle = $10; user = $11
	driver = $13	# events that the driver had meanwhile
	busy = ns - idle
	insn = MODE == "icount" ? sprintf("%.1f", busy / n) : ""
	print bench, method, words, n, insn, sprintf("%.4f", ns / n / 1000),
	      sprintf("%.1f", n * words * 4 / 1024 / ns * 1e9),
	      sprintf("%.0f", n / ns * 1e9), MODE, buffers, load,
	      percent(user), percent(busy - user), percent(idle),
	      sprintf("%.3f", $12 / n), per_event($14), per_event($15),
	      per_event($16), per_event($17), per_event($18), per_event($19),
	      sprintf("%.6f", ns / $8 - 1),
	      method !~ /-/ ? sld[load, words, buffers] : ""
}
