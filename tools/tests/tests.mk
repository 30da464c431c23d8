# SPDX-License-Identifier: GPL-2.0-only
# Tests on the host, against files and FIFOs that stand for nodes; all of it
# is built a second time, with sanitizers, into tests/out.

out = tests/out
test_libs = $(lib_names:%=$(out)/libzio/%.o)
test_bins = $(addprefix $(out)/,abi_test libzio_test ring_test file_test fake-node json-get \
	    $(tools))

$(out)/%.o: %.c
	@mkdir -p $(@D)
	$(compile) $(sanitize) -c $< -o $@

$(out)/dump-json.o $(out)/tests/json-get.o: | jansson
$(out)/operator/get.o $(out)/operator/json.o $(out)/copy/tally.o: | jansson
$(out)/copy/uring.o: | liburing

link_test = $(CC) $(LDFLAGS) $(sanitize) $^ -o $@

$(out)/abi_test: $(out)/tests/abi_test.o
	$(link_test)

$(out)/libzio_test: $(out)/tests/libzio_test.o $(out)/tests/fake.o $(test_libs)
	$(link_test)

$(out)/ring_test: $(out)/tests/ring_test.o $(out)/tests/fake.o $(test_libs)
	$(link_test)

$(out)/file_test: $(out)/tests/file_test.o $(out)/tests/fake.o $(test_libs)
	$(link_test)

$(out)/fake-node: $(out)/tests/fake-node.o $(out)/tests/fake.o $(test_libs)
	$(link_test)

$(out)/json-get: $(out)/tests/json-get.o
	$(link_test) -ljansson

$(out)/zio-cat-file: $(cat_names:%=$(out)/%.o) $(test_libs)
	$(link_test)

$(out)/zio-copy: $(copy_names:%=$(out)/%.o) $(test_libs)
	$(link_test) -ljansson -luring

# mkdir() of configfs makes attributes, too, and some writes are refused.
$(out)/zio: $(zio_names:%=$(out)/%.o) $(out)/tests/fake-configfs.o $(test_libs)
	$(link_test) -ljansson -lm -Wl,--wrap=mkdir -Wl,--wrap=rmdir \
		-Wl,--wrap=write_attr

$(out)/zio-dump: $(dump_names:%=$(out)/%.o) $(test_libs)
	$(link_test) -ljansson

# The model of the S-LINK card.
dev = testing/devices
model = $(addprefix $(out)/$(dev)/,s5933.o s5933-dma.o sspci.o sspci-out.o \
	  slidas.o sink.o board.o bench.o test-host.o)
model_tests = $(addprefix $(out)/,s5933_test sspci_test slidas_test stream_test \
	      bench_test)

$(model_tests): $(out)/%: $(out)/$(dev)/%.o $(model)
	$(link_test)

check: $(model_tests) $(test_bins) libzio/libzio.a
	tests/run $(out)/abi_test $(out)/libzio_test $(out)/ring_test \
		$(out)/file_test 'tests/copy_test.sh $(out)' \
		'tests/tools_test.sh $(out)' 'tests/zio_test.sh $(out)' \
		'tests/plot_test.sh $(out)' 'tests/completion_test.sh completion/zio' \
		'tests/doc_test.sh ../Documentation/reading-fast.md libzio/libzio.a' \
		'tests/doc_test.sh ../Documentation/block-files.md libzio/libzio.a' \
		'tests/doc_test.sh ../Documentation/sharing.md libzio/libzio.a' \
		'tests/doc_test.sh ../Documentation/migration.md libzio/libzio.a' \
		$(out)/s5933_test $(out)/sspci_test $(out)/slidas_test \
		$(out)/stream_test '$(out)/bench_test ../Documentation/slink-model.md'

clean-tests:
	rm -rf $(out)

-include $(wildcard $(out)/*.d $(out)/*/*.d $(out)/*/*/*.d)

.SECONDARY:
.PHONY: check clean-tests
