# SPDX-License-Identifier: GPL-2.0-only
# zio-pva is Python and needs no build, only the package zio and p4p of PyPI. In the source
# tree, programs/pva/zio-pva runs in place.

PVADIR = $(PREFIX)/lib/zio-pva
pva_modules = $(wildcard programs/pva/zio_pva/*.py)

install-pva:
	mkdir -p $(DESTDIR)$(BINDIR) $(DESTDIR)$(PVADIR)/zio_pva
	install -m 644 $(pva_modules) $(DESTDIR)$(PVADIR)/zio_pva
	install -m 644 programs/pva/requirements $(DESTDIR)$(PVADIR)
	sed -e 's|@PVADIR@|$(PVADIR)|' programs/pva/zio-pva >$(DESTDIR)$(BINDIR)/zio-pva
	chmod 755 $(DESTDIR)$(BINDIR)/zio-pva
	mkdir -p $(DESTDIR)$(UNITDIR) $(DESTDIR)$(COMPDIR)
	sed -e 's|/usr/bin/|$(BINDIR)/|' programs/pva/zio-pva@.service \
		>$(DESTDIR)$(UNITDIR)/zio-pva@.service
	install -D -m 644 programs/pva/example.conf \
		$(DESTDIR)$(PREFIX)/share/doc/zio-pva/examples/lab.conf
	ln -sf zio $(DESTDIR)$(COMPDIR)/zio-pva

uninstall-pva:
	rm -f $(DESTDIR)$(BINDIR)/zio-pva $(DESTDIR)$(COMPDIR)/zio-pva
	rm -f $(DESTDIR)$(UNITDIR)/zio-pva@.service
	rm -rf $(DESTDIR)$(PVADIR) $(DESTDIR)$(PREFIX)/share/doc/zio-pva

.PHONY: install-pva uninstall-pva
