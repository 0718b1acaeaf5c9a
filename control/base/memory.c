// SPDX-License-Identifier: BSD-3-Clause
#include "memory.h"

#include "text.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// "1,048,576"
static void
format_count(char *text, size_t size, size_t count)
{
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%zu", count), out = 0;

	for (size_t i = 0; i < length && out + 2 < size; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			text[out++] = ',';
		text[out++] = digits[i];
	}
	text[out] = '\0';
}

static void (*at_exhaustion)(void *context);
static void *exhaustion_context;

void
memory_at_exhaustion(void (*end)(void *context), void *context)
{
	at_exhaustion = end;
	exhaustion_context = context;
}

static void __attribute__((noreturn)) end_process(void)
{
	void (*end)(void *context) = at_exhaustion;

	at_exhaustion = NULL;
	if (end != NULL)
		end(exhaustion_context);
	_exit(1);
}

static char process_name[32] = "roost";

void
memory_name_process(const char *name)
{
	snprintf(process_name, sizeof(process_name), "%s", name);
}

// Nothing here may allocate, so the line is built on the stack and written by a system call.
void
memory_exhausted(size_t count, size_t size, const char *what)
{
	static const char clear[] = "\r\033[K"; // a line of progress
	char line[256], items[32], each[TEXT_VALUE_MAX], all[TEXT_VALUE_MAX];
	size_t total;
	int length;

	format_count(items, sizeof(items), count);
	if (count == 1)
		length = snprintf(line, sizeof(line), "%s: out of memory: %s (%s)\n", process_name,
				  what, text_bytes(all, size));
	else if (__builtin_mul_overflow(count, size, &total))
		length = snprintf(line, sizeof(line), "%s: out of memory: %s %s of %s\n",
				  process_name, items, what, text_bytes(each, size));
	else
		length = snprintf(line, sizeof(line), "%s: out of memory: %s %s of %s (%s)\n",
				  process_name, items, what, text_bytes(each, size),
				  text_bytes(all, total));
	if (length > (int)sizeof(line) - 1)
		length = sizeof(line) - 1;
	if (isatty(STDERR_FILENO) && write(STDERR_FILENO, clear, sizeof(clear) - 1) < 0)
		end_process();
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		end_process(); // there is nobody to tell
	end_process();
}

void *
memory_new(size_t size, const char *what)
{
	return memory_array(1, size, what);
}

void *
memory_array(size_t count, size_t size, const char *what)
{
	void *items = calloc(count > 0 ? count : 1, size);

	if (items == NULL)
		memory_exhausted(count, size, what);
	return items;
}

void *
memory_resize(void *items, size_t count, size_t size, const char *what)
{
	// realloc() of 0 bytes would free.
	void *grown = reallocarray(items, count > 0 ? count : 1, size);

	if (grown == NULL)
		memory_exhausted(count, size, what);
	return grown;
}

void *
memory_grow(void *items, size_t count, size_t size, const char *what)
{
	if ((count & (count - 1)) != 0)
		return items;
	return memory_resize(items, count > 0 ? 2 * count : 1, size, what);
}

void *
memory_copy(const void *items, size_t count, size_t size, const char *what)
{
	void *copy = memory_array(count, size, what);

	if (count > 0)
		memcpy(copy, items, count * size);
	return copy;
}

char *
memory_text(const char *text)
{
	return text != NULL ? memory_text_part(text, strlen(text)) : NULL;
}

char *
memory_text_part(const char *text, size_t length)
{
	char *copy = malloc(length + 1);

	if (copy == NULL)
		memory_exhausted(1, length + 1, "text");
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *
memory_vformat(const char *format, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		memory_exhausted(1, strlen(format), "text");
	return text;
}

char *
memory_format(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = memory_vformat(format, args);
	va_end(args);
	return text;
}

// What a stream has written; open_memstream() is not used because it drops what has no room without
// setting the stream's error.
struct memory_stream {
	char **text;
	size_t *size;
	size_t room;
};

static ssize_t
stream_write(void *cookie, const char *bytes, size_t count)
{
	struct memory_stream *s = cookie;
	size_t needed = *s->size + count + 1;

	if (needed > s->room) {
		s->room = needed > 2 * s->room ? needed : 2 * s->room;
		*s->text = realloc(*s->text, s->room);
		if (*s->text == NULL)
			memory_exhausted(1, s->room, "text");
	}
	memcpy(*s->text + *s->size, bytes, count);
	*s->size += count;
	(*s->text)[*s->size] = '\0';
	return (ssize_t)count;
}

// Only what ftell() needs.
static int
stream_seek(void *cookie, off64_t *offset, int whence)
{
	struct memory_stream *s = cookie;

	if (whence != SEEK_CUR || *offset != 0)
		return -1;
	*offset = (off64_t)*s->size;
	return 0;
}

static int
stream_close(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *
memory_stream_open(char **text, size_t *size)
{
	static const cookie_io_functions_t functions = {
		.write = stream_write, .seek = stream_seek, .close = stream_close};
	struct memory_stream *s = memory_new(sizeof(*s), "stream");
	FILE *stream = fopencookie(s, "w", functions);

	if (stream == NULL)
		memory_exhausted(1, BUFSIZ, "stream");
	*s = (struct memory_stream){.text = text, .size = size, .room = 256};
	*text = memory_new(s->room, "stream");
	*size = 0;
	return stream;
}

static void *
json_alloc(size_t size)
{
	void *bytes = malloc(size);

	if (bytes == NULL && size > 0)
		memory_exhausted(1, size, "JSON");
	return bytes;
}

void
memory_use_for_json(void)
{
	json_set_alloc_funcs(json_alloc, free);
}
