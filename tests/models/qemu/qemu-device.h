/* SPDX-License-Identifier: GPL-2.0-only */
/* qemu-device.h: what the models need to be PCI devices of QEMU 7.2 and newer */
#ifndef QEMU_DEVICE_H
#define QEMU_DEVICE_H

#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/pci/pci.h"
#if __has_include("hw/pci/pci_device.h")
#include "hw/pci/pci_device.h"
#endif
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qom/object.h"
#if __has_include("sysemu/sysemu.h")
#include "sysemu/sysemu.h"
#else
#include "system/system.h"
#endif
#include "cpu-wait.h"

/* Registers of 32 bits */
#define ACCESS_32 \
	.endianness = DEVICE_LITTLE_ENDIAN, \
	.valid = { .min_access_size = 4, .max_access_size = 4 }, \
	.impl = { .min_access_size = 4, .max_access_size = 4 }

#if SSPCI_QEMU_MAJOR >= 10
#define DEFINE_PROPERTIES(name, ...) static const Property name[] = { __VA_ARGS__ }
#define set_reset device_class_set_legacy_reset
#else
#define DEFINE_PROPERTIES(name, ...) \
	static Property name[] = { __VA_ARGS__, DEFINE_PROP_END_OF_LIST() }
#define set_reset(class, function) ((class)->reset = (function))
#endif

/*
 * A machine is saved before a driver has touched its cards, which are as after a reset
 * then. Only the configuration space is saved: it has the addresses.
 */
#define DEFINE_SAVED(variable, type, State, ...) \
	static const VMStateDescription variable = { \
		.name = type, \
		.fields = (VMStateField[]) { \
			VMSTATE_PCI_DEVICE(pci, State), __VA_ARGS__ \
			VMSTATE_END_OF_LIST() \
		}, \
	}

static InterfaceInfo pci_interfaces[] = { { INTERFACE_CONVENTIONAL_PCI_DEVICE }, { } };

#define PCI_TYPE(type, State) \
	.name = type, .parent = TYPE_PCI_DEVICE, .instance_size = sizeof(State), \
	.interfaces = pci_interfaces

#endif /* QEMU_DEVICE_H */
