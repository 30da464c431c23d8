# SPDX-License-Identifier: GPL-2.0-only
# zio2root is Python and needs no build, only the package zio and uproot of PyPI.

ROOTDIR = $(PREFIX)/lib/zio2root

install-root:
	mkdir -p $(DESTDIR)$(BINDIR)
	install -D -m 644 -t $(DESTDIR)$(ROOTDIR) programs/root/requirements
	sed -e 's|@ROOTDIR@|$(ROOTDIR)|' programs/root/zio2root >$(DESTDIR)$(BINDIR)/zio2root
	chmod 755 $(DESTDIR)$(BINDIR)/zio2root

uninstall-root:
	rm -f $(DESTDIR)$(BINDIR)/zio2root
	rm -rf $(DESTDIR)$(ROOTDIR)

.PHONY: install-root uninstall-root
