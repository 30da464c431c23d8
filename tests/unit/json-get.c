// SPDX-License-Identifier: GPL-2.0-only
/* json-get KEY...: print a line of values for each line of JSON on stdin */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The key "a.b" means member b of member a. */
static json_t *find(json_t *obj, char *key)
{
	char *dot = strchr(key, '.');
	json_t *inner;

	if (!dot)
		return json_object_get(obj, key);
	*dot = '\0';
	inner = json_object_get(obj, key);
	*dot = '.';
	return find(inner, dot + 1);
}

static void print_value(json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

	printf("%s", text ? text : "(none)");
	free(text);
}

int main(int argc, char **argv)
{
	json_error_t err;
	char *line = NULL;
	size_t size = 0;
	json_t *obj;
	int i;

	while (getline(&line, &size, stdin) > 0) {
		obj = json_loads(line, JSON_REJECT_DUPLICATES, &err);
		if (!obj) {
			fprintf(stderr, "json-get: %s\n", err.text);
			return 1;
		}
		for (i = 1; i < argc; i++) {
			print_value(find(obj, argv[i]));
			putchar(i < argc - 1 ? ' ' : '\n');
		}
		json_decref(obj);
	}
	free(line);
	return 0;
}
