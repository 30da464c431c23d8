// SPDX-License-Identifier: LGPL-2.1-or-later
/* Print the names of the devices. */
#include <err.h>
#include <stdio.h>
#include <zio/zio.h>

int main(void)
{
	struct zio_error error;
	struct zio_object **devices = zio_list(NULL, ZIO_OBJECT_DEVICE, &error);

	if (!devices)
		errx(1, "%s", error.text);
	for (int i = 0; devices[i]; i++)
		puts(zio_object_name(devices[i]));
}
