# SPDX-License-Identifier: GPL-2.0-only
# zio-visa is Python and needs no build, only the package zio, PyVISA and PyYAML. In the
# source tree, programs/visa/zio-visa runs in place.

VISADIR = $(PREFIX)/lib/zio-visa
visa_modules = $(wildcard programs/visa/zio_visa/*.py)

install-visa:
	mkdir -p $(DESTDIR)$(BINDIR) $(DESTDIR)$(VISADIR)/zio_visa
	install -m 644 $(visa_modules) $(DESTDIR)$(VISADIR)/zio_visa
	install -D -m 644 -t $(DESTDIR)$(VISADIR)/models $(wildcard programs/visa/models/*.yaml)
	sed -e 's|@VISADIR@|$(VISADIR)|' programs/visa/zio-visa >$(DESTDIR)$(BINDIR)/zio-visa
	chmod 755 $(DESTDIR)$(BINDIR)/zio-visa
	mkdir -p $(DESTDIR)$(UNITDIR) $(DESTDIR)$(COMPDIR)
	sed -e 's|/usr/bin/|$(BINDIR)/|' programs/visa/zio-visa@.service \
		>$(DESTDIR)$(UNITDIR)/zio-visa@.service
	install -D -m 644 programs/visa/example.conf \
		$(DESTDIR)$(PREFIX)/share/doc/zio-visa/examples/scope.conf
	ln -sf zio $(DESTDIR)$(COMPDIR)/zio-visa

uninstall-visa:
	rm -f $(DESTDIR)$(BINDIR)/zio-visa $(DESTDIR)$(COMPDIR)/zio-visa
	rm -f $(DESTDIR)$(UNITDIR)/zio-visa@.service
	rm -rf $(DESTDIR)$(VISADIR) $(DESTDIR)$(PREFIX)/share/doc/zio-visa

.PHONY: install-visa uninstall-visa
