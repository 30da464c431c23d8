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
 * The list has neither "current-control", which is binary, nor "accepted", which
 * zio_attr_accepted() reads, nor files of the kernel's driver model. Of a device it has
 * what its driver describes.
 *
 * Context: Any thread.
 * Return: the attributes by name, after the last one an entry whose name is NULL; the
 * caller frees it by zio_attr_list_free(). Or NULL with errno: ENOENT @obj is gone;
 * EINVAL @obj is NULL; ENOMEM; and the errors of opendir(3).
 */
struct zio_attr *zio_attr_list(const struct zio_object *obj, struct zio_error *err);

/**
 * zio_attr_list_free() - free a list of zio_attr_list(), with its names
 * @list: the list; may be NULL
 *
 * Context: Any thread; no other one may use the list any more. errno is unchanged.
 */
void zio_attr_list_free(struct zio_attr *list);

/**
 * zio_attr_get() - read an attribute as text
 * @obj: the object
 * @attr: the attribute of @obj, or of a part of it: "trigger/nsamples"
 * @text: receives the text without its last newline; empty after a failure
 * @size: bytes of @text; ZIO_TEXT_SIZE is enough for each attribute
 * @err: receives object, attribute and reason of a failure; may be NULL
 *
 * Context: Any thread. The kernel may ask the hardware.
 * Return: 0; -1 with errno: ENOENT there is no such attribute; EMSGSIZE @text is too
 * small; EINVAL a pointer is NULL, or @attr is no name; ENODEV the device is gone, or
 * the trigger or buffer was replaced; EACCES; and the errors of the attribute, which
 * Documentation/ABI lists.
 */
int zio_attr_get(const struct zio_object *obj, const char *attr, char *text,
		 size_t size, struct zio_error *err);

/**
 * zio_attr_get_u32() - read an attribute as a number of 32 bits
 * @obj: the object
 * @attr: the attribute, as for zio_attr_get()
 * @value: receives the number; unchanged after a failure
 * @err: receives object, attribute and reason of a failure; may be NULL
 *
 * Context: Any thread. The kernel may ask the hardware.
 * Return: 0; -1 with errno as zio_attr_get(), and EILSEQ it is no number; ERANGE it does
 * not fit.
 */
int zio_attr_get_u32(const struct zio_object *obj, const char *attr, uint32_t *value,
		     struct zio_error *err);

/**
 * zio_attr_get_u64() - read an attribute as a number of 64 bits
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
 * zio_attr_get_s64() - read an attribute as a number with a sign
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
 * @err: receives object, attribute, value, reason and what to do; may be NULL
 *
 * If the name of the attribute ends with "-ns", "-us", "-ms" or "-s", @text may have a
 * unit of time: "20ms" writes 20000000 to "period-ns".
 *
 * Context: Any thread. The kernel may talk to the hardware.
 * Return: 0; -1 with errno: ENOENT there is no such attribute; EACCES it is read-only,
 * or the caller may not write it; EINVAL a pointer is NULL, @text has two lines or is
 * too long, or the attribute does not accept it; and the errors of the attribute, which
 * Documentation/ABI lists. After a failure the attribute has its old value.
 */
int zio_attr_set(const struct zio_object *obj, const char *attr, const char *text,
		 struct zio_error *err);

/**
 * zio_attr_set_u32() - write a number of 32 bits to an attribute
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
 * zio_attr_set_u64() - write a number of 64 bits to an attribute
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
 * zio_attr_set_s64() - write a number with a sign to an attribute
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
 * Return: 0 there is such an attribute and its mode allows a user to write it; -1 with
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
 * A range may have the name of an attribute in place of a number. Documentation/ABI
 * describes the file "accepted" of sets and devices, from which the values come.
 *
 * Context: Any thread. Does not call the driver.
 * Return: 0; -1 with errno: ENODATA the kernel does not tell: the attribute is read-only,
 * belongs to no channel set, or the kernel's ZIO is older than 1.3; EMSGSIZE @size is too
 * small; ENOENT, EINVAL or ENOMEM as zio_attr_get().
 */
int zio_attr_accepted(const struct zio_object *obj, const char *attr, char *text,
		      size_t size, struct zio_error *err);

#endif /* LIBZIO_ZIO_ATTR_H */
