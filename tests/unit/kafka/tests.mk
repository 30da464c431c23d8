# SPDX-License-Identifier: GPL-2.0-only
# Fuzzers of zio-kafka. pytest runs them with the other tests.

kafka_fuzz_objs = $(addprefix programs/kafka/,check.o check-events.o run.o clock.o conf.o consume.o convert.o \
	    group.o header.o account.o message.o protect.o se00.o)
$(test_bin)/kafka-message-fuzz: $(kafka_fuzz_objs:%=$(out)/%) $(out)/unit/kafka/message_fuzz.o \
		$(out)/common.a $(test_libs)
	$(link_test) -Wl,--wrap=rd_kafka_message_headers -Wl,--wrap=complain \
		$(zio-kafka_libs) -o $@

$(test_bin)/kafka-files-fuzz: $(kafka_fuzz_objs:%=$(out)/%) \
		$(addprefix $(out)/programs/kafka/,mark.o replace.o spool.o) $(out)/unit/kafka/files_fuzz.o \
		$(out)/unit/fake.o $(out)/common.a $(test_libs)
	$(link_test) -Wl,--wrap=complain -Wl,--wrap=fdatasync -Wl,--wrap=fsync \
		$(zio-kafka_libs) -o $@

kafka-fuzz: $(test_bin)/kafka-message-fuzz $(test_bin)/kafka-files-fuzz
.PHONY: kafka-fuzz
