# SPDX-License-Identifier: GPL-2.0-only
# zio-kafka needs librdkafka and FlatBuffers: `make kafka` builds it, `make all` does not.

zio-kafka_objs = $(addprefix programs/kafka/,main.o account.o check.o check-events.o run.o clock.o collect.o conf.o connect.o consume.o convert.o \
		 drain.o end.o get.o group.o header.o mark.o message.o options.o position.o \
		 prometheus.o protect.o put.o put-options.o replace.o send.o source.o spool.o systemd.o \
		 verify.o se00.o)
zio-kafka_libs = -lrdkafka -ljansson -lstdc++ -lm
need_jansson += $(addprefix programs/kafka/,account.o check.o get.o verify.o)

kafka: bin/zio-kafka

programs/kafka/se00_generated.h: programs/kafka/se00.fbs
	flatc --cpp -o programs/kafka $<

programs/kafka/se00.o: programs/kafka/se00_generated.h

compile_cpp = $(CXX) $(CPPFLAGS) -std=gnu++17 -Iprograms -I. -I../include/uapi $(warnings) $(CFLAGS) \
	      -MMD -MP
%.o: %.cpp
	$(compile_cpp) -c $< -o $@

# A separate package, because it needs more libraries than the others.
kafka_doc = $(DESTDIR)$(PREFIX)/share/doc/zio-kafka/examples
install-kafka: kafka man/zio-kafka.1
	install -D -m 755 bin/zio-kafka $(DESTDIR)$(BINDIR)/zio-kafka
	install -D -m 644 man/zio-kafka.1 $(DESTDIR)$(MANDIR)/man1/zio-kafka.1
	install -D -m 644 programs/kafka/example.conf $(kafka_doc)/lab.conf
	mkdir -p $(DESTDIR)$(UNITDIR) $(DESTDIR)$(COMPDIR)
	sed -e 's|/usr/bin/|$(BINDIR)/|' programs/kafka/zio-kafka@.service \
		>$(DESTDIR)$(UNITDIR)/zio-kafka@.service
	ln -sf zio $(DESTDIR)$(COMPDIR)/zio-kafka

uninstall-kafka:
	rm -f $(DESTDIR)$(BINDIR)/zio-kafka $(DESTDIR)$(COMPDIR)/zio-kafka
	rm -f $(DESTDIR)$(MANDIR)/man1/zio-kafka.1 $(DESTDIR)$(UNITDIR)/zio-kafka@.service
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/zio-kafka

.PHONY: kafka install-kafka uninstall-kafka

# The benchmark to which zio-kafka is compared
kafka-bench: kafka bin/zio-kafka-plain
bin/zio-kafka-plain: programs/kafka/bench/plain.o
	$(CC) $(LDFLAGS) $< -lrdkafka -o $@
.PHONY: kafka-bench
