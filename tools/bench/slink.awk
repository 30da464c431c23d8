# SPDX-License-Identifier: GPL-2.0-only
#
# Writes what was measured of the S-LINK card beside the numbers of SLD's page.
# Usage: awk -f slink.awk table.csv

function keep(what, value)
{
	cell[$2, $11, $3, $10, what] = value
}

function get(method, load, size, buffers, what,    value)
{
	value = cell[method, load, size, buffers, what]
	return value == "" ? "-" : value
}

function sizes_table(    i, s)
{
	print "| words | SLD | read | + monitor | + check | ring | + monitor | + check |"
	print "|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= n_sizes; i++) {
		s = size[i]
		printf "| %d | %s | %s | %s | %s | %s | %s | %s |\n", s,
		       get("read", "raw", s, 100, "sld"),
		       get("read", "raw", s, 100, "kb"),
		       get("read", "monitor", s, 100, "kb"),
		       get("read", "check", s, 100, "kb"),
		       get("ring", "raw", s, 100, "kb"),
		       get("ring", "monitor", s, 100, "kb"),
		       get("ring", "check", s, 100, "kb")
	}
}

function buffers_table(    i, s)
{
	print "| words | read, 100 | read, 1000 | ring, 100 | ring, 1000 | SLD, 100 | SLD, 1000 |"
	print "|---|---|---|---|---|---|---|"
	for (i = 1; i <= n_sizes; i++) {
		s = size[i]
		if (s > 1000)
			continue
		printf "| %d | %s | %s | %s | %s | %s | %s |\n", s,
		       get("read", "raw", s, 100, "events"),
		       get("read", "raw", s, 1000, "events"),
		       get("ring", "raw", s, 100, "events"),
		       get("ring", "raw", s, 1000, "events"),
		       rate(s, 100), rate(s, 1000)
	}
}

function rate(s, buffers,    kb)
{
	kb = get("read", "raw", s, buffers, "sld")
	return kb == "-" ? kb : sprintf("%.0f", kb * 1024 / (s * 4) / 100) "00"
}

function cost_row(method, s,    i, what, text)
{
	split("insn user system idle switches interrupts cpu transfers reads writes",
	      what, " ")
	text = "| " s " | " method
	for (i = 1; i <= 10; i++)
		text = text " | " get(method, "raw", s, 100, what[i])
	print text " |"
}

function cost_table(    i)
{
	print "| words | | instructions | user % | system % | idle % | switches |" \
	      " interrupts | words by CPU | transfers | reads | writes |"
	print "|---|---|---|---|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= n_sizes; i++) {
		cost_row("read", size[i])
		cost_row("ring", size[i])
	}
}

function polling_row(method, s,    m)
{
	m = method == "none" ? "ring" : "poll" method "-ring"
	printf "| %d | %s | %s | %s | %s | %s | %s |\n", s, method,
	       get(m, "raw", s, 100, "kb"), get(m, "raw", s, 100, "insn"),
	       get(m, "raw", s, 100, "interrupts"),
	       get(m, "raw", s, 100, "polls"), get(m, "raw", s, 100, "switches")
}

function polling_table(    i)
{
	print "| words | poll-us | KB/s | instructions | interrupts | polls | switches |"
	print "|---|---|---|---|---|---|---|"
	for (i = 1; i <= n_sizes; i++) {
		if (!(("poll20-ring", "raw", size[i], 100, "kb") in cell))
			continue
		polling_row("none", size[i])
		polling_row("20", size[i])
		polling_row("100", size[i])
	}
}

function page_table(    s, m)
{
	m = "page-read"
	print "| words | KB/s | interrupts | words by CPU | transfers | instructions |"
	print "|---|---|---|---|---|---|"
	for (s = 1016; s <= 1044; s++)
		printf "| %d | %s | %s | %s | %s | %s |\n", s,
		       get(m, "raw", s, 100, "kb"),
		       get(m, "raw", s, 100, "interrupts"),
		       get(m, "raw", s, 100, "cpu"),
		       get(m, "raw", s, 100, "transfers"),
		       get(m, "raw", s, 100, "insn")
}

# The model's registers answer at once; those of a card on a PCI bus do not. A
# calculation: the CPU waits for reads, not for writes.
function bus_row(method,    i, text, us, reads)
{
	us = get(method, "raw", 5, 100, "us")
	reads = get(method, "raw", 5, 100, "reads")
	text = "| " method
	for (i = 0; i <= 1000; i += 250)
		text = text sprintf(" | %.0f", 1e6 / (us + reads * i / 1000))
	print text " |"
}

function bus_table()
{
	print "| 5 words, read of a register, ns: | 0 | 250 | 500 | 750 | 1000 |"
	print "|---|---|---|---|---|---|"
	bus_row("read")
	bus_row("ring")
}

BEGIN { FS = "," }
FNR == 1 || $9 != "icount" { next }
{
	if ($2 == "read" && $11 == "raw" && $10 == 100) size[++n_sizes] = $3
	keep("insn", sprintf("%.0f", $5)); keep("kb", sprintf("%.0f", $7))
	keep("us", $6); keep("events", $8); keep("user", $12); keep("system", $13)
	keep("idle", $14); keep("switches", $15); keep("interrupts", $16)
	keep("cpu", $18); keep("polls", $17); keep("transfers", $19); keep("reads", $20)
	keep("writes", $21); keep("sld", $23)
}
END {
	print "# Events of the emulated S-LINK card\n"
	print "Time is that of the card's clock. SLD: S-Link Driver for Linux, Nikhef"
	print "2000, PIII 700 MHz, real card.\n\n## KB/s, 100 buffers\n"
	sizes_table()
	print "\n## Events a second\n"
	buffers_table()
	print "\n## Events a second, if reads of registers took their time (calculated)\n"
	bus_table()
	print "\n## Per event, 100 buffers\n"
	cost_table()
	print "\n## Polled, ring\n"
	polling_table()
	print "\n## Around the end of a page\n"
	page_table()
}
