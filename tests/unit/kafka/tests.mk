# SPDX-License-Identifier: GPL-2.0-only
# Tests of zio-kafka that need no broker. kafka_test has those with brokers.

kafka_fuzz_objs = $(addprefix kafka/,check.o check-events.o clock.o conf.o consume.o convert.o \
	    group.o header.o account.o message.o protect.o se00.o)
$(test_bin)/kafka-message-fuzz: $(kafka_fuzz_objs:%=$(out)/%) $(out)/unit/kafka/message_fuzz.o \
		$(out)/common.a $(test_libs)
	$(link_test) -Wl,--wrap=rd_kafka_message_headers -Wl,--wrap=complain \
		$(zio-kafka_libs) -o $@

$(test_bin)/kafka-files-fuzz: $(kafka_fuzz_objs:%=$(out)/%) \
		$(addprefix $(out)/kafka/,mark.o replace.o spool.o) $(out)/unit/kafka/files_fuzz.o \
		$(out)/common.a $(test_libs)
	$(link_test) -Wl,--wrap=complain -Wl,--wrap=fdatasync -Wl,--wrap=fsync \
		$(zio-kafka_libs) -o $@

check-kafka: $(test_bin)/kafka-message-fuzz $(test_bin)/kafka-files-fuzz
	$(tests)/unit/run $(test_bin)/kafka-message-fuzz $(test_bin)/kafka-files-fuzz

.PHONY: check-kafka
