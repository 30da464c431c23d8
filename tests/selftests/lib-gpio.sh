# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Emulated GPIO controllers, for tests with the header "# kernel-module: gpio-sim"

sim_config=/sys/kernel/config/gpio-sim

has_gpio_sim()
{
	[ -d $sim_config ]
}

# make_chip LABEL LINES: add a controller
make_chip()
{
	mkdir -p $sim_config/"$1"/bank
	echo "$1" >$sim_config/"$1"/bank/label
	echo "$2" >$sim_config/"$1"/bank/num_lines
	echo 1 >$sim_config/"$1"/live
}

# unplug_chip LABEL: remove the controller, and keep its settings
unplug_chip()
{
	echo 0 >$sim_config/"$1"/live
}

remove_chip()
{
	unplug_chip "$1"
	rmdir $sim_config/"$1"/bank $sim_config/"$1"
}

sim_line()
{
	echo /sys/devices/platform/"$(cat $sim_config/"$1"/dev_name)"/"$(cat \
		$sim_config/"$1"/bank/chip_name)"/sim_gpio"$2"
}

# pull LABEL LINE up|down: set the level of an input
pull()
{
	echo "pull-$3" >"$(sim_line "$1" "$2")"/pull
}

# level LABEL LINE: the level of an output
level()
{
	cat "$(sim_line "$1" "$2")"/value
}

# pulse LABEL LINE: a rising and a falling edge
pulse()
{
	pull "$1" "$2" up
	pull "$1" "$2" down
}
