// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdio>
#include <zio/zio.hpp>

int main(int, char **argv) try {
	zio::channel ch(argv[1]);
	for (const zio::block &block : ch) {
		auto volts = block.values();
		std::printf("%u %llu.%09llu %u %.4f\n", block.seq(),
			    block.time_ns() / 1000000000ull, block.time_ns() % 1000000000ull,
			    block.lost(), *std::max_element(volts.begin(), volts.end()));
	}
} catch (const zio::error &error) {
	std::fprintf(stderr, "%s\n", error.what());
	return 1;
}
