// SPDX-License-Identifier: GPL-2.0-only
/*
 * names.c: the names of IIO's channels
 *
 * The IIO core does not export its names of types and modifiers. These are the ones that
 * users know from sysfs ("in_accel_x_raw"). Those that a newer kernel adds are named by
 * their number.
 */
#include <linux/kernel.h>

#include "iio.h"

static const char *const ziio_types[] = {
	[IIO_VOLTAGE] = "voltage",
	[IIO_CURRENT] = "current",
	[IIO_POWER] = "power",
	[IIO_ACCEL] = "accel",
	[IIO_ANGL_VEL] = "anglvel",
	[IIO_MAGN] = "magn",
	[IIO_LIGHT] = "illuminance",
	[IIO_INTENSITY] = "intensity",
	[IIO_PROXIMITY] = "proximity",
	[IIO_TEMP] = "temp",
	[IIO_INCLI] = "incli",
	[IIO_ROT] = "rot",
	[IIO_ANGL] = "angl",
	[IIO_TIMESTAMP] = "timestamp",
	[IIO_CAPACITANCE] = "capacitance",
	[IIO_ALTVOLTAGE] = "altvoltage",
	[IIO_CCT] = "cct",
	[IIO_PRESSURE] = "pressure",
	[IIO_HUMIDITYRELATIVE] = "humidityrelative",
	[IIO_ACTIVITY] = "activity",
	[IIO_STEPS] = "steps",
	[IIO_ENERGY] = "energy",
	[IIO_DISTANCE] = "distance",
	[IIO_VELOCITY] = "velocity",
	[IIO_CONCENTRATION] = "concentration",
	[IIO_RESISTANCE] = "resistance",
	[IIO_PH] = "ph",
	[IIO_UVINDEX] = "uvindex",
	[IIO_ELECTRICALCONDUCTIVITY] = "electricalconductivity",
	[IIO_COUNT] = "count",
	[IIO_INDEX] = "index",
	[IIO_GRAVITY] = "gravity",
	[IIO_POSITIONRELATIVE] = "positionrelative",
	[IIO_PHASE] = "phase",
	[IIO_MASSCONCENTRATION] = "massconcentration",
};

static const char *const ziio_modifiers[] = {
	[IIO_MOD_X] = "x",
	[IIO_MOD_Y] = "y",
	[IIO_MOD_Z] = "z",
	[IIO_MOD_X_AND_Y] = "x&y",
	[IIO_MOD_X_AND_Z] = "x&z",
	[IIO_MOD_Y_AND_Z] = "y&z",
	[IIO_MOD_X_AND_Y_AND_Z] = "x&y&z",
	[IIO_MOD_X_OR_Y] = "x|y",
	[IIO_MOD_X_OR_Z] = "x|z",
	[IIO_MOD_Y_OR_Z] = "y|z",
	[IIO_MOD_X_OR_Y_OR_Z] = "x|y|z",
	[IIO_MOD_LIGHT_BOTH] = "both",
	[IIO_MOD_LIGHT_IR] = "ir",
	[IIO_MOD_ROOT_SUM_SQUARED_X_Y] = "sqrt(x^2+y^2)",
	[IIO_MOD_SUM_SQUARED_X_Y_Z] = "x^2+y^2+z^2",
	[IIO_MOD_LIGHT_CLEAR] = "clear",
	[IIO_MOD_LIGHT_RED] = "red",
	[IIO_MOD_LIGHT_GREEN] = "green",
	[IIO_MOD_LIGHT_BLUE] = "blue",
	[IIO_MOD_QUATERNION] = "quaternion",
	[IIO_MOD_TEMP_AMBIENT] = "ambient",
	[IIO_MOD_TEMP_OBJECT] = "object",
	[IIO_MOD_NORTH_MAGN] = "from_north_magnetic",
	[IIO_MOD_NORTH_TRUE] = "from_north_true",
	[IIO_MOD_NORTH_MAGN_TILT_COMP] = "from_north_magnetic_tilt_comp",
	[IIO_MOD_NORTH_TRUE_TILT_COMP] = "from_north_true_tilt_comp",
	[IIO_MOD_RUNNING] = "running",
	[IIO_MOD_JOGGING] = "jogging",
	[IIO_MOD_WALKING] = "walking",
	[IIO_MOD_STILL] = "still",
	[IIO_MOD_ROOT_SUM_SQUARED_X_Y_Z] = "sqrt(x^2+y^2+z^2)",
	[IIO_MOD_I] = "i",
	[IIO_MOD_Q] = "q",
	[IIO_MOD_CO2] = "co2",
	[IIO_MOD_VOC] = "voc",
	[IIO_MOD_LIGHT_UV] = "uv",
	[IIO_MOD_LIGHT_DUV] = "duv",
	[IIO_MOD_PM1] = "pm1",
	[IIO_MOD_PM2P5] = "pm2p5",
	[IIO_MOD_PM4] = "pm4",
	[IIO_MOD_PM10] = "pm10",
	[IIO_MOD_ETHANOL] = "ethanol",
	[IIO_MOD_H2] = "h2",
	[IIO_MOD_O2] = "o2",
	[IIO_MOD_LINEAR_X] = "linear_x",
	[IIO_MOD_LINEAR_Y] = "linear_y",
	[IIO_MOD_LINEAR_Z] = "linear_z",
	[IIO_MOD_PITCH] = "pitch",
	[IIO_MOD_YAW] = "yaw",
	[IIO_MOD_ROLL] = "roll",
};

/* Returns the name of a type, or NULL if a newer kernel has added it. Context: Any. */
const char *ziio_type_name(enum iio_chan_type type)
{
	return type < ARRAY_SIZE(ziio_types) ? ziio_types[type] : NULL;
}

static int ziio_put_type(char *name, int len, enum iio_chan_type type)
{
	const char *text = ziio_type_name(type);

	if (text)
		return scnprintf(name + len, ZIIO_NAME_LEN - len, "%s", text);
	return scnprintf(name + len, ZIIO_NAME_LEN - len, "type%d-", type);
}

static int ziio_put_modifier(char *name, int len, int modifier)
{
	if (modifier < ARRAY_SIZE(ziio_modifiers) && ziio_modifiers[modifier])
		return scnprintf(name + len, ZIIO_NAME_LEN - len, "_%s",
				 ziio_modifiers[modifier]);
	return scnprintf(name + len, ZIIO_NAME_LEN - len, "_modifier%d", modifier);
}

/**
 * ziio_name_channel() - make the name of a channel
 * @name: receives the name, at most ZIIO_NAME_LEN - 1 characters
 * @spec: the channel
 * @element: number of the repeated element; negative if the channel is not repeated
 *
 * Context: Any.
 */
void ziio_name_channel(char *name, const struct iio_chan_spec *spec, int element)
{
	int len = ziio_put_type(name, 0, spec->type);

	if (spec->indexed)
		len += scnprintf(name + len, ZIIO_NAME_LEN - len, "%d", spec->channel);
	if (spec->differential) {
		len += scnprintf(name + len, ZIIO_NAME_LEN - len, "-");
		len += ziio_put_type(name, len, spec->type);
		if (spec->indexed)
			len += scnprintf(name + len, ZIIO_NAME_LEN - len, "%d",
					 spec->channel2);
	} else if (spec->modified) {
		len += ziio_put_modifier(name, len, spec->channel2);
	}
	if (spec->extend_name)
		len += scnprintf(name + len, ZIIO_NAME_LEN - len, "_%s",
				 spec->extend_name);
	if (element >= 0)
		scnprintf(name + len, ZIIO_NAME_LEN - len, ".%d", element);
}
