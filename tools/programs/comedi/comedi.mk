# SPDX-License-Identifier: GPL-2.0-only
# zio-comedi needs comedilib: `make comedi` builds it, `make all` does not.

zio-comedi_objs = $(addprefix programs/comedi/,main.o card.o acquire.o serve.o)
zio-comedi_libs = -lcomedi -lm

comedi: bin/zio-comedi

# A separate package, because it needs a library of its own.
install-comedi: comedi man/zio-comedi.1
	install -D -m 755 bin/zio-comedi $(DESTDIR)$(BINDIR)/zio-comedi
	install -D -m 644 man/zio-comedi.1 $(DESTDIR)$(MANDIR)/man1/zio-comedi.1
	install -D -m 644 programs/comedi/example.conf \
		$(DESTDIR)$(PREFIX)/share/doc/zio-comedi/examples/card.conf
	mkdir -p $(DESTDIR)$(UNITDIR)
	sed -e 's|/usr/bin/|$(BINDIR)/|' programs/comedi/zio-comedi@.service \
		>$(DESTDIR)$(UNITDIR)/zio-comedi@.service

uninstall-comedi:
	rm -f $(DESTDIR)$(BINDIR)/zio-comedi $(DESTDIR)$(MANDIR)/man1/zio-comedi.1
	rm -f $(DESTDIR)$(UNITDIR)/zio-comedi@.service
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/zio-comedi

.PHONY: comedi install-comedi uninstall-comedi
