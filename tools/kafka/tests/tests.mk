# SPDX-License-Identifier: GPL-2.0-only
# Tests of zio-kafka that need no broker. kafka_test has those with brokers.

kafka_fuzz_objs = $(addprefix kafka/,check.o check-events.o clock.o conf.o consume.o convert.o \
	    group.o header.o account.o message.o protect.o se00.o tests/message_fuzz.o)
$(test_bin)/kafka-message-fuzz: $(kafka_fuzz_objs:%=$(out)/%) $(out)/common.a $(test_libs)
	$(link_test) -Wl,--wrap=rd_kafka_message_headers -Wl,--wrap=complain \
		$(zio-kafka_libs) -o $@

check-kafka: $(test_bin)/kafka-message-fuzz
	tests/run $(test_bin)/kafka-message-fuzz

.PHONY: check-kafka
