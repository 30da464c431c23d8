# SPDX-License-Identifier: GPL-2.0-only
# Tests on the host, against files and FIFOs that stand for nodes. Library and programs
# are built a second time for them, with sanitizers, into tests/out.

tests = ../tests
out = $(tests)/unit/out
# An older build has left a program where there is a folder now.
$(shell [ ! -f $(out)/zio ] || rm -rf $(out))
test_bin = $(out)/bin
test_libs = $(lib_names:%=$(out)/libzio/%.o)
unit_tests = abi_test libzio_test unit_test timeline_test timeline_account_test rate_test \
	     names_test \
	     clock_test wait_test object_test ring_test set_test file_test batch_test write_batch_test group_test group_model_test ahead_test fuzz_test \
	     fuzz_zio_test
test_bins = $(addprefix $(test_bin)/,$(unit_tests) xdma_test fake-node json-get $(programs) $(links) $(commands) fake-configfs.so)

$(out)/%.o: %.c
	@mkdir -p $(@D)
	$(compile) $(sanitize) -c $< -o $@

$(out)/%.o: $(tests)/%.c
	@mkdir -p $(@D)
	$(compile) $(sanitize) -iquote $(tests)/harness -c $< -o $@

$(out)/%.o: %.cpp
	@mkdir -p $(@D)
	$(compile_cpp) $(sanitize) -fno-sanitize=vptr -c $< -o $@

$(out)/programs/kafka/se00.o: programs/kafka/se00_generated.h

$(need_jansson:%=$(out)/%) $(out)/unit/json-get.o: | jansson

link_test = mkdir -p $(test_bin) && $(CC) $(LDFLAGS) $(sanitize) $(filter %.o %.a,$^)

$(out)/common.a: $(common_objs:%=$(out)/%)
	rm -f $@
	$(AR) rcs $@ $^

$(test_bin)/abi_test: $(out)/unit/abi_test.o
	$(link_test) -o $@

$(addprefix $(test_bin)/,libzio_test unit_test timeline_test timeline_account_test rate_test names_test clock_test wait_test \
		object_test ring_test set_test file_test ahead_test batch_test write_batch_test fake-node): $(test_bin)/%: \
		$(out)/unit/%.o $(out)/unit/fake.o $(test_libs)
	$(link_test) -o $@

$(addprefix $(test_bin)/,group_test group_model_test): $(test_bin)/%: $(out)/unit/%.o $(out)/unit/stream.o \
		$(out)/unit/fake.o $(test_libs)
	$(link_test) -o $@

# A signal ends a read() that the test chooses.
$(test_bin)/batch_test: LDFLAGS += -Wl,--wrap=read

# A test tells what poll() returns.
$(test_bin)/ring_test: LDFLAGS += -Wl,--wrap=poll

$(test_bin)/json-get: $(out)/unit/json-get.o
	$(link_test) -ljansson -o $@

$(test_bin)/fuzz_test: $(addprefix $(out)/unit/,fuzz_test.o fuzz.o fake.o) $(test_libs)
	$(link_test) -o $@

# The program itself has a main(), and writes.
$(test_bin)/fuzz_zio_test: $(addprefix $(out)/unit/,fuzz_zio_test.o fuzz.o fake.o) \
		$(filter-out %/zio/main.o,$(zio_objs:%=$(out)/%)) $(out)/common.a $(test_libs)
	$(link_test) -Wl,--wrap=zio_write_file -Wl,--wrap=complain $(zio_libs) -o $@

define program_under_test
$(test_bin)/$(1): $$($(1)_objs:%=$(out)/%) $(out)/common.a $(test_libs)
	$$(link_test) $$($(1)_libs) -o $$@
endef
$(foreach p,$(programs) zio-kafka,$(eval $(call program_under_test,$(p))))

$(links:%=$(test_bin)/%): $(test_bin)/zio
	ln -sf zio $@

$(commands:%=$(test_bin)/%): | $(test_bin)/zio
	ln -sf $(abspath programs/zio/zio-command) $@

# The mkdir() of configfs also makes attributes, and the kernel refuses some writes.
$(test_bin)/fake-configfs.so: $(tests)/unit/fake-configfs.c
	mkdir -p $(test_bin)
	$(compile) -MT $@ -MF $(out)/fake-configfs.d -fPIC -shared $< -o $@

# The model of the S-LINK card.
dev = models/qemu
model = $(addprefix $(out)/$(dev)/,s5933.o s5933-dma.o sspci.o sps.o \
	  slidas.o sink.o board.o bench.o test-host.o)
model_tests = $(test_bin)/bench_test

$(model_tests): $(out)/$(dev)/bench_test.o $(model)
	$(link_test) -o $@

# The model of a card with AMD's XDMA.
$(test_bin)/xdma_test: $(addprefix $(out)/$(dev)/,xdma_test.o xdma.o xdma-user.o)
	$(link_test) -o $@

# ONLY has the names of tests here, such as file_test.
check: check-ready
	$(PYTHON) -B -m pytest -q --rootdir $(tests) -c $(tests)/pyproject.toml \
		$(if $(ONLY),$(wildcard $(foreach n,$(ONLY),$(tests)/unit/$n* \
		$(tests)/models/qemu/$n*)),$(wildcard $(tests)/unit/*_test.*) \
		$(tests)/models/qemu)

clean-tests:
	rm -rf $(out)

-include $(wildcard $(out)/*.d $(out)/*/*.d $(out)/*/*/*.d)

.SECONDARY:
.PHONY: check clean-tests
