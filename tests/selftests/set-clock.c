// SPDX-License-Identifier: GPL-2.0-only
/*
 * set-clock.c: tell the kernel that its clock is synchronised, or that it is not
 *
 * Usage: set-clock SYNCHRONISED TAI
 *
 * SYNCHRONISED is 1 or 0, TAI the seconds by which TAI is ahead of UTC.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/timex.h>

int main(int argc, char **argv)
{
	struct timex tai = { .modes = ADJ_TAI };
	struct timex status = { .modes = ADJ_STATUS | ADJ_MAXERROR | ADJ_ESTERROR,
				.maxerror = 1000, .esterror = 10 };

	if (argc != 3) {
		fprintf(stderr, "Usage: set-clock SYNCHRONISED TAI\n");
		return 2;
	}
	if (!atoi(argv[1]))
		status.status = STA_UNSYNC;
	tai.constant = atoi(argv[2]);
	if (adjtimex(&status) < 0 || adjtimex(&tai) < 0) {
		perror("set-clock");
		return 1;
	}
	return 0;
}
