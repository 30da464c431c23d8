# SPDX-License-Identifier: GPL-2.0-only
# zio-pva is Python: it needs no build, but the package zio, and p4p of PyPI. In the source
# tree, pva/zio-pva runs from where it is.

PVADIR = $(PREFIX)/lib/zio-pva
pva_modules = $(wildcard pva/zio_pva/*.py)

check-pva: $(python_lib)
	$(unit)/run 'MYPYPATH=$(CURDIR)/python/build/lib:.:$(unit)/pva $(unit)/python/style pva zio_pva $(unit)/pva' \
		$(unit)/pva/run

# zio-scope and zio-pva in one virtual machine. Their clients are on this one: chromium,
# and that of p4p.
live_path = python/build/lib:$(unit)/python:scope:pva:$(unit)/pva
check-live: scope-ready
	packages=$$($(unit)/pva/run --packages) && \
	PYTHONPATH=$(live_path):$$packages PYTHONDONTWRITEBYTECODE=1 \
	$(unit)/run '$(PYTHON) -m pytest -p no:terminal -p tap_plugin -p guest_plugin \
		--rootdir . -c pva/pyproject.toml $(unit)/scope/browser/test_channel.py $(unit)/live'

install-pva:
	mkdir -p $(DESTDIR)$(BINDIR) $(DESTDIR)$(PVADIR)/zio_pva
	install -m 644 $(pva_modules) $(DESTDIR)$(PVADIR)/zio_pva
	install -m 644 pva/requirements $(DESTDIR)$(PVADIR)
	sed -e 's|@PVADIR@|$(PVADIR)|' pva/zio-pva >$(DESTDIR)$(BINDIR)/zio-pva
	chmod 755 $(DESTDIR)$(BINDIR)/zio-pva
	mkdir -p $(DESTDIR)$(UNITDIR) $(DESTDIR)$(COMPDIR)
	sed -e 's|/usr/bin/|$(BINDIR)/|' pva/zio-pva@.service \
		>$(DESTDIR)$(UNITDIR)/zio-pva@.service
	install -D -m 644 pva/example.conf \
		$(DESTDIR)$(PREFIX)/share/doc/zio-pva/examples/lab.conf
	ln -sf zio $(DESTDIR)$(COMPDIR)/zio-pva

uninstall-pva:
	rm -f $(DESTDIR)$(BINDIR)/zio-pva $(DESTDIR)$(COMPDIR)/zio-pva
	rm -f $(DESTDIR)$(UNITDIR)/zio-pva@.service
	rm -rf $(DESTDIR)$(PVADIR) $(DESTDIR)$(PREFIX)/share/doc/zio-pva

.PHONY: check-pva check-live install-pva uninstall-pva
