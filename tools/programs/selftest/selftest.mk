# SPDX-License-Identifier: GPL-2.0-only
# zio-selftest is Python: a module of the package zio.

install-selftest:
	install -D -m 755 programs/selftest/zio-selftest $(DESTDIR)$(BINDIR)/zio-selftest
	mkdir -p $(DESTDIR)$(COMPDIR)
	ln -sf zio $(DESTDIR)$(COMPDIR)/zio-selftest

uninstall-selftest:
	rm -f $(DESTDIR)$(BINDIR)/zio-selftest $(DESTDIR)$(COMPDIR)/zio-selftest

.PHONY: install-selftest uninstall-selftest
