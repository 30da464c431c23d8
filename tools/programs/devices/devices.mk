# SPDX-License-Identifier: GPL-2.0-only
# Devices that are programs. They are Python: zio-NAME is a link to one program, which runs
# the module zio_devices.NAME, and needs the package zio. Recordings in HDF5 are read by the
# package of zio-nexus. In the source tree, the links are in bin.

device_programs = zio-generate zio-replay
device_modules = $(wildcard programs/devices/zio_devices/*.py)
DEVICEDIR = $(PREFIX)/lib/zio-devices

$(device_programs:%=bin/%): | bin/zio
	ln -sf ../programs/devices/zio-device $@

install-devices:
	mkdir -p $(addprefix $(DESTDIR),$(BINDIR) $(COMPDIR) $(UNITDIR) $(DEVICEDIR)/zio_devices)
	install -m 644 $(device_modules) $(DESTDIR)$(DEVICEDIR)/zio_devices
	for p in $(device_programs); do \
		sed -e 's|@DEVICEDIR@|$(DEVICEDIR)|; s|@NEXUSDIR@|$(PREFIX)/lib/zio-nexus|' \
			programs/devices/zio-device >$(DESTDIR)$(BINDIR)/$$p && \
		chmod 755 $(DESTDIR)$(BINDIR)/$$p && \
		sed -e 's|/usr/bin/|$(BINDIR)/|' programs/devices/$$p@.service \
			>$(DESTDIR)$(UNITDIR)/$$p@.service && \
		install -D -m 644 programs/devices/examples/$$p.conf \
			$(DESTDIR)$(PREFIX)/share/doc/zio-devices/examples/$$p.conf && \
		ln -sf zio $(DESTDIR)$(COMPDIR)/$$p || exit; \
	done

uninstall-devices:
	rm -f $(foreach d,$(BINDIR) $(COMPDIR),$(device_programs:%=$(DESTDIR)$(d)/%))
	rm -f $(device_programs:%=$(DESTDIR)$(UNITDIR)/%@.service)
	rm -rf $(DESTDIR)$(DEVICEDIR) $(DESTDIR)$(PREFIX)/share/doc/zio-devices

.PHONY: install-devices uninstall-devices
