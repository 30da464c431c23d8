# SPDX-License-Identifier: GPL-2.0-only
#
# Sets the tables beside the targets. Usage: awk -f summary.awk TABLE...
# What is not in the tables is left out.

function each(bench, method, size, count)
{
	return insn[bench, method, size, count]
}

# line WHAT UNIT TARGET MEASURED REFERENCE
function line(what, unit, target, measured, reference, verdict)
{
	if (measured == "")
		return
	verdict = "-"
	if (target != "")
		verdict = measured + 0 <= target + 0 ? "yes" : "NO"
	printf "| %s | %s | %s | %s | %s | %s |\n", what, unit,
	       target == "" ? "-" : "<= " target, measured,
	       reference == "" ? "-" : reference, verdict
}

function quotient(a, b, format)
{
	return a != "" && b > 0 ? sprintf(format, a / b) : ""
}

function difference(high, low)
{
	return high != "" && low != "" ? high - low : ""
}

function spread(method,    i, least, most, v)
{
	for (i in devices) {
		v = each("scale-devices", method, 16, i)
		if (v == "") continue
		if (least == "" || v < least) least = v
		if (v > most) most = v
	}
	return least ? sprintf("%.3f", most / least) : ""
}

function pipeline()
{
	line("read of /dev/zero, 16 bytes (the floor)", "insn", "",
	     each("pipeline", "dev-zero", 16), 676)
	line("null pipe, 16 bytes", "insn", "", each("pipeline", "null-zero", 16), "")
	line("read, 16 bytes", "insn", 1100, each("pipeline", "read", 16), 2975)
	line("control + read, 16 bytes", "insn", 1700,
	     each("pipeline", "ctrl+read", 16), 3974)
	line("poll + read, 16 bytes", "insn", "",
	     each("pipeline", "poll+read", 16), 4236)
	line("write, 16 bytes", "insn", "", each("pipeline", "write", 16), 2459)
	line("read of 1 MiB over 16-byte blocks", "insn/block", 400,
	     each("pipeline", "bulk", 16), "")
	line("read, 4096 bytes", "insn", "", each("pipeline", "read", 4096), 4510)
	line("read, 65536 bytes", "insn", "", each("pipeline", "read", 65536), 29280)
}

# The reference reads a control and maps the data: 3317 at 16 bytes.
function maps()
{
	line("ring, 16 bytes (a fifth of ZIO 1.1)", "insn", 663,
	     each("pipeline", "ring", 16), 3317)
	line("mapped, 16 controls a read, 16 bytes (a third)", "insn", 1105,
	     each("pipeline", "vmalloc-batch", 16), 3317)
	line("mapped, a control a read, 16 bytes", "insn", "",
	     each("pipeline", "vmalloc-mmap", 16), 3317)
	line("read of data, vmalloc, 16 bytes", "insn", "",
	     each("pipeline", "vmalloc-read", 16), 3259)
}

function wiki()
{
	line("dd of zio, 16 bytes", "x urandom", 1.15, random["wiki", "dd-zio", 16], 1.69)
	line("zio-cat-file, 16 bytes", "x urandom", 1.3,
	     random["wiki", "zio-cat-file", 16], 1.97)
	line("zio-cat-file by ring, 16 bytes", "x urandom", "",
	     random["wiki", "cat-ring", 16], 1.76)
}

function scale()
{
	line("read, 1 to 200 devices: most / least", "ratio", 1.05,
	     spread("read-last"), "")
	line("control + read, 1 to 200 devices: most / least", "ratio", 1.05,
	     spread("ctrl+read-last"), "")
	# Per block, so that linear growth of the event is a ratio of 1.
	line("cost per block, 16 channels / 1 channel", "ratio", 1,
	     quotient(each("scale-channels", "read-all", 16, 16),
		      each("scale-channels", "read-all", 16, 1), "%.3f"), "")
}

# One channel is a channel, as is a device of one channel with all that is its own.
function memory(    blocks)
{
	blocks = kib["memory", "block"] * depth
	line("idle device of one channel", "KiB", "", kib["memory", "device"], 38)
	line("further channel", "KiB", "", kib["memory", "channel"], 20)
	if (kib["memory", "channel"] != "")
		line("further channel beside its blocks (" depth " blocks)", "KiB",
		     8, sprintf("%.2f", kib["memory", "channel"] - blocks), "")
}

