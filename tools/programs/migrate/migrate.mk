# SPDX-License-Identifier: GPL-2.0-only
# zio-migrate is Python and needs no build. In the source tree, programs/migrate/zio-migrate
# runs in place.

MIGRATEDIR = $(PREFIX)/lib/zio-migrate
migrate_files = $(wildcard $(addprefix programs/migrate/zio_migrate/*.,py tsv cocci))

install-migrate:
	mkdir -p $(DESTDIR)$(BINDIR) $(DESTDIR)$(MIGRATEDIR)/zio_migrate $(DESTDIR)$(COMPDIR)
	install -m 644 $(migrate_files) $(DESTDIR)$(MIGRATEDIR)/zio_migrate
	sed -e 's|@MIGRATEDIR@|$(MIGRATEDIR)|' programs/migrate/zio-migrate \
		>$(DESTDIR)$(BINDIR)/zio-migrate
	chmod 755 $(DESTDIR)$(BINDIR)/zio-migrate
	ln -sf zio $(DESTDIR)$(COMPDIR)/zio-migrate

uninstall-migrate:
	rm -f $(DESTDIR)$(BINDIR)/zio-migrate $(DESTDIR)$(COMPDIR)/zio-migrate
	rm -rf $(DESTDIR)$(MIGRATEDIR)

.PHONY: install-migrate uninstall-migrate
