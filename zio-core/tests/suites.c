// SPDX-License-Identifier: GPL-2.0-only
/* suites.c: the module zio-test, and which of its suites run */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>

static char *suites;
module_param(suites, charp, 0444);
MODULE_PARM_DESC(suites, "names with commas between; all if not given");

static bool is_wanted(const char *name)
{
	const char *at = suites;
	size_t len = strlen(name);

	while (at && *at) {
		if (!strncmp(at, name, len) && (!at[len] || at[len] == ','))
			return true;
		at = strchr(at, ',');
		if (at)
			at++;
	}
	return false;
}

/* KUnit runs the suites of a module after its init function has returned. */
static int __init zio_test_init(void)
{
	struct module *mod = THIS_MODULE;
	int i, n = 0;

	if (!suites)
		return 0;
	for (i = 0; i < mod->num_kunit_suites; i++)
		if (is_wanted(mod->kunit_suites[i]->name))
			mod->kunit_suites[n++] = mod->kunit_suites[i];
	mod->num_kunit_suites = n;
	return 0;
}

static void __exit zio_test_exit(void)
{
}

module_init(zio_test_init);
module_exit(zio_test_exit);
MODULE_DESCRIPTION("ZIO: KUnit suites");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(ZIO_TEST);
