# SPDX-License-Identifier: GPL-2.0-only
# Makefile: build, install, demo, check, bench; `make help` lists the targets

# The kernel to build for: the one that runs, else the newest with headers.
RUNNING := /lib/modules/$(shell uname -r)/build
NEWEST = $(shell ls -d /lib/modules/*/build 2>/dev/null | sort -V | tail -n 1)
KDIR ?= $(if $(wildcard $(RUNNING)/Makefile),$(RUNNING),$(NEWEST))

# Where to build: in the tree, or in a directory of the kernel's own.
BUILD ?=
SOURCES := Kbuild zio-core buffers triggers drivers include

PREFIX ?= /usr/local
INSTALL_MOD_PATH ?= $(DESTDIR)
export INSTALL_MOD_PATH
UDEVDIR ?= /lib/udev/rules.d
SYSUSERSDIR ?= /usr/lib/sysusers.d

.PHONY: all modules tools modules_install install uninstall clean help
.PHONY: demo demo-kafka quick nightly check check-all matrix systems mutants
.PHONY: in-tree docs
.PHONY: bench bench-triggers bench-jitter bench-kafka bench-slink bench-share

all: modules tools

ifeq ($(BUILD),)
M := $(CURDIR)
modules:
else
M := $(abspath $(BUILD))
modules: copy
.PHONY: copy
copy:
	@mkdir -p $(M)
	@for f in $(SOURCES); do [ ! -e $$f ] || cp -ru --preserve=timestamps $$f $(M)/; done
endif
	@[ -n "$(KDIR)" ] || { echo "No kernel headers: apt-get install linux-headers-amd64, or make KDIR=..." >&2; exit 1; }
	+$(MAKE) -C $(KDIR) M=$(M) $(if $(W),W=$(W)) $(if $(C),C=$(C)) modules

tools:
	$(MAKE) -C tools

modules_install: modules
	$(MAKE) -C $(KDIR) M=$(M) modules_install

install: modules_install install-files
	$(MAKE) -C tools install-more PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	install -D -m 644 $(M)/Module.symvers $(SYMVERS)
	[ -n "$(DESTDIR)" ] || groupadd --force --system zio
	@echo "Now: udevadm control --reload; modprobe zio-zero"

# All but modules
.PHONY: install-files dkms deb apt-repo wheel wheels print-modules
SHARE = $(DESTDIR)$(PREFIX)/share/zio
install-files:
	$(MAKE) -C tools install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	install -D -m 644 tools/udev/60-zio.rules $(DESTDIR)$(UDEVDIR)/60-zio.rules
	install -D -m 644 tools/sysusers/zio.conf $(DESTDIR)$(SYSUSERSDIR)/zio.conf
	install -D -m 755 tools/udev/zio-permit \
		$(DESTDIR)$(PREFIX)/libexec/zio/zio-permit
	install -d $(SHARE)/linux $(SHARE)/uapi/linux
	install -m 644 include/driver.mk $(SHARE)
	install -m 644 include/linux/*.h $(SHARE)/linux
	install -m 644 include/uapi/linux/*.h $(SHARE)/uapi/linux

RELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' $(KDIR)/include/generated/utsrelease.h)
MODULES := zio-core/zio zio-core/configfs/zio-configfs zio-core/dmabuf/zio-dmabuf zio-core/lib/zio-gpio-lines \
	   buffers/zio-buf-kmalloc buffers/zio-buf-vmalloc buffers/zio-buf-dma \
	   $(addprefix triggers/zio-trig-,timer hrt irq sysfs chain) \
	   drivers/zero/zio-zero drivers/zio-mini drivers/zio-board drivers/zio-loop drivers/zio-play \
	   drivers/zio-fake-dtc drivers/zio-fake-adc drivers/zio-irq-tdc drivers/zio-gpio \
	   drivers/zio-ad788x drivers/s5933/zio-s5933 drivers/s5933/zio-s5933-mini \
	   drivers/slink/zio-slink drivers/slink/zio-sps drivers/uart/zio-uart \
	   drivers/iio/zio-iio drivers/alsa/zio-alsa drivers/dmaengine/zio-dmaengine \
	   drivers/xdma/zio-xdma drivers/uzio/zio-uzio
SYMVERS = $(INSTALL_MOD_PATH)/lib/modules/$(RELEASE)/zio/Module.symvers
MODDIRS = $(foreach d,updates extra,$(INSTALL_MOD_PATH)/lib/modules/$(RELEASE)/$(d))

uninstall:
	rm -f $(foreach d,$(MODDIRS),$(foreach m,$(MODULES),$(d)/$(m).ko $(d)/$(m).ko.xz))
	[ -n "$(INSTALL_MOD_PATH)" ] || depmod $(RELEASE)
	$(MAKE) -C tools uninstall PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	rm -f $(DESTDIR)$(UDEVDIR)/60-zio.rules $(DESTDIR)$(SYSUSERSDIR)/zio.conf
	rm -rf $(dir $(SYMVERS)) $(SHARE) $(DESTDIR)$(PREFIX)/libexec/zio

# The sources of the modules for DKMS, in a directory of their own
VERSION = $(shell sed -n 's/^zio-version := //p' Kbuild)
DKMSDIR ?= $(DESTDIR)/usr/src/zio-$(VERSION)
dkms:
	mkdir -p $(DKMSDIR)
	cp -r --preserve=timestamps $(SOURCES) packaging/dkms/keep-symvers $(DKMSDIR)
	rm -rf $(DKMSDIR)/zio-core/tests
	cd $(DKMSDIR) && find . -type f \( ! -name '*.[chS]' -o -name '*.mod.c' \) \
		! -name Kbuild ! -name driver.mk ! -name keep-symvers -delete
	sed -e 's|@VERSION@|$(VERSION)|; s|@MODULES@|$(MODULES)|' \
		packaging/dkms/dkms.conf.in >$(DKMSDIR)/dkms.conf

print-modules:
	@echo $(MODULES)

deb:
	tests/packages build $(DEB_ARGS)

# KEY is a key of yours, which signs the repository
apt-repo: deb
	packaging/apt/repository $(if $(KEY),--key '$(KEY)')

# For this machine alone
wheel:
	@packaging/wheels/wheels --local

wheels:
	packaging/wheels/wheels $(WHEEL_ARGS)

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C tools clean

demo:
	tools/demo

demo-kafka:
	tests/kafka_demo

# The other goals are files: make quick zio-core/engine/engine.c
ifeq ($(firstword $(MAKECMDGOALS)),quick)
QUICK_FILES := $(filter-out quick,$(MAKECMDGOALS))
.PHONY: $(QUICK_FILES)
$(QUICK_FILES):
	@:
endif
quick:
	@tests/quick $(QUICK_FILES)

nightly:
	tests/nightly

check:
	@tests/check

check-all:
	@tests/check --all

matrix:
	tests/matrix $(MATRIX_ARGS)

# As root
systems:
	tests/packages autopkgtest
	tests/packages system --suite bookworm
	tests/packages system --suite trixie
	tests/packages system --suite bookworm --arch arm64
	tests/packages documents upgrade

mutants:
	tests/mutants $(MUTANTS_ARGS)

docs:
	@tests/docs

in-tree:
	@packaging/in-tree/in-tree "$(KERNEL)"

bench:
	tests/setup bench
	bench/bench $(BENCH_ARGS)

bench-triggers:
	tests/setup bench
	bench/bench --only triggers $(BENCH_ARGS)

bench-kafka:
	tests/kafka_bench $(BENCH_ARGS)

bench-jitter:
	tests/setup bench
	bench/bench --only jitter $(BENCH_ARGS)

bench-slink:
	tests/setup bench
	bench/bench --only slink $(BENCH_ARGS)

bench-share:
	tests/setup bench
	bench/bench --only share $(BENCH_ARGS)

help:
	@echo 'make                  modules (for KDIR) and tools'
	@echo 'make install          modules, all programs, the Python package (as root)'
	@echo 'make deb              Debian packages, in results/deb'
	@echo 'make apt-repo         the same in a signed apt repository, results/apt; KEY=...'
	@echo 'make wheel            a Python wheel for this machine, in results/wheels; no root'
	@echo 'make wheels           Python wheels for PyPI, in results/wheels'
	@echo 'make uninstall        undo that'
	@echo 'make demo             set up, build, and acquire blocks in a virtual machine'
	@echo 'make demo-kafka       the same through Apache Kafka, with a recorder'
	@echo 'make quick [FILE...]  judge a change in a minute'
	@echo 'make check            does it work here? in a quarter of an hour'
	@echo 'make check-all        all other tests, on several kernels; most of an hour'
	@echo 'make nightly          what takes hours, with random decisions'
	@echo 'make matrix           compile for all kernels and processors, boot most of them'
	@echo 'make systems          install the packages in Debian 12, 13 and arm64, boot these'
	@echo 'make mutants          bugs put into the code, which tests must find; takes hours'
	@echo 'make docs             all documents as a site with a search, in results/site'
	@echo 'make in-tree          put ZIO into the kernel source KERNEL=DIR'
	@echo 'make bench            measure; BENCH_ARGS="--help" tells more'
	@echo 'make bench-triggers   the same for triggers alone'
	@echo 'make bench-jitter     how late the events of hrt come, on three kernels'
	@echo 'make bench-kafka      blocks to a broker of Apache Kafka on this machine'
	@echo 'make bench-slink      events of an emulated S-LINK card'
	@echo 'make bench-share      copies from one board to another'
	@echo 'make clean            remove what was built in the tree'
	@echo
	@echo 'KDIR=DIR              kernel build directory (now: $(or $(KDIR),none found))'
	@echo 'BUILD=DIR             build the modules there, not in the tree'
	@echo 'W=1 C=1               more warnings; sparse'
	@echo 'PREFIX=DIR            where tools go (now: $(PREFIX))'
	@echo 'DESTDIR=DIR           install for another root'
