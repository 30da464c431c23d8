// SPDX-License-Identifier: GPL-2.0-only
// Usage: cpp_program RECORDING CUT_RECORDING COPY
// What <zio/zio.hpp> promises. The program ends at the first check that fails.
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <zio/zio.hpp>
#if __cplusplus >= 202002L
#include <span>
#endif

#define CHECK(what)                                                          \
	do {                                                                 \
		if (!(what)) {                                               \
			std::printf("line %d: %s\n", __LINE__, #what);       \
			std::exit(1);                                        \
		}                                                            \
	} while (0)

static_assert(!std::is_copy_constructible_v<zio::channel>);
static_assert(std::is_nothrow_move_constructible_v<zio::channel>);
static_assert(!std::is_copy_constructible_v<zio::object>);

template <typename Call> static zio::error error_of(Call call)
{
	try {
		call();
	} catch (const zio::error &error) {
		return error;
	}
	std::puts("no error");
	std::exit(1);
}

static bool has_text(const zio::error &error, const std::string &text)
{
	return std::string(error.what()).find(text) != std::string::npos;
}

static void test_block(const char *path)
{
	zio::channel ch(path);
	zio::block block = *ch.next();
	auto samples = block.samples<std::int16_t>();

	CHECK(block.scaling().unit == std::string("V"));
	CHECK(samples.size() == 100 && block.bytes().size() == 200);
	CHECK(block.values()[25] == samples[25] * 0.001 + 0.25);
	CHECK(error_of([&] { block.samples<float>(); }).code() == std::errc::invalid_argument);
	zio_block odd = block.raw();
	odd.data = block.bytes().data() + 1;
	CHECK(error_of([&] { zio::block(odd).samples<std::int16_t>(); }).code().value() == EINVAL);
	CHECK(ch.method() == std::string("file") && ch.stats().blocks == 1);
#if __cplusplus >= 202002L
	CHECK(std::span<const std::int16_t>(samples).back() == samples[99]);
#endif
}

static void test_copy(const char *from, const char *to)
{
	zio::channel in(from), out(to, ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE);
	zio::channel moved = std::move(in);

	for (const zio::block &block : moved)
		out.write(block);
	CHECK(!moved.next());
	out.close();
	CHECK(has_text(error_of([&] { out.flush(); }), "closed"));
	CHECK(has_text(error_of([&] { out.stats(); }), "closed"));
	CHECK(has_text(error_of([&] { in.method(); }), "closed"));

	zio::channel again(to);
	while (again.next())
		;
	CHECK(again.stats().blocks == 8 && again.stats().lost == 2);
}

static void test_errors(const char *cut)
{
	zio::channel ch(cut);
	zio::error none = error_of([] { zio::channel("no/such/file"); });
	zio::error end = error_of([&] { for (auto &block : ch) block.values(); });

	CHECK(none.code() == std::errc::no_such_file_or_directory);
	CHECK(has_text(none, "no/such/file"));
	CHECK(end.code().value() == ENODATA && has_text(end, "end of file after"));
}

static void test_object()
{
	zio::object set("zzero/0");

	CHECK(set.name() == std::string("zzero-0000/cset0"));
	set.set("trigger/nsamples", "64");
	CHECK(set.get("trigger/nsamples") == "64");
	CHECK(has_text(error_of([&] { set.get("gone"); }), "gone"));
	CHECK(has_text(error_of([] { zio::object("gone"); }), "gone"));
}

int main(int, char **argv)
{
	test_block(argv[1]);
	test_errors(argv[2]);
	test_copy(argv[1], argv[3]);
	test_object();
}
