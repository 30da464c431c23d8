/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The module zio._buffer: memory that knows whether an array refers to it, and objects
 * whose samples are a buffer. It also tracks the thread that uses an object.
 *
 * A numpy array, and each view of it, holds a view of the underlying buffer. The number
 * of views tells whether any of them is left. Reference counts of Python objects cannot
 * tell, because interpreters differ in what they count.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

struct memory {
	PyObject_HEAD
	char *bytes;
	Py_ssize_t size;
	PyObject *owner;	/* keeps the bytes alive; NULL: nothing */
	Py_ssize_t views;
	int is_writable;
};

static PyObject *memory_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	Py_ssize_t address, size;
	struct memory *memory;
	PyObject *owner;
	int is_writable = 0;

	(void)keywords;
	if (!PyArg_ParseTuple(args, "nnO|p", &address, &size, &owner, &is_writable))
		return NULL;
	memory = (struct memory *)allocate(type, 0);
	if (!memory)
		return NULL;
	memory->bytes = (char *)address;
	memory->size = size;
	Py_INCREF(owner);
	memory->owner = owner;
	memory->is_writable = is_writable;
	return (PyObject *)memory;
}

static void memory_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
	PyObject *owner = ((struct memory *)self)->owner;

	release(self);
	Py_XDECREF(owner);
	Py_DECREF(type);
}

static int memory_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
	struct memory *memory = (struct memory *)self;

	if (PyBuffer_FillInfo(view, self, memory->bytes, memory->size, !memory->is_writable,
			      flags))
		return -1;
	__atomic_add_fetch(&memory->views, 1, __ATOMIC_RELAXED);
	return 0;
}

/* A reader that sees no view reuses the bytes, so it must see all reads finished. */
static void memory_releasebuffer(PyObject *self, Py_buffer *view)
{
	(void)view;
	__atomic_sub_fetch(&((struct memory *)self)->views, 1, __ATOMIC_RELEASE);
}

static PyObject *memory_views(PyObject *self, void *closure)
{
	(void)closure;
	return PyLong_FromSsize_t(
		__atomic_load_n(&((struct memory *)self)->views, __ATOMIC_ACQUIRE));
}

static PyGetSetDef memory_attributes[] = {
	{ "views", memory_views, NULL, "Number of existing views of the bytes", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot memory_slots[] = {
	{ Py_tp_doc, "Memory(address, size, owner, writable=False): bytes" },
	{ Py_tp_new, memory_new },
	{ Py_tp_dealloc, memory_dealloc },
	{ Py_tp_getset, memory_attributes },
	{ Py_bf_getbuffer, memory_getbuffer },
	{ Py_bf_releasebuffer, memory_releasebuffer },
	{ 0, NULL },
};

static PyType_Spec memory_spec = {
	"zio._buffer.Memory", sizeof(struct memory), 0, Py_TPFLAGS_DEFAULT, memory_slots,
};

/* The buffer of an object is the buffer of its attribute "data". */
static int exporter_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
	PyObject *data = PyObject_GetAttrString(self, "data");
	int ret = -1;

	view->obj = NULL;
	if (!data)
		return -1;
	/* A subclass may be its own data. */
	if (!Py_EnterRecursiveCall(" for the buffer of an object")) {
		ret = PyObject_GetBuffer(data, view, flags);
		Py_LeaveRecursiveCall();
	}
	Py_DECREF(data);
	return ret;
}

static PyType_Slot exporter_slots[] = {
	{ Py_tp_doc, "A base of classes whose attribute data is a buffer" },
	{ Py_bf_getbuffer, exporter_getbuffer },
	{ 0, NULL },
};

static PyType_Spec exporter_spec = {
	"zio._buffer.Exporter", sizeof(PyObject), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, exporter_slots,
};

/* The thread that uses an object of the library */
struct user {
	PyObject_HEAD
	unsigned long thread;	/* 0: none */
};

/* After Ctrl-C between the calls, the thread may enter again. */
static PyObject *user_enter(PyObject *self, PyObject *unused)
{
	unsigned long me = PyThread_get_thread_ident(), is = 0;

	(void)unused;
	if (!__atomic_compare_exchange_n(&((struct user *)self)->thread, &is, me, 0,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) &&
	    is != me) {
		PyErr_SetString(PyExc_ValueError,
				"another thread is using it: open one per thread");
		return NULL;
	}
	Py_RETURN_NONE;
}

static PyObject *user_leave(PyObject *self, PyObject *unused)
{
	(void)unused;
	__atomic_store_n(&((struct user *)self)->thread, 0, __ATOMIC_RELEASE);
	Py_RETURN_NONE;
}

static PyObject *user_is_there(PyObject *self, void *closure)
{
	(void)closure;
	return PyBool_FromLong(
		__atomic_load_n(&((struct user *)self)->thread, __ATOMIC_RELAXED) != 0);
}

static PyMethodDef user_methods[] = {
	{ "enter", user_enter, METH_NOARGS, "Raise ValueError if another thread is inside" },
	{ "leave", user_leave, METH_NOARGS, "Let other threads enter" },
	{ "__enter__", user_enter, METH_NOARGS, NULL },
	{ "__exit__", user_leave, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef user_attributes[] = {
	{ "is_there", user_is_there, NULL, "Whether a thread is inside", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot user_slots[] = {
	{ Py_tp_doc, "The thread that uses an object of the library, for with" },
	{ Py_tp_methods, user_methods },
	{ Py_tp_getset, user_attributes },
	{ 0, NULL },
};

static PyType_Spec user_spec = {
	"zio._buffer.User", sizeof(struct user), 0, Py_TPFLAGS_DEFAULT, user_slots,
};

static int add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
	PyObject *type = PyType_FromSpec(spec);

	if (!type || PyModule_AddObject(module, name, type)) {
		Py_XDECREF(type);
		return -1;
	}
	return 0;
}

static int add_types(PyObject *module)
{
	return add_type(module, "Memory", &memory_spec) ||
	       add_type(module, "Exporter", &exporter_spec) ||
	       add_type(module, "User", &user_spec) ? -1 : 0;
}

static PyModuleDef_Slot module_slots[] = {
	{ Py_mod_exec, add_types },
#ifdef Py_GIL_DISABLED
	{ Py_mod_gil, Py_MOD_GIL_NOT_USED },
#endif
	{ 0, NULL },
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "zio._buffer",
	.m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__buffer(void)
{
	return PyModuleDef_Init(&module);
}