function register(    first, last)
{
	first = difference(total["insmod", 110], total["insmod", 10]) / 100
	last = difference(total["insmod", 1000], total["insmod", 900]) / 100
	if (!first || !last)
		return
	line("register a device, 11th to 110th", "k insn", "",
	     sprintf("%.1f", first / 1000), "312 (2nd to 10th)")
	line("register a device, 901st to 1000th", "k insn", "",
	     sprintf("%.1f", last / 1000), "360 (101st to 1000th)")
	line("register: the 1000th / the first", "ratio", 1.05,
	     sprintf("%.3f", last / first), 1.15)
}

function aio_line(what, method,    small, large)
{
	small = over[method, 65536, 4096]
	large = over[method, 65536, 65536]
	if (small != "" && large != "")
		line(what " over read, 64 KiB", "% (blocks of 4 KiB)", 1,
		     small " (64 KiB: " large ")", "")
}

function aio()
{
	aio_line("io_uring READ_FIXED", "uring-fixed")
	aio_line("io_uring READ, 16 at once", "uring-batch")
	aio_line("io_uring READ", "uring")
	aio_line("libaio", "libaio")
}

# A rate is told as the shortest period at which nothing is lost.
function triggers()
{
	line("a shared hrt over 100 sets / 100 hrt of their own", "ratio", 0.333,
	     quotient(each("triggers", "hrt-shared-store", 16, 100),
		      each("triggers", "hrt-own-store", 16, 100), "%.3f"), "")
	line("hrt, an event, one set, nobody reads", "insn", "",
	     each("triggers", "hrt-shared-store", 16, 1), "")
	line("hrt to a reader asleep", "insn", 9400,
	     each("triggers", "hrt-own-sleeper", 16, 1), "9400 to 10300")
	line("hrt, shortest period without loss, one set, reads", "ns", 5405,
	     each("triggers", "rate-hrt-shared-read", 16, 1), 5405)
	line("the same by IIO", "ns", "",
	     each("triggers", "rate-iio-hrtimer-read", 16, 1), "")
}

# S-Link Driver for Linux had 54 800 such events a second, with 1000 buffers.
function slink()
{
	line("S-LINK, event of 5 words, 100 buffers, read", "us", 18.25,
	     us["slink-read", 5, 100], "")
	line("S-LINK, event of 5 words, 100 buffers, ring", "us", 18.25,
	     us["slink-ring", 5, 100], "")
}

function least_copy(size,    i, list, least, v)
{
	split("rw uring splice mmap-out mmap mmap-in", list, " ")
	for (i in list) {
		v = each("share", list[i], size, 1)
		if (v != "" && (least == "" || v < least)) least = v
	}
	return least
}

function share(    size)
{
	for (size = 4096; size <= 1048576; size *= 16)
		line("a shared block / the cheapest copy, " size " bytes", "ratio", 1,
		     quotient(each("share", "share", size, 1),
			      least_copy(size), "%.3f"), "")
	line("bytes copied of those shared, 8 KiB", "ratio", 0,
	     copied["share", 8192], "")
	for (size = 512; size <= 1048576; size *= 2)
		line("a route / a shared block, " size " bytes", "ratio", 1,
		     quotient(each("share", "route", size, 1),
			      each("share", "share", size, 1), "%.3f"), "")
}

BEGIN { FS = "," }
FNR == 1 || $9 != "icount" { next }
{
	insn[$1, $2, $3, $10] = insn[$1, $2, $3, ""] = $5
	random[$1, $2, $3] = $7
	if ($1 == "aio-2001") over[$2, $3, $10] = $13
	if ($1 == "scale-devices") devices[$10] = 1
	if ($1 == "memory") kib[$1, $2] = $11
	if ($1 == "memory" && $2 == "block") depth = $10
	if ($1 == "slink" && $11 == "raw") us["slink-" $2, $3, $10] = $6
	if ($1 == "share") copied[$2, $3] = $11
	if ($1 == "register") total[$2, $10] = $5 * $4
}
END {
	print "# Target, measured, reference\n"
	print "Instruction counts (QEMU -icount); reference: ZIO 1.1 on the same kernel.\n"
	print "| what | unit | target | measured | ZIO 1.1 | met |"
	print "|---|---|---|---|---|---|"
	pipeline(); maps(); wiki(); scale(); memory(); register(); aio()
	triggers()
	slink()
	share()
}
