# SPDX-License-Identifier: GPL-2.0-only
# zio-scope needs no build. It is installed only if uPlot can be had.

scope_share = $(DESTDIR)$(PREFIX)/share/zio-scope/zio_scope
scope_page = $(wildcard scope/zio_scope/page/*)

install-scope:
	@mkdir -p $(scope_share)/page $(DESTDIR)$(BINDIR)
	scope/fetch-uplot $(scope_share)/page/uplot
	install -m 755 scope/zio-scope $(DESTDIR)$(BINDIR)
	install -m 644 scope/zio_scope/*.py $(scope_share)
	install -m 644 $(scope_page) $(scope_share)/page

uninstall-scope:
	rm -f $(DESTDIR)$(BINDIR)/zio-scope
	rm -rf $(DESTDIR)$(PREFIX)/share/zio-scope

.PHONY: install-scope uninstall-scope
