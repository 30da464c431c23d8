# SPDX-License-Identifier: GPL-2.0-only
# zio-nexus is Python: it needs no build, but the package zio. In the source tree,
# programs/nexus/zio-nexus runs from where it is.

nexus_modules = $(wildcard programs/nexus/zio_nexus/*.py)
NEXUSDIR = $(PREFIX)/lib/zio-nexus
install-nexus:
	mkdir -p $(DESTDIR)$(BINDIR) $(DESTDIR)$(NEXUSDIR)/zio_nexus
	install -m 644 $(nexus_modules) $(DESTDIR)$(NEXUSDIR)/zio_nexus
	sed -e 's|@NEXUSDIR@|$(NEXUSDIR)|' programs/nexus/zio-nexus >$(DESTDIR)$(BINDIR)/zio-nexus
	chmod 755 $(DESTDIR)$(BINDIR)/zio-nexus
	ln -sf zio $(DESTDIR)$(COMPDIR)/zio-nexus

uninstall-nexus:
	rm -f $(DESTDIR)$(BINDIR)/zio-nexus $(DESTDIR)$(COMPDIR)/zio-nexus
	rm -rf $(DESTDIR)$(NEXUSDIR)

.PHONY: install-nexus uninstall-nexus
