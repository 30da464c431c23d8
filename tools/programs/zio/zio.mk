# SPDX-License-Identifier: GPL-2.0-only

zio_objs += $(addprefix programs/zio/,main.o complete.o holders.o assign.o \
	   get.o set.o config.o model.o json.o list.o clock.o flush.o)
zio_libs = -ljansson -lm
need_jansson += $(addprefix programs/zio/,get.o json.o list.o)

# Commands of zio that are Python: zio-NAME is a link to one program, which runs the module
# zio_commands.NAME. In the source tree, the links are in bin, and need the package zio.

commands = zio-export zio-plot zio-restore zio-save zio-top
command_modules = $(wildcard programs/zio/zio_commands/*.py)
COMMANDDIR = $(PREFIX)/lib/zio-commands

$(commands:%=bin/%): | bin/zio
	ln -sf ../programs/zio/zio-command $@

install-commands:
	mkdir -p $(DESTDIR)$(BINDIR) $(DESTDIR)$(COMPDIR) $(DESTDIR)$(COMMANDDIR)/zio_commands
	install -m 644 $(command_modules) $(DESTDIR)$(COMMANDDIR)/zio_commands
	for p in $(commands); do \
		sed -e 's|@COMMANDDIR@|$(COMMANDDIR)|' programs/zio/zio-command \
			>$(DESTDIR)$(BINDIR)/$$p && chmod 755 $(DESTDIR)$(BINDIR)/$$p && \
		ln -sf zio $(DESTDIR)$(COMPDIR)/$$p || exit; \
	done

# "zio NAME" tells this target if there is no program zio-NAME.
$(commands:zio-%=install-%): install-python install-commands

uninstall-commands:
	rm -f $(foreach d,$(BINDIR) $(COMPDIR),$(commands:%=$(DESTDIR)$(d)/%))
	rm -rf $(DESTDIR)$(COMMANDDIR)

.PHONY: install-commands uninstall-commands $(commands:zio-%=install-%)
