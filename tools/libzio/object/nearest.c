// SPDX-License-Identifier: LGPL-2.1-or-later
/* Guess which word a user meant */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "object.h"

/* Longer words are not typing mistakes. */
#define LONGEST 63

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Are the two letters that end here swapped between the words? */
static bool is_exchange(const char *a, size_t i, const char *b, size_t j)
{
	return i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
}

/* The number of letters changed, left out, added or swapped */
static unsigned int count_changes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int rows[3][LONGEST + 1], *now = rows[0], *last = rows[1], *before = rows[2];
	unsigned int *free_row;
	size_t i, j;

	for (j = 0; j <= b_len; j++)
		now[j] = (unsigned int)j;
	for (i = 1; i <= a_len; i++) {
		free_row = before;
		before = last;
		last = now;
		now = free_row;
		now[0] = (unsigned int)i;
		for (j = 1; j <= b_len; j++) {
			now[j] = least(least(last[j], now[j - 1]) + 1,
				       last[j - 1] + (a[i - 1] != b[j - 1]));
			if (is_exchange(a, i, b, j))
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return now[b_len];
}

int zio_nearest(const char *word, const char *words, char *nearest, size_t size)
{
	size_t n, word_len = word ? strlen(word) : 0;
	unsigned int changes, most;

	if (!word || !words || !nearest || !size)
		return zio_explain_null(NULL);
	*nearest = '\0';
	most = (unsigned int)word_len / 3 + 1;
	for (; *words && word_len <= LONGEST; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (!n || n > LONGEST || n >= size)
			continue;
		changes = count_changes(word, word_len, words, n);
		if (changes >= most || changes >= n)
			continue;
		most = changes;
		snprintf(nearest, size, "%.*s", (int)n, words);
	}
	if (*nearest)
		return 0;
	errno = ENOENT;
	return -1;
}

void zio_put_nearest(const char *word, const char *words, char *text, size_t size)
{
	char nearest[LONGEST + 1];

	*text = '\0';
	if (!zio_nearest(word, words, nearest, sizeof(nearest)))
		snprintf(text, size, " (did you mean '%s'?)", nearest);
}
