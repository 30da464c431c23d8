/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * zio.hpp: libzio in C++17. Resources close themselves; errors are exceptions.
 *
 *	zio::channel ch("zzero-0-2");
 *	for (const zio::block &block : ch)
 *		use(block.seq(), block.lost(), block.values());
 *
 * All functions are inline wrappers: channel::next() calls zio_next(). See <zio/zio.h>
 * for what they do and which threads may call them.
 */
#ifndef LIBZIO_ZIO_HPP
#define LIBZIO_ZIO_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <zio/zio.h>

namespace zio {

/**
 * class error - why a call failed
 *
 * what() is the text of the library, which names the file and the step; code() is the
 * errno, which compares with std::errc.
 */
class error : public std::runtime_error {
public:
	error(int code, const std::string &text)
		: std::runtime_error(text), code_(code, std::generic_category()) {}
	const std::error_code &code() const noexcept { return code_; }

private:
	std::error_code code_;
};

/**
 * class span - elements in memory of another owner; converts to the std::span of C++20
 */
template <typename T> class span {
public:
	using value_type = std::remove_cv_t<T>;

	constexpr span() noexcept = default;
	constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
	constexpr T *data() const noexcept { return data_; }
	constexpr std::size_t size() const noexcept { return size_; }
	constexpr bool empty() const noexcept { return !size_; }
	constexpr T *begin() const noexcept { return data_; }
	constexpr T *end() const noexcept { return data_ + size_; }
	constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

private:
	T *data_ = nullptr;
	std::size_t size_ = 0;
};

/**
 * class block - a block; valid until the next call on its channel
 *
 * A copy refers to the same memory. values() and a copy of samples() outlive it.
 */
class block {
public:
	explicit block(const zio_block &raw) noexcept : raw_(raw) {}

	const zio_block &raw() const noexcept { return raw_; }
	const zio_control &control() const noexcept { return *raw_.control; }
	std::uint32_t seq() const noexcept { return control().seq_num; }
	/* Blocks missing before this one */
	std::uint32_t lost() const noexcept { return raw_.lost; }
	std::uint64_t time_ns() const noexcept
	{
		return control().tstamp.secs * 1000000000 + control().tstamp.ticks;
	}

	span<const std::byte> bytes() const noexcept
	{
		return {static_cast<const std::byte *>(raw_.data), raw_.data ? raw_.size : 0};
	}

	/* The samples as they are. Throws EINVAL if a sample has not the size of T, or if
	 * the memory is not aligned to it.
	 */
	template <typename T> span<const T> samples() const
	{
		auto place = reinterpret_cast<std::uintptr_t>(raw_.data);

		if (sizeof(T) != control().ssize || place % alignof(T))
			throw error(EINVAL, "block " + std::to_string(seq()) + " has no such samples: " +
					    "they have " + std::to_string(control().ssize) + " bytes");
		return {static_cast<const T *>(raw_.data), bytes().size() / sizeof(T)};
	}

	/* How to convert samples to values: scale, offset, unit */
	zio_scaling scaling() const
	{
		zio_scaling found;

		if (zio_control_scale(raw_.control, &found))
			throw no_values();
		return found;
	}

	/* The samples in the unit of scaling() */
	std::vector<double> values() const
	{
		std::vector<double> found(control().ssize ? raw_.size / control().ssize : 0);

		if (!found.empty() &&
		    zio_block_to_double(&raw_, found.data(), found.size()) < 0)
			throw no_values();
		return found;
	}

private:
	error no_values() const
	{
		int code = errno;

		return {code, "block " + std::to_string(seq()) + ": its samples are no numbers: " +
			      std::generic_category().message(code)};
	}

	zio_block raw_;
};

/**
 * class channel - an open channel or block file
 *
 * The object can be moved, but not copied. Its destructor closes the channel.
 */
class channel {
public:
	/* @flags: bits of enum zio_open_flag */
	explicit channel(const std::string &name, int flags = 0)
	{
		zio_error why;

		ch_.reset(zio_open(name.c_str(), flags, &why));
		if (!ch_)
			throw error(why.code, why.text);
	}

