# SPDX-License-Identifier: GPL-2.0-only
require zio.inc

SUMMARY = "Library and programs for data acquisition with ZIO"
DEPENDS = "jansson liburing"

inherit pkgconfig useradd

EXTRA_OEMAKE = "SHARED=1 PREFIX=${prefix} LIBDIR=${libdir} 'CC=${CC}' 'AR=${AR}'"

do_compile() {
    oe_runmake -C tools all
}

do_install() {
    oe_runmake install-files DESTDIR=${D} UDEVDIR=${nonarch_base_libdir}/udev/rules.d
}

USERADD_PACKAGES = "${PN}"
GROUPADD_PARAM:${PN} = "--system zio"
FILES:${PN} += "${nonarch_base_libdir}/udev ${nonarch_libdir}/sysusers.d"
FILES:${PN} += "${datadir}/bash-completion"
FILES:${PN}-dev += "${datadir}/zio"
RRECOMMENDS:${PN} = "kernel-module-zio"
