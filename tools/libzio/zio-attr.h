/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read and write the attributes of objects. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_ATTR_H
#define LIBZIO_ZIO_ATTR_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

/**
 * struct zio_attr - an attribute of an object
 * @name: its name
 * @readable: its mode allows a user to read it
 * @writable: its mode allows a user to write it
 */
struct zio_attr {
	const char *name;
	bool readable;
	bool writable;
};

/**
 * zio_attr_list() - list the attributes of an object
 * @obj: the object
 * @err: receives the reason of a failure; may be NULL
 *
 * The list leaves out "current-control", which is binary, "accepted", which
 * zio_attr_accepted() reads, and the files of the kernel's driver model. For a device, it
 * lists what the driver describes.
 *
 * Context: Any thread.
 * Return: the attributes, sorted by name and ended by an entry whose name is NULL; free
 * them with zio_attr_list_free(). On failure NULL with errno: ENOENT @obj is gone; EINVAL
 * @obj is NULL; ENOMEM; and the errors of opendir(3).
 */
struct zio_attr *zio_attr_list(const struct zio_object *obj, struct zio_error *err);

/**
 * zio_attr_list_free() - free the list from zio_attr_list(), names included
 * @list: the list; may be NULL
 *
 * Context: Any thread, once nobody uses the list any more. errno is unchanged.
 */
void zio_attr_list_free(struct zio_attr *list);

/**
 * zio_attr_get() - read an attribute as text
 * @obj: the object
 * @attr: an attribute of @obj, or of one of its parts: "trigger/nsamples"
 * @text: receives the text without its last newline; empty after a failure
 * @size: size of @text in bytes; ZIO_TEXT_SIZE is enough for any attribute
 * @err: receives object, attribute and reason of a failure; may be NULL
 *
 * Context: Any thread. The kernel may ask the hardware.
 * Return: 0; -1 with errno: ENOENT no such attribute; EMSGSIZE @text is too small; EINVAL
 * a pointer is NULL, or @attr is not a name; ENODEV the device is gone, or the trigger or
 * buffer was replaced; EACCES; and the errors of the attribute, which Documentation/ABI
 * lists.
 */
int zio_attr_get(const struct zio_object *obj, const char *attr, char *text,
		 size_t size, struct zio_error *err);

/**
 * zio_attr_get_u32() - read an attribute as an unsigned 32-bit number
 * @obj: the object
 * @attr: the attribute, as for zio_attr_get()
 * @value: receives the number; unchanged after a failure
 * @err: receives object, attribute and reason of a failure; may be NULL
 *
 * Context: Any thread. The kernel may ask the hardware.
 * Return: 0; -1 with errno as zio_attr_get(), or EILSEQ the text is not a number; ERANGE
 * the number does not fit.
 */
int zio_attr_get_u32(const struct zio_object *obj, const char *attr, uint32_t *value,
		     struct zio_error *err);

/**
 * zio_attr_get_u64() - read an attribute as an unsigned 64-bit number
 * @obj: the object
 * @attr: the attribute, as for zio_attr_get()
 * @value: receives the number; unchanged after a failure
 * @err: receives object, attribute and reason of a failure; may be NULL
 *
 * Context: Any thread. The kernel may ask the hardware.
 * Return: as zio_attr_get_u32().
 */
int zio_attr_get_u64(const struct zio_object *obj, const char *attr, uint64_t *value,
		     struct zio_error *err);

/**
 * zio_attr_get_s64() - read an attribute as a signed 64-bit number
 * @obj: the object
 * @attr: the attribute, as for zio_attr_get()
 * @value: receives the number; unchanged after a failure
 * @err: receives object, attribute and reason of a failure; may be NULL
 *
 * Context: Any thread. The kernel may ask the hardware.
 * Return: as zio_attr_get_u32().
 */
int zio_attr_get_s64(const struct zio_object *obj, const char *attr, int64_t *value,
		     struct zio_error *err);

