# SPDX-License-Identifier: GPL-2.0-only
#
# driver.mk: build a driver of ZIO in a directory of its own
#
# The driver's Makefile sets obj-m and includes this file. Documentation/driver-guide.md
# shows one. Variables for make:
#
#   KDIR         build directory of the kernel; the running kernel's by default
#   ZIO_SYMVERS  Module.symvers of ZIO; by default that of the checkout which has this
#                file, of zio-dkms, or of `make install`

zio-here := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
KDIR ?= /lib/modules/$(shell uname -r)/build
# Kbuild sets abs_objtree. Debian's KERNELRELEASE is not the name of the kernel.
zio-uts := $(or $(abs_objtree),$(KDIR))/include/generated/utsrelease.h
zio-release := $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' $(zio-uts))
zio-places := $(zio-here)/../Module.symvers \
	      /var/lib/dkms/zio/kernel-$(zio-release)-*/Module.symvers \
	      /lib/modules/$(zio-release)/zio/Module.symvers
ZIO_SYMVERS ?= $(firstword $(wildcard $(zio-places)))

ifneq ($(KERNELRELEASE),)
ccflags-y += -I$(zio-here) -I$(zio-here)/uapi
KBUILD_EXTRA_SYMBOLS += $(ZIO_SYMVERS)
else
.PHONY: modules modules_install clean
modules:
	@[ -n "$(ZIO_SYMVERS)" ] || { echo "ZIO is not built for kernel $(zio-release): \
	install zio-dkms and the headers of this kernel, or build ZIO" >&2; exit 1; }
	+$(MAKE) -C $(KDIR) M=$(CURDIR) modules

modules_install clean:
	+$(MAKE) -C $(KDIR) M=$(CURDIR) $@
endif
