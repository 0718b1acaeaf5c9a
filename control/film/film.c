// SPDX-License-Identifier: BSD-3-Clause
// The life of a film: it reads the nodes at the end of each interval (sample.c), composes a chunk
// of their series when it is full (compose.c), and hands it over.
#include "film_internal.h"

#include "control/base/memory.h"
#include "control/fabric/gather.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_INTERVALS 256
#define CHUNK_LEAST 16
// Columns of all ports and nodes in all intervals of a chunk that is not shorter than the others.
#define CHUNK_VALUES (UINT64_C(64) << 20)

uint32_t *
film_first_ports(const struct topology *t)
{
	uint32_t *out = memory_array(t->node_count + 1, sizeof(*out), "ports of a film");

	for (uint32_t i = 0; i < t->node_count; i++)
		out[i + 1] = out[i] + t->nodes[i].port_count;
	return out;
}

unsigned int
film_width(const struct film_options *options, unsigned int scope)
{
	return scope == FILM_TENANT ? options->tenants : film_scope_row(scope)->width;
}

// An attached host without a NIC has no node.
bool
film_faces_device(const struct fabric *f, const struct topo_port *port)
{
	if (port->peer_node == TOPOLOGY_NONE)
		return false;
	return port->peer_node >= f->topology->first_host && fabric_is_here(f, port->peer_node) &&
	       f->nodes[port->peer_node] == NULL;
}

// ---- blocks -------------------------------------------------------------------------------------

// Hands over a block, at the first rank; of what it says all ranks take notice.
static void
hand_over(struct film *film, struct film_block *block, const void *data, size_t size)
{
	uint64_t ended = 0;

	if (ranks_first(film->options.fabric->ranks)) {
		film_make_block(block, data, size);
		ended = !film->options.take(film->options.context, block);
		free((void *)block->bytes);
	}
	if (ranks_reduce(film->options.fabric->ranks, RANKS_MOST, &ended, 1) != 0 || ended)
		film->ended = true;
}

void
film_add(struct film *film, const json_t *keys)
{
	struct film_block block = {.type = "META"};
	char *text = keys != NULL ? json_dumps(keys, JSON_COMPACT) : NULL;

	if (ranks_many(film->options.fabric->ranks) || text != NULL)
		hand_over(film, &block, text, text != NULL ? strlen(text) : 0);
	free(text);
}

void
film_begin_again(struct film *film, const json_t *header)
{
	struct film_block begin = {.type = "FILM", .first = FILM_VERSION};

	hand_over(film, &begin, NULL, 0);
	film_add(film, header);
}

// ---- creation -----------------------------------------------------------------------------------

static void
create_scopes(struct film *film)
{
	const struct topology *t = film->topology;
	const struct film_column *rows = film_columns(&film->column_count);

	for (unsigned int i = 0; i < FILM_SCOPES; i++) {
		struct scope *scope = &film->scopes[i];

		scope->row = film_scope_row(i);
		scope->width = film_width(&film->options, i);
		scope->places = scope->row->of_port
					? film->first_port[scope->row->of_host ? t->node_count
									       : t->first_host]
					: t->first_host;
		scope->mask = scope->width < 64 ? (UINT64_C(1) << scope->width) - 1 : UINT64_MAX;
		scope->beyond = scope->width > 64 ? scope->width - 64 : 0;
	}
	for (unsigned int i = 0; i < film->column_count; i++) {
		struct scope *scope = &film->scopes[rows[i].scope];

		scope->first = scope->count == 0 ? i : scope->first;
		scope->count++;
	}
}

static void
create_columns(struct film *film)
{
	const struct film_column *rows = film_columns(&film->column_count);

	film->columns = memory_array(film->column_count, sizeof(*film->columns), "columns");
	film->totals = memory_array(film->column_count, sizeof(*film->totals), "columns");
	for (unsigned int i = 0; i < film->column_count; i++) {
		struct column *c = &film->columns[i];

		c->row = &rows[i];
		c->count = film->scopes[rows[i].scope].places;
		c->places = memory_array(c->count, sizeof(*c->places), "columns of a film");
		c->totals = &film->totals[i];
		c->totals->most = rows[i].kind != FILM_SUM;
		c->totals->values = memory_array(film->room, sizeof(uint64_t), "intervals");
	}
	film->no_totals.values = memory_array(film->room, sizeof(uint64_t), "intervals");
	film->overview = film_overview_create(film->column_count);
}

// Intervals of a chunk: fewer in a large fabric, so that neither side needs much memory for one.
static uint32_t
choose_room(const struct film *film)
{
	uint64_t values = 0, room;
	unsigned int count;
	const struct film_column *rows = film_columns(&count);

	if (film->options.intervals != 0)
		return film->options.intervals;
	for (unsigned int i = 0; i < count; i++)
		values += film_scope_row(rows[i].scope)->width;
	values *= film->first_port[film->topology->node_count] + 1;
	room = CHUNK_VALUES / values;
	return room > CHUNK_INTERVALS ? CHUNK_INTERVALS
	       : room < CHUNK_LEAST   ? CHUNK_LEAST
				      : (uint32_t)room;
}

