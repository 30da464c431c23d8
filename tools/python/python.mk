# SPDX-License-Identifier: GPL-2.0-only
# The Python package zio. PYTHONPATH=tools/python/build/lib finds it.

PYTHON ?= /usr/bin/python3
unit = $(abspath ../tests/unit)
python_dir = python/build
python_sources = ../setup.py $(wildcard python/src/zio/*.py python/*.py python/*.c python/*.cdef \
		   python/src/zio/*.pyi python/src/zio/py.typed)
python_setup = cd .. && ZIO_VERSION=$(version) ZIO_PROGRAMS=0 $(PYTHON) setup.py -q
python_lib = $(python_dir)/lib/.built

python: $(python_lib)

$(python_lib): $(python_sources) libzio/libzio.a | python-cffi
	rm -rf $(python_dir)
	$(python_setup) build --build-base tools/$(python_dir) --build-lib tools/$(python_dir)/lib
	touch $@

python-cffi:
	@$(PYTHON) -c 'import cffi, numpy, setuptools' 2>/dev/null || \
	{ echo 'the Python package needs cffi and numpy: apt-get install' \
	       'python3-cffi python3-dev python3-numpy python3-setuptools' >&2; \
	  exit 1; }

# Where Python looks for packages that are not Debian's
PYTHONDIR ?= $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
install-python: python
	mkdir -p $(DESTDIR)$(PYTHONDIR)/zio
	cp python/build/lib/zio/* $(DESTDIR)$(PYTHONDIR)/zio

uninstall-python:
	rm -rf $(DESTDIR)$(PYTHONDIR)/zio

clean-python:
	rm -rf $(python_dir) ../build ../zio_daq.egg-info

.PHONY: python install-python uninstall-python python-cffi clean-python
