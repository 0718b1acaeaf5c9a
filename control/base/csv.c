// SPDX-License-Identifier: BSD-3-Clause
#include "csv.h"

#include "memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES (1 << 17)
#define NUMBER_BYTES 32 // the longest number

struct csv {
	FILE *to;
	size_t used;
	bool within; // a row: a comma comes before the next field
	char block[BLOCK_BYTES];
};

// Characters for which a text is quoted.
static const bool special[256] = {[','] = true, ['"'] = true, ['\n'] = true, ['\r'] = true};

struct csv *
csv_create(FILE *to)
{
	struct csv *c = memory_new(sizeof(*c), "block of a table");

	c->to = to;
	return c;
}

void
csv_flush(struct csv *c)
{
	fwrite(c->block, 1, c->used, c->to);
	c->used = 0;
}

// Begins a field that takes at most so many bytes.
static void
begin(struct csv *c, size_t bytes)
{
	if (c->used + bytes + 2 > sizeof(c->block)) // with a comma before and a newline behind it
		csv_flush(c);
	if (c->within)
		c->block[c->used++] = ',';
	c->within = true;
}

static void
put_quoted(struct csv *c, const char *text)
{
	c->block[c->used++] = '"';
	for (; *text != '\0'; text++) {
		if (c->used + 4 > sizeof(c->block))
			csv_flush(c);
		if (*text == '"')
			c->block[c->used++] = '"';
		c->block[c->used++] = *text;
	}
	c->block[c->used++] = '"';
}

void
csv_text(struct csv *c, const char *text)
{
	size_t length = text != NULL ? strlen(text) : 0, i = 0;

	if (length > BLOCK_BYTES / 2) { // longer than any name
		begin(c, 2);
		put_quoted(c, text);
		return;
	}
	begin(c, length + 3);
	for (; i < length && !special[(uint8_t)text[i]]; i++)
		c->block[c->used + i] = text[i];
	if (i < length)
		put_quoted(c, text);
	else
		c->used += length;
}

void
csv_number(struct csv *c, int64_t number)
{
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char digits[NUMBER_BYTES];
	unsigned int count = 0;

	begin(c, NUMBER_BYTES);
	if (number < 0)
		c->block[c->used++] = '-';
	do {
		digits[count++] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest != 0);
	while (count > 0)
		c->block[c->used++] = digits[--count];
}

void
csv_real(struct csv *c, double number)
{
	begin(c, NUMBER_BYTES);
	c->used += (size_t)snprintf(c->block + c->used, NUMBER_BYTES, "%.15g", number);
}

void
csv_empty(struct csv *c)
{
	begin(c, 0);
}

void
csv_end_row(struct csv *c)
{
	c->block[c->used++] = '\n';
	c->within = false;
}

void
csv_copy(struct csv *c, const void *rows, size_t length)
{
	if (c->used + length > sizeof(c->block))
		csv_flush(c);
	if (length > sizeof(c->block)) {
		fwrite(rows, 1, length, c->to);
		return;
	}
	memcpy(c->block + c->used, rows, length);
	c->used += length;
}

void
csv_destroy(struct csv *c)
{
	if (c == NULL)
		return;
	csv_flush(c);
	free(c);
}
