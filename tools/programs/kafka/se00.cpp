// SPDX-License-Identifier: GPL-2.0-only
/* Convert blocks to FlatBuffers of the schema se00.fbs; flatc generates se00_generated.h. */
#include <cstdlib>
#include <cstring>

#include "kafka/se00_generated.h"

extern "C" {
#include "message.h"
}

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

namespace {

struct Values {
	ValueUnion type;
	Offset<void> at;
};

/* Copy bytes: samples in a block file are not aligned. */
template <typename Sample, typename Make>
Values add_samples(FlatBufferBuilder &builder, ValueUnion type, Make make,
		   const void *samples, size_t size)
{
	uint8_t *to;
	auto vector = builder.CreateUninitializedVector(size / sizeof(Sample),
							sizeof(Sample), &to);

	if (size)
		memcpy(to, samples, size);
	return { type, make(builder, Offset<flatbuffers::Vector<Sample>>(vector)).Union() };
}

Values add_values(FlatBufferBuilder &builder, unsigned int ssize, const void *samples,
		  size_t size)
{
	switch (ssize) {
	case 1:
		return add_samples<uint8_t>(builder, ValueUnion_UInt8Array,
					    CreateUInt8Array, samples, size);
	case 2:
		return add_samples<uint16_t>(builder, ValueUnion_UInt16Array,
					     CreateUInt16Array, samples, size);
	case 4:
		return add_samples<uint32_t>(builder, ValueUnion_UInt32Array,
					     CreateUInt32Array, samples, size);
	case 8:
		return add_samples<uint64_t>(builder, ValueUnion_UInt64Array,
					     CreateUInt64Array, samples, size);
	default:
		return { ValueUnion_NONE, 0 };
	}
}

/* The time stamp is the trigger's: it fits the first sample unless samples precede it. */
Location location_of(const zio_control &control)
{
	const zio_ctrl_attr &attr = control.attr_trigger;
	bool known = attr.std_mask & (1 << ZIO_ATTR_TRIG_PRE_SAMP);

	return known && !attr.std_val[ZIO_ATTR_TRIG_PRE_SAMP] ? Location_Start :
								 Location_Unknown;
}

int64_t nanoseconds(const zio_timestamp &stamp)
{
	return static_cast<int64_t>(stamp.secs * 1000000000 + stamp.ticks);
}

/* Return the bytes of a vector; nullptr if it is missing. */
template <typename Array>
const void *get_samples(const se00_SampleEnvironmentData *root, size_t *size,
			uint16_t *ssize)
{
	auto vector = static_cast<const Array *>(root->values())->value();

	*ssize = sizeof(*vector->data());
	*size = vector ? vector->size() * *ssize : 0;
	return vector ? vector->data() : nullptr;
}

} // namespace

extern "C" void *make_se00(const struct zio_control *control, const void *samples,
			   size_t size, uint64_t seq, const char *name, size_t *len)
{
	FlatBufferBuilder builder(size + 256);
	Values values = add_values(builder, control->ssize, samples, size);

	if (values.type == ValueUnion_NONE)
		return nullptr;
	auto text = builder.CreateString(name);
	Finishse00_SampleEnvironmentDataBuffer(
		builder, Createse00_SampleEnvironmentData(
				 builder, text, control->addr.chan,
				 nanoseconds(control->tstamp), 0.0, location_of(*control),
				 values.type, values.at, 0, static_cast<int64_t>(seq)));
	*len = builder.GetSize();
	void *copy = malloc(*len);
	if (copy)
		memcpy(copy, builder.GetBufferPointer(), *len);
	return copy;
}

extern "C" const void *read_se00(const void *value, size_t len, size_t *size,
				 uint16_t *ssize)
{
	flatbuffers::Verifier verifier(static_cast<const uint8_t *>(value), len);

	if (!Verifyse00_SampleEnvironmentDataBuffer(verifier))
		return nullptr;
	auto root = Getse00_SampleEnvironmentData(value);
	switch (root->values_type()) {
	case ValueUnion_Int8Array:
	case ValueUnion_UInt8Array:
		return get_samples<UInt8Array>(root, size, ssize);
	case ValueUnion_Int16Array:
	case ValueUnion_UInt16Array:
		return get_samples<UInt16Array>(root, size, ssize);
	case ValueUnion_Int32Array:
	case ValueUnion_UInt32Array:
		return get_samples<UInt32Array>(root, size, ssize);
	case ValueUnion_Int64Array:
	case ValueUnion_UInt64Array:
		return get_samples<UInt64Array>(root, size, ssize);
	default:
		return nullptr;
	}
}