	/* The channel for functions of <zio/zio.h>; it still belongs to the object. */
	zio_channel *get() const noexcept { return ch_.get(); }
	const struct zio_stats &stats() const { return *::zio_stats(opened()); }
	const char *method() const { return zio_method(opened()); }

	/* The next block; none at the end of a file. A non-blocking channel without a block
	 * throws EAGAIN.
	 */
	std::optional<block> next()
	{
		zio_block raw;

		if (check(zio_next(get(), &raw)))
			return block(raw);
		return std::nullopt;
	}

	/* Wait at most @timeout ms for a block; return false if none arrived. */
	bool wait(int timeout = -1) { return check(zio_wait(get(), timeout)); }
	void flush() { check(zio_flush(get())); }
	void interrupt() noexcept { zio_interrupt(get()); }
	void resume() noexcept { zio_resume(get()); }

	/* Write a block that was read, or one with a control from zio_control_init(). */
	void write(const block &block)
	{
		write(block.control(), block.raw().data, block.raw().size);
	}
	void write(const zio_control &control, const void *data, std::size_t size)
	{
		check(zio_write_block(get(), &control, data, size));
	}

	/* Close an output and learn whether its last block was sent: the end of the object
	 * does not tell.
	 */
	void close()
	{
		std::string name = zio_data_path(get()) ? zio_data_path(get()) : "zio";

		if (zio_close(ch_.release()))
			throw error(errno, name + ": " + std::generic_category().message(errno));
	}

	/* Blocks up to end of file, for a range-based loop. A block is valid until ++. */
	class iterator {
	public:
		using iterator_category = std::input_iterator_tag;
		using value_type = block;
		using difference_type = std::ptrdiff_t;
		using pointer = const block *;
		using reference = const block &;

		iterator() noexcept = default;
		explicit iterator(channel *ch) : ch_(ch) { ++*this; }
		reference operator*() const { return *now_; }
		pointer operator->() const { return &*now_; }
		iterator &operator++()
		{
			now_ = ch_->next();
			if (!now_)
				ch_ = nullptr;
			return *this;
		}
		void operator++(int) { ++*this; }
		bool operator==(const iterator &other) const { return ch_ == other.ch_; }
		bool operator!=(const iterator &other) const { return ch_ != other.ch_; }

	private:
		channel *ch_ = nullptr;
		std::optional<block> now_;
	};

	iterator begin() { return iterator(this); }
	iterator end() noexcept { return {}; }

private:
	struct closer {
		void operator()(zio_channel *ch) const noexcept { zio_close(ch); }
	};

	/* Throws EINVAL after close(), and for an object that was moved from. */
	zio_channel *opened() const
	{
		return ch_ ? get() : throw error(EINVAL, "the channel is closed");
	}

	int check(int result)
	{
		if (result < 0)
			throw error{errno, zio_reason(opened())};
		return result;
	}

	std::unique_ptr<zio_channel, closer> ch_;
};

/**
 * class object - a device, set, channel or trigger, with its attributes
 */
class object {
public:
	/* @name: as for zio_find(), such as "zzero/0" */
	explicit object(const std::string &name)
	{
		zio_error why;

		obj_.reset(zio_find(nullptr, name.c_str(), nullptr, &why));
		if (!obj_)
			throw error(why.code, why.text);
	}

	zio_object *get() const noexcept { return obj_.get(); }
	const char *name() const noexcept { return zio_object_name(get()); }

	/* @attr: such as "trigger/nsamples" */
	std::string get(const std::string &attr) const
	{
		char text[ZIO_TEXT_SIZE];
		zio_error why;

		if (zio_attr_get(get(), attr.c_str(), text, sizeof(text), &why))
			throw error(why.code, why.text);
		return text;
	}
	void set(const std::string &attr, const std::string &value)
	{
		zio_error why;

		if (zio_attr_set(get(), attr.c_str(), value.c_str(), &why))
			throw error(why.code, why.text);
	}

private:
	struct freer {
		void operator()(zio_object *obj) const noexcept { zio_object_free(obj); }
	};

	std::unique_ptr<zio_object, freer> obj_;
};

} /* namespace zio */

#endif /* LIBZIO_ZIO_HPP */
