// SPDX-License-Identifier: BSD-3-Clause
#include "chunk.h"

#include "control/base/memory.h"

#include <string.h>

#define ROOM_LEAST 16
#define VARINT_MOST 10 // bytes

static void
grow(struct film_bytes *b, size_t count)
{
	b->room = 2 * b->room > b->count + count ? 2 * b->room : b->count + count;
	if (b->room < ROOM_LEAST)
		b->room = ROOM_LEAST;
	b->data = memory_resize(b->data, b->room, 1, "bytes of a film");
}

void
film_bytes_add(struct film_bytes *b, const void *data, size_t count)
{
	if (count == 0)
		return;
	if (b->count + count > b->room)
		grow(b, count);
	memcpy(b->data + b->count, data, count);
	b->count += count;
}

void
film_put_varint(struct film_bytes *b, uint64_t value)
{
	if (b->count + VARINT_MOST > b->room)
		grow(b, VARINT_MOST);
	for (; value > 0x7f; value >>= 7)
		b->data[b->count++] = (uint8_t)(value | 0x80);
	b->data[b->count++] = (uint8_t)value;
}

void
film_totals_note(struct film_totals *t, uint32_t from, uint32_t to, uint64_t value)
{
	if (value == 0)
		return;
	if (value > t->peak)
		t->peak = value;
	for (uint32_t i = from; i < to; i++)
		if (!t->most)
			t->values[i] += value;
		else if (value > t->values[i])
			t->values[i] = value;
}

// Puts the intervals before `to` in which the value has stayed the same.
static void
put_run(struct film_series *s, struct film_totals *t, uint32_t to)
{
	if (to == s->next)
		return;
	film_put_varint(&s->bytes, 0);
	film_put_varint(&s->bytes, to - s->next);
	film_totals_note(t, s->next, to, s->value);
	s->next = to;
}

void
film_series_put(struct film_series *s, struct film_totals *t, uint32_t at, uint64_t value)
{
	uint64_t up = value - s->value, down = s->value - value;

	if (value == s->value)
		return;
	put_run(s, t, at);
	film_put_varint(&s->bytes, value > s->value ? 2 * up : 2 * down - 1);
	film_totals_note(t, at, at + 1, value);
	s->value = value;
	s->next = at + 1;
}

bool
film_series_end(struct film_series *s, struct film_totals *t, uint32_t count)
{
	if (s->next == 0 && s->value == 0)
		return false;
	put_run(s, t, count);
	return true;
}

void
film_series_clear(struct film_series *s)
{
	s->bytes.count = 0;
	s->value = 0;
	s->next = 0;
}
