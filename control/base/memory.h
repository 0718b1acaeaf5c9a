// SPDX-License-Identifier: BSD-3-Clause
// Memory of the control plane. An allocation that fails ends the process with one line on standard
// error that says what was being built and how large it was:
//
//     roost: out of memory: 1,048,576 switch tables of 2.1 KB (2.2 GB)
//
// So callers never check for NULL, and error returns are left to what a user can cause or the
// system can refuse. Sizes that come from a file or a peer are limited before they get here: a
// hostile input is refused with an error, it does not end the process.
//
// The process ends by _exit(1), from whichever thread was allocating: exit handlers could wait for
// locks that this thread holds. For a live fabric this is the same as kill -9: its namespaces stay
// until `roost down NAME` or the next `up` of that name removes them, and its revisions on disk are
// those of the last change that was complete.
//
// `what` is a short constant, a plural noun for arrays: "routes". All memory is for free(). Any
// thread.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

// One zeroed object.
void *memory_new(size_t size, const char *what) __attribute__((malloc, returns_nonnull));
// `count` zeroed items of `size` bytes each. A count of 0 is fine.
void *memory_array(size_t count, size_t size, const char *what)
	__attribute__((malloc, returns_nonnull));

// Makes room for one more item in an array of `count` and returns the array, which may have moved;
// the new item is not zeroed. The room doubles whenever count is a power of two, so the array needs
// no capacity beside it, but must have been built by this function alone, from NULL.
//     list->items = memory_grow(list->items, list->count, sizeof(*list->items), "links");
//     list->items[list->count++] = link;
void *memory_grow(void *items, size_t count, size_t size, const char *what)
	__attribute__((returns_nonnull));
// Gives an array room for exactly `count` items; items that are new are not zeroed.
void *memory_resize(void *items, size_t count, size_t size, const char *what)
	__attribute__((returns_nonnull));

// A copy of `count` items of `size` bytes.
void *memory_copy(const void *items, size_t count, size_t size, const char *what)
	__attribute__((malloc, returns_nonnull));
// A copy of a text; of NULL, NULL.
char *memory_text(const char *text);
// A copy of the first `length` bytes of a text, with a NUL behind.
char *memory_text_part(const char *text, size_t length) __attribute__((malloc, returns_nonnull));
// A text by the rules of printf.
char *memory_format(const char *format, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
char *memory_vformat(const char *format, va_list args)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 0)));

// A stream that writes to memory, as open_memstream() does: *text, for free(), and *size are valid
// after fflush() or fclose(), which cannot fail. It cannot seek.
FILE *memory_stream_open(char **text, size_t *size) __attribute__((returns_nonnull));

// Ends the process as above: for libraries that report that memory has run out. count: items of
// `size` bytes, or 1 for one object.
void memory_exhausted(size_t count, size_t size, const char *what) __attribute__((noreturn));

// Begins the message with this name instead of "roost": where several processes print to one place.
void memory_name_process(const char *name);

// Has memory_exhausted() call `end` after its message and before the process ends, to leave things
// in order. Not again if that runs out of memory too. NULL: nothing. Control thread.
void memory_at_exhaustion(void (*end)(void *context), void *context);

// Gives these allocators to jansson, so that json_*() fails only for values that are not valid
// (json_string() of bytes that are not UTF-8). Call it once, before the first value is made.
void memory_use_for_json(void);
