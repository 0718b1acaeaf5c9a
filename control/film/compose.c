// SPDX-License-Identifier: BSD-3-Clause
// A chunk of all series: column by column, node by node, those of other ranks between one's own.
#include "film_internal.h"

#include "control/fabric/gather.h"

#include <stdlib.h>
#include <string.h>

// The series of a column on their way into a chunk.
struct gathered {
	struct film_bytes bytes;
	uint64_t series;
	uint32_t place; // of the last one
};

struct piece_head {
	uint32_t place;
	uint32_t size;
};

static void
append(struct gathered *to, uint32_t place, const void *bytes, size_t size)
{
	film_put_varint(&to->bytes, place - to->place);
	film_bytes_add(&to->bytes, bytes, size);
	to->place = place;
	to->series++;
}

// Series of another rank, each with its head.
static void
use_series(void *context, const struct gather_piece *piece)
{
	const uint8_t *data = piece->data;
	struct piece_head head;

	for (size_t at = 0; at < piece->count; at += sizeof(head) + head.size) {
		memcpy(&head, data + at, sizeof(head));
		append(context, head.place, data + at + sizeof(head), head.size);
	}
}

// Completes the series of a column at a port or node and empties them.
static void
end_place(struct film *film, struct column *c, uint32_t index, struct gathered *to)
{
	const unsigned int width = film->scopes[c->row->scope].width;
	bool sends = gather_sends(film->gather);
	struct film_value *values = c->places[index];

	for (unsigned int i = 0; values != NULL && i < width; i++) {
		struct film_series *s = &values[i].series;
		struct piece_head head = {.place = index * width + i};

		if (!film_series_end(s, c->totals, film->count))
			continue;
		head.size = (uint32_t)s->bytes.count;
		if (sends) {
			film_bytes_add(&to->bytes, &head, sizeof(head));
			film_bytes_add(&to->bytes, s->bytes.data, s->bytes.count);
		} else {
			append(to, head.place, s->bytes.data, s->bytes.count);
		}
		film_series_clear(s);
	}
}

static void
end_node(struct film *film, struct column *c, uint32_t node, struct gathered *to)
{
	bool of_port = film->scopes[c->row->scope].row->of_port;
	uint32_t from = of_port ? film->first_port[node] : node;
	uint32_t until = of_port ? film->first_port[node + 1] : node + 1;

	for (uint32_t i = from; i < until && i < c->count; i++)
		end_place(film, c, i, to);
}

// Adds the values of a column to a chunk; number: its own.
static void
end_column(struct film *film, unsigned int number, struct film_bytes *chunk)
{
	struct column *c = &film->columns[number];
	const uint32_t nodes = film->topology->node_count;
	bool sends = gather_sends(film->gather);
	struct gathered to = {.series = 0};

	for (uint32_t i = 0; i < nodes; i++) {
		gather_take(film->gather, number * nodes + i, use_series, &to);
		if (film->options.nodes[i].node == NULL)
			continue;
		end_node(film, c, i, &to);
		if (!sends || to.bytes.count == 0)
			continue;
		gather_at(film->gather, number * nodes + i);
		gather_put(film->gather, 0, to.bytes.data, to.bytes.count);
		to.bytes.count = 0;
	}
	if (to.series != 0) {
		film_put_varint(chunk, number);
		film_put_varint(chunk, to.series);
		film_bytes_add(chunk, to.bytes.data, to.bytes.count);
	}
	free(to.bytes.data);
}

static void
begin_chunk(struct film *film, struct film_bytes *chunk)
{
	film_put_varint(chunk, film->chunk_begun / PS_PER_NS);
	film_series_end(&film->ends, &film->no_totals, film->count);
	film_bytes_add(chunk, film->ends.bytes.data, film->ends.bytes.count);
	film_series_clear(&film->ends);
}

void
film_compose(struct film *film, struct film_bytes *chunk)
{
	struct gathered rest = {.series = 0};

	begin_chunk(film, chunk);
	for (unsigned int i = 0; i < film->column_count; i++)
		end_column(film, i, chunk);
	gather_finish(film->gather, use_series, &rest); // the run ends if a rank is gone
	free(rest.bytes.data);
}
