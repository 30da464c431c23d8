# SPDX-License-Identifier: GPL-2.0-only
# zio-sigrok needs libsigrok: `make sigrok` builds it, `make all` does not. It has the GPL 3
# as libsigrok, so it uses nothing of programs/common.

zio-sigrok_objs = $(addprefix programs/sigrok/,main.o device.o learn.o acquire.o serve.o)
sigrok_flags = $(shell pkg-config --cflags libsigrok)

sigrok: bin/zio-sigrok

$(zio-sigrok_objs): CPPFLAGS += $(sigrok_flags)
bin/zio-sigrok: $(zio-sigrok_objs) $(libzio)
	@mkdir -p bin
	$(CC) $(LDFLAGS) $^ $(shell pkg-config --libs libsigrok) -lm -o $@

# A separate package, because it needs more libraries than the others.
install-sigrok: sigrok man/zio-sigrok.1
	install -D -m 755 bin/zio-sigrok $(DESTDIR)$(BINDIR)/zio-sigrok
	install -D -m 644 man/zio-sigrok.1 $(DESTDIR)$(MANDIR)/man1/zio-sigrok.1
	install -D -m 644 programs/sigrok/example.conf \
		$(DESTDIR)$(PREFIX)/share/doc/zio-sigrok/examples/demo.conf
	mkdir -p $(DESTDIR)$(UNITDIR)
	sed -e 's|/usr/bin/|$(BINDIR)/|' programs/sigrok/zio-sigrok@.service \
		>$(DESTDIR)$(UNITDIR)/zio-sigrok@.service

uninstall-sigrok:
	rm -f $(DESTDIR)$(BINDIR)/zio-sigrok $(DESTDIR)$(MANDIR)/man1/zio-sigrok.1
	rm -f $(DESTDIR)$(UNITDIR)/zio-sigrok@.service
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/zio-sigrok

.PHONY: sigrok install-sigrok uninstall-sigrok