/**
 * zio_attr_set() - write text to an attribute
 * @obj: the object
 * @attr: the attribute, as for zio_attr_get()
 * @text: the value: one line, shorter than a page; may be empty
 * @err: receives object, attribute, value, reason and remedy; may be NULL
 *
 * @text may carry a unit of time if the name of the attribute ends in "-ns", "-us", "-ms"
 * or "-s": "20ms" writes 20000000 to "period-ns".
 *
 * Context: Any thread. The kernel may talk to the hardware.
 * Return: 0; -1 with errno: ENOENT no such attribute; EACCES it is read-only, or the
 * caller may not write it; EINVAL a pointer is NULL, @text has several lines or is too
 * long, or the attribute does not accept it; and the errors of the attribute, which
 * Documentation/ABI lists. On failure the attribute keeps its value.
 */
int zio_attr_set(const struct zio_object *obj, const char *attr, const char *text,
		 struct zio_error *err);

/**
 * zio_attr_set_u32() - write an unsigned 32-bit number to an attribute
 * @obj: the object
 * @attr: the attribute, as for zio_attr_get()
 * @value: the number
 * @err: as for zio_attr_set()
 *
 * Context: Any thread. The kernel may talk to the hardware.
 * Return: as zio_attr_set().
 */
int zio_attr_set_u32(const struct zio_object *obj, const char *attr, uint32_t value,
		     struct zio_error *err);

/**
 * zio_attr_set_u64() - write an unsigned 64-bit number to an attribute
 * @obj: the object
 * @attr: the attribute, as for zio_attr_get()
 * @value: the number
 * @err: as for zio_attr_set()
 *
 * Context: Any thread. The kernel may talk to the hardware.
 * Return: as zio_attr_set().
 */
int zio_attr_set_u64(const struct zio_object *obj, const char *attr, uint64_t value,
		     struct zio_error *err);

/**
 * zio_attr_set_s64() - write a signed 64-bit number to an attribute
 * @obj: the object
 * @attr: the attribute, as for zio_attr_get()
 * @value: the number
 * @err: as for zio_attr_set()
 *
 * Context: Any thread. The kernel may talk to the hardware.
 * Return: as zio_attr_set().
 */
int zio_attr_set_s64(const struct zio_object *obj, const char *attr, int64_t value,
		     struct zio_error *err);

/**
 * zio_attr_check() - tell whether an attribute could be written
 * @obj: the object
 * @attr: the attribute, as for zio_attr_get()
 * @err: receives the reason of a failure; may be NULL
 *
 * Context: Any thread. Does not call the driver.
 * Return: 0 if the attribute exists and its mode allows a user to write it; -1 with
 * errno: ENOENT, EACCES, EINVAL or ENOMEM as zio_attr_set().
 */
int zio_attr_check(const struct zio_object *obj, const char *attr,
		   struct zio_error *err);

/**
 * zio_attr_accepted() - tell what an attribute accepts
 * @obj: the object
 * @attr: the attribute, as for zio_attr_get()
 * @text: receives the values as the kernel writes them: words "rising falling both"; a
 *        range "[1 1 65536]": smallest, step, largest; or a kind of text, "<channel>"
 * @size: bytes of @text; ZIO_TEXT_SIZE is enough
 * @err: receives the reason of a failure; may be NULL
 *
 * A limit of a range may be the name of another attribute. The values come from the file
 * "accepted" of sets and devices, which Documentation/ABI describes.
 *
 * Context: Any thread. Does not call the driver.
 * Return: 0; -1 with errno: ENODATA the kernel does not say, because the attribute is
 * read-only, does not belong to a channel set, or ZIO in the kernel is older than 1.3;
 * EMSGSIZE @size is too small; ENOENT, EINVAL or ENOMEM as zio_attr_get().
 */
int zio_attr_accepted(const struct zio_object *obj, const char *attr, char *text,
		      size_t size, struct zio_error *err);

#endif /* LIBZIO_ZIO_ATTR_H */
