# SPDX-License-Identifier: GPL-2.0-only
# Not tried: make check examines the syntax only.

ZIO_VERSION = 1.3
ZIO_SITE = $(TOPDIR)/dl/zio
ZIO_SITE_METHOD = file
ZIO_SOURCE = zio-$(ZIO_VERSION).tar.gz
ZIO_LICENSE = GPL-2.0-only (modules, programs), LGPL-2.1-or-later (libzio)
ZIO_LICENSE_FILES = COPYING LICENSES/GPL-2.0-only.txt LICENSES/LGPL-2.1-or-later.txt
ZIO_INSTALL_STAGING = YES
ZIO_DEPENDENCIES = jansson liburing

# kernel-module builds what Kbuild in the top directory lists.

ZIO_TOOLS_MAKE = $(TARGET_MAKE_ENV) $(TARGET_CONFIGURE_OPTS) $(MAKE) SHARED=1

define ZIO_BUILD_CMDS
	$(ZIO_TOOLS_MAKE) -C $(@D)/tools all
endef

define ZIO_INSTALL_STAGING_CMDS
	$(ZIO_TOOLS_MAKE) -C $(@D) install-files PREFIX=/usr DESTDIR=$(STAGING_DIR)
endef

define ZIO_INSTALL_TARGET_CMDS
	$(ZIO_TOOLS_MAKE) -C $(@D) install-files PREFIX=/usr DESTDIR=$(TARGET_DIR)
endef

define ZIO_USERS
	- - zio -1 * - - - ZIO
endef

$(eval $(kernel-module))
$(eval $(generic-package))
