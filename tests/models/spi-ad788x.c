// SPDX-License-Identifier: GPL-2.0-only
/*
 * spi-ad788x.c: an SPI controller with an AD7887 or AD7888
 *
 * Each conversion of input n gives the next value of a ramp that starts at 512 * n. The
 * model counts violations of the data sheets in "violations", and logs each of them.
 * Load it with "insmod spi-ad788x.ko chip=ad7888". The parameters are files in
 * /sys/module/spi_ad788x/parameters.
 */
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/spi/spi.h>

#define MAX_SPEED_HZ	2000000
#define WAKE_NS		5000
#define ACQUIRE_NS	500

static char *chip = "ad7888";
module_param(chip, charp, 0444);
static uint speed = MAX_SPEED_HZ;
module_param(speed, uint, 0444);
MODULE_PARM_DESC(speed, "of the bus");
static uint fail;
module_param(fail, uint, 0644);
MODULE_PARM_DESC(fail, "the Nth message from now on fails; 0: none");
static uint stuck;
module_param(stuck, uint, 0644);
MODULE_PARM_DESC(stuck, "1: all bits from the chip are ones");
static uint longest;
module_param(longest, uint, 0644);
MODULE_PARM_DESC(longest, "bytes of the longest message; 0: no limit");
static uint vref;
module_param(vref, uint, 0444);
MODULE_PARM_DESC(vref, "the reference, in microvolts; 0: the driver is not told");
static uint violations;
module_param(violations, uint, 0444);
static uint frames;
module_param(frames, uint, 0444);
static uint control;
module_param(control, uint, 0444);
MODULE_PARM_DESC(control, "the control register");
static uint hz;
module_param(hz, uint, 0444);
MODULE_PARM_DESC(hz, "of the last frame");

static struct {
	bool is_ad7888;
	bool selected;
	unsigned int bits;	/* since chip select went down */
	u8 command;
	u16 result;
	bool asleep;
	bool waking;		/* by the last frame */
	int pause;		/* ns between the last frame and the next */
	u16 ramp[8];
} model;

static struct platform_device *model_device;

static void violate(const char *what)
{
	violations++;
	pr_info("spi-ad788x: %s\n", what);
}

static unsigned int chosen_input(void)
{
	return control >> 3 & (model.is_ad7888 ? 7 : 1);
}

static u16 convert(void)
{
	unsigned int input = chosen_input();

	if (model.asleep)
		return 0xabc;
	if (model.pause < (model.waking ? WAKE_NS : ACQUIRE_NS))
		violate(model.waking ? "not awake yet" : "nothing acquired yet");
	return (512 * input + model.ramp[input]++) & 0xfff;
}

static void begin_frame(void)
{
	model.bits = 0;
	model.result = convert();
}

static void check_command(u8 command)
{
	if (command & BIT(6) || (!model.is_ad7888 && command & BIT(2)))
		violate("a bit that must be zero is not");
	if (!model.is_ad7888 && !(command & BIT(4)) && command & BIT(3))
		violate("no second channel in single mode");
}

static void end_frame(void)
{
	if (model.bits != 16) {
		violate("not a frame of 16 bits");
		return;
	}
	frames++;
	check_command(model.command);
	control = model.command;
	model.waking = model.asleep;
	model.asleep = (control & 3) == 2;
}

static void model_set_cs(struct spi_device *spi, bool high)
{
	if (model.selected == !high)
		return;
	model.selected = !high;
	if (model.selected)
		begin_frame();
	else
		end_frame();
}

static u8 exchange(u8 out)
{
	u8 in = model.bits ? model.result : model.result >> 8;

	if (!model.bits)
		model.command = out;
	model.bits += 8;
	return stuck ? 0xff : in;
}

static int model_transfer(struct spi_controller *controller,
			  struct spi_device *spi, struct spi_transfer *t)
{
	const u8 *tx = t->tx_buf;
	u8 *rx = t->rx_buf;
	unsigned int i;

	if (!model.selected)
		violate("not selected");
	/* Use the requested delay: the real one is always longer in an emulated machine. */
	model.pause = t->cs_change ?
		spi_delay_to_ns(&t->cs_change_delay, t) : INT_MAX;
	hz = t->speed_hz;
	if (hz > MAX_SPEED_HZ)
		violate("too fast");
	for (i = 0; i < t->len; i++)
		rx[i] = exchange(tx[i]);
	return 0;
}

static int model_prepare(struct spi_controller *controller,
			 struct spi_message *message)
{
	return fail && !--fail ? -ETIMEDOUT : 0;
}

static size_t model_longest(struct spi_device *spi)
{
	return longest ?: SIZE_MAX;
}

static struct property_entry reference[2];
static const struct software_node reference_node = { .properties = reference };

static int model_probe(struct platform_device *pdev)
{
	struct spi_board_info board = {
		.max_speed_hz = speed,
		.mode = SPI_MODE_3,
	};
	struct spi_controller *controller;
	int ret;

	controller = devm_spi_alloc_master(&pdev->dev, 0);
	if (!controller)
		return -ENOMEM;
	reference[0] = PROPERTY_ENTRY_U32("vref-microvolt", vref);
	controller->bus_num = -1;
	controller->num_chipselect = 1;
	controller->mode_bits = SPI_MODE_3;
	controller->set_cs = model_set_cs;
	controller->transfer_one = model_transfer;
	controller->prepare_message = model_prepare;
	controller->max_message_size = model_longest;
	ret = devm_spi_register_controller(&pdev->dev, controller);
	if (ret)
		return ret;
	strscpy(board.modalias, chip, sizeof(board.modalias));
	if (vref)
		board.swnode = &reference_node;
	return spi_new_device(controller, &board) ? 0 : -ENODEV;
}

static struct platform_driver model_driver = {
	.driver.name = "spi-ad788x",
	.probe = model_probe,
};

static int __init model_init(void)
{
	int ret;

	model.is_ad7888 = !strcmp(chip, "ad7888");
	model.pause = INT_MAX;
	ret = platform_driver_register(&model_driver);
	if (ret)
		return ret;
	model_device = platform_device_register_simple("spi-ad788x", -1, NULL,
						       0);
	if (IS_ERR(model_device))
		platform_driver_unregister(&model_driver);
	return PTR_ERR_OR_ZERO(model_device);
}
module_init(model_init);

static void __exit model_exit(void)
{
	platform_device_unregister(model_device);
	platform_driver_unregister(&model_driver);
}
module_exit(model_exit);

MODULE_DESCRIPTION("An SPI bus with an AD788x, for tests");
MODULE_LICENSE("GPL");
