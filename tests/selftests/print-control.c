// SPDX-License-Identifier: GPL-2.0-only
/* print-control.c: print the fields of the next control as lines NAME=VALUE */
#include "node.h"

static void print_attr(const char *name, const struct zio_ctrl_attr *attr)
{
	int i;

	printf("%s.std_mask=%#x\n%s.ext_mask=%#x\n", name, attr->std_mask, name,
	       attr->ext_mask);
	for (i = 0; i < ZIO_MAX_STD_ATTR; i++)
		if (attr->std_mask & (1u << i))
			printf("%s.std%d=%u\n", name, i, attr->std_val[i]);
	for (i = 0; i < ZIO_MAX_EXT_ATTR; i++)
		if (attr->ext_mask & (1u << i))
			printf("%s.ext%d=%u\n", name, i, attr->ext_val[i]);
}

static void print_control(const struct zio_control *ctrl)
{
	printf("version=%d.%d\n", ctrl->major_version, ctrl->minor_version);
	printf("alarms=%#x\ndrv_alarms=%#x\n", ctrl->zio_alarms, ctrl->drv_alarms);
	printf("seq=%u\nnsamples=%u\nssize=%u\nnbits=%u\n", ctrl->seq_num,
	       ctrl->nsamples, ctrl->ssize, ctrl->nbits);
	printf("address=%s-%04x-%u-%u\n", ctrl->addr.devname, ctrl->addr.dev_id,
	       ctrl->addr.cset, ctrl->addr.chan);
	printf("flags=%#x\ntrigger=%s\n", ctrl->flags, ctrl->triggername);
	printf("secs=%llu\n", (unsigned long long)ctrl->tstamp.secs);
	print_attr("channel", &ctrl->attr_channel);
	print_attr("trigger", &ctrl->attr_trigger);
}

int main(int argc, char **argv)
{
	struct zio_control ctrl;

	if (argc != 2 || argv[1][0] == '-') {
		fprintf(stderr, "Usage: print-control NODE\n");
		return argc == 2 && !strcmp(argv[1], "--help") ? 0 : 2;
	}
	begin_group();
	ctrl = read_control(open_file(argv[1], O_RDONLY));
	print_control(&ctrl);
	return 0;
}