struct film *
film_create(const struct film_options *options)
{
	struct film *film = memory_new(sizeof(*film), "film");
	json_t *header;

	film->options = *options;
	film->topology = options->fabric->topology;
	film->first_port = film_first_ports(film->topology);
	film->room = choose_room(film);
	create_scopes(film);
	create_columns(film);
	film_sample_create(film);
	film->gather = gather_create(options->fabric->ranks, 0);
	film->begun = film->chunk_begun = film->end = options->start;
	film->next = options->start + options->interval;
	film->primes = true;
	film_sample_read(film, options->start);
	film->primes = false;
	header = film_header(options);
	film_begin_again(film, header);
	json_decref(header);
	return film;
}

static void
free_column(const struct film *film, const struct column *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		for (unsigned int k = 0; c->places[i] != NULL; k++) {
			if (k == film->scopes[c->row->scope].width)
				break;
			free(c->places[i][k].series.bytes.data);
		}
		free(c->places[i]);
	}
	free(c->places);
	free(c->totals->values);
}

void
film_destroy(struct film *film)
{
	if (film == NULL)
		return;
	for (unsigned int i = 0; i < film->column_count; i++)
		free_column(film, &film->columns[i]);
	film_sample_destroy(film);
	film_overview_destroy(film->overview);
	gather_destroy(film->gather);
	free(film->ends.bytes.data);
	free(film->no_totals.values);
	free(film->totals);
	free(film->columns);
	free(film->first_port);
	free(film);
}

// ---- intervals and chunks -----------------------------------------------------------------------

// Adds up what ranks have of the chunk's intervals, and adds it to the overview.
static void
note_totals(struct film *film)
{
	struct ranks *ranks = film->options.fabric->ranks;

	for (unsigned int i = 0; i < film->column_count; i++)
		ranks_reduce(ranks, film->totals[i].most ? RANKS_MOST : RANKS_SUM,
			     film->totals[i].values, film->count);
	film_overview_add(film->overview, film->totals, film->count);
	for (unsigned int i = 0; i < film->column_count; i++)
		memset(film->totals[i].values, 0, film->room * sizeof(uint64_t));
	memset(film->no_totals.values, 0, film->room * sizeof(uint64_t));
}

static void
end_chunk(struct film *film)
{
	struct film_block block = {.type = "CHNK", .first = film->first, .count = film->count};
	struct film_bytes chunk = {.count = 0};

	if (film->count == 0)
		return;
	film_sample_put(film);
	film_compose(film, &chunk);
	hand_over(film, &block, chunk.data, chunk.count);
	free(chunk.data);
	// A chunk that goes beyond the film's limit is not in it, and so not in its overview.
	if (!film->ended) {
		note_totals(film);
		film->end = film->begun;
	}
	film->first += film->count;
	film->count = 0;
	film->chunk_begun = film->begun;
}

ps_t
film_next(const struct film *film)
{
	return film == NULL || film->ended ? PS_NEVER : film->next;
}

ps_t
film_end(const struct film *film)
{
	return film->end;
}

bool
film_ended(const struct film *film)
{
	return film->ended;
}

void
film_take(struct film *film, ps_t now)
{
	if (film->ended || now <= film->begun)
		return;
	film_sample_read(film, now);
	film_series_put(&film->ends, &film->no_totals, film->count,
			now / PS_PER_NS - film->begun / PS_PER_NS);
	film->begun = now;
	film->next = now + film->options.interval -
		     (now - film->options.start) % film->options.interval;
	if (++film->count == film->room)
		end_chunk(film);
}

void
film_flush(struct film *film, ps_t now)
{
	film_take(film, now);
	if (!film->ended)
		end_chunk(film);
}

// Measured: links that carry full packets take 12 to 20 bytes of an interval for both directions,
// with their queues and groups.
#define PORT_BYTES 10

uint64_t
film_interval_bytes(const struct topology *t)
{
	uint64_t ports = 0;

	for (uint32_t i = 0; i < t->node_count; i++)
		ports += t->nodes[i].port_count;
	return ports * PORT_BYTES;
}

void
film_add_overview(struct film *film, json_t *to)
{
	const char **names = memory_array(film->column_count, sizeof(*names), "columns");

	for (unsigned int i = 0; i < film->column_count; i++) {
		names[i] = film->columns[i].row->name;
		ranks_reduce(film->options.fabric->ranks, RANKS_MOST, &film->totals[i].peak, 1);
	}
	film_overview_write(film->overview, names, film->totals, to);
	free(names);
}
