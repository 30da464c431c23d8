# SPDX-License-Identifier: GPL-2.0-only
# zio-scope needs no build. Its page needs uPlot; fetch-uplot downloads it once.

scope_share = $(DESTDIR)$(PREFIX)/share/zio-scope/zio_scope
scope_page = $(wildcard programs/scope/zio_scope/page/*)

install-scope:
	@mkdir -p $(scope_share)/page $(DESTDIR)$(BINDIR)
	programs/scope/fetch-uplot $(scope_share)/page/uplot
	install -m 755 programs/scope/zio-scope $(DESTDIR)$(BINDIR)
	install -m 644 programs/scope/zio_scope/*.py $(scope_share)
	install -m 644 $(filter-out %/uplot,$(scope_page)) $(scope_share)/page

uninstall-scope:
	rm -f $(DESTDIR)$(BINDIR)/zio-scope
	rm -rf $(DESTDIR)$(PREFIX)/share/zio-scope

scope_environ = PYTHONPATH=python/build/lib:../tests PYTHONDONTWRITEBYTECODE=1

scope-ready: $(python_lib)
	-../tests/setup scope
	programs/scope/fetch-uplot

scope-picture: scope-ready
	$(scope_environ) $(PYTHON) -m unit.scope.browser.picture \
		../Documentation/figures/scope.png

# Run zio-scope in a virtual machine, for a browser on this machine.
cache_home = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)
# Fail if the machine fails, not only if sed does.
scope-demo: SHELL = /bin/bash
scope-demo: .SHELLFLAGS = -o pipefail -c
scope-demo: scope-ready
	../tests/vm --host-root --mem 1024 --timeout 86400 --forward 8642 \
		--add $(unit)/scope/browser/guest -- "zio-load zio-trig-timer; \
		ZIO_TREE=$(abspath ..) XDG_CACHE_HOME=$(cache_home) sh guest 8642" | \
	sed -u 's/10\.0\.2\.15/127.0.0.1/'

.PHONY: scope-demo install-scope uninstall-scope scope-ready scope-picture
