# SPDX-License-Identifier: GPL-2.0-only
require zio.inc

SUMMARY = "Kernel modules for data acquisition with ZIO"
LICENSE = "GPL-2.0-only"

inherit module

# Kbuild of the kernel, with no detour through the makefile of ZIO
do_compile() {
    unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS
    oe_runmake -C ${STAGING_KERNEL_DIR} O=${STAGING_KERNEL_BUILDDIR} M=${S} modules
}

do_install() {
    unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS
    oe_runmake -C ${STAGING_KERNEL_DIR} O=${STAGING_KERNEL_BUILDDIR} M=${S} \
        INSTALL_MOD_PATH=${D}${root_prefix} modules_install
}
