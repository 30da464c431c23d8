# SPDX-License-Identifier: GPL-2.0-only
# zio-pva needs p4p of PyPI. `make check-pva` tests it.

check-pva: $(python_lib)
	tests/run pva/tests/run

.PHONY: check-pva
