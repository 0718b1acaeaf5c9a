// SPDX-License-Identifier: BSD-3-Clause
// Reading nodes. Most of a fabric does nothing most of the time, and most of what a port has is
// never used. So a film reads only the priorities, queues, groups and reasons that some packet has
// met, and there is only room for what was ever not 0.
//
// The memory of a port is read between two windows of a run, which then needs the cache for itself.
// So what is read goes into rows, one an interval, one value after the other; the series, which
// are all over the memory, take the values of several rows at a time.
#include "film_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>

#define ROWS 16

// ---- sites --------------------------------------------------------------------------------------

static void
add_sites(struct film *film, uint32_t node, uint32_t port, bool of_port)
{
	const uint32_t place = of_port ? film->first_port[node] + port : node;

	for (unsigned int i = 0; i < FILM_SCOPES; i++) {
		const struct scope *scope = &film->scopes[i];

		if (scope->row->of_port != of_port || place >= scope->places || scope->width == 0)
			continue;
		film->sites[film->site_count++] = (struct site){
			.node = node,
			.port = port,
			.place = place,
			.scope = i,
		};
	}
}

void
film_sample_create(struct film *film)
{
	const struct topology *t = film->topology;
	const uint64_t places = film->first_port[t->node_count] + (uint64_t)t->node_count;

	film->sites = memory_array(FILM_SCOPES * places, sizeof(*film->sites), "sites of a film");
	film_create_noted_peaks(film);
	film->here = memory_array(t->node_count, sizeof(*film->here), "nodes of a film");
	film->one_index = memory_array(film->column_count, sizeof(*film->one_index), "columns");
	for (uint32_t i = 0; i < t->node_count; i++) {
		for (uint32_t k = 0; k < t->nodes[i].port_count; k++)
			add_sites(film, i, k, true);
		add_sites(film, i, 0, false);
	}
}

void
film_sample_destroy(struct film *film)
{
	free(film->sites);
	free(film->here);
	free(film->one_index);
	free(film->noted);
	free(film->rows);
}

// How many values a row has for them.
static void
lay_out(struct film *film)
{
	film->row_values = 0;
	for (uint32_t i = 0; i < film->site_count; i++) {
		struct site *site = &film->sites[i];
		const struct scope *scope = &film->scopes[site->scope];
		unsigned int indexes;

		site->met |= site->grown;
		site->grown = 0;
		indexes = (unsigned int)__builtin_popcountll(site->met) +
			  (site->met != 0 ? scope->beyond : 0);
		if (film->here[site->node])
			film->row_values += (size_t)indexes * scope->count;
	}
	film->grown = false;
	film->rows =
		memory_resize(film->rows, ROWS * film->row_values + 1, sizeof(*film->rows), "rows");
}

// ---- values -------------------------------------------------------------------------------------

// Values of one place in successive intervals.
struct values {
	const uint64_t *first;
	size_t stride;
	uint32_t count;
	uint32_t from; // interval of the chunk
};

// A total may begin anew: another node has come to stand for a host.
static uint64_t
grown(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now;
}

static bool
are_zero(const struct values *v)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < v->count; i++)
		any |= v->first[i * v->stride];
	return any == 0;
}

static void
put_values(struct film *film, struct column *c, struct film_value *to, const struct values *v)
{
	const bool sum = c->row->kind == FILM_SUM;

	for (uint32_t i = 0; i < v->count; i++) {
		const uint64_t read = v->first[i * v->stride];
		const uint64_t value = sum ? grown(to->last, read) : read;

		to->last = read;
		if (value != to->series.value && !film->primes)
			film_series_put(&to->series, c->totals, v->from + i, value);
	}
}

// The columns of an index of a site, whose values stand side by side.
static void
put_index(struct film *film, const struct site *site, unsigned int index, struct values v)
{
	const struct scope *scope = &film->scopes[site->scope];
	const struct topo_port *port = &film->topology->nodes[site->node].ports[site->port];

	for (unsigned int i = 0; i < scope->count; i++, v.first++) {
		struct column *c = &film->columns[scope->first + i];
		struct film_value **place = &c->places[site->place];

		if (c->row->device && !film_faces_device(film->options.fabric, port))
			continue;
		if (*place == NULL && are_zero(&v))
			continue;
		if (*place == NULL)
			*place = memory_array(scope->width, sizeof(**place), "a series");
		put_values(film, c, &(*place)[index], &v);
	}
}

void
film_sample_put(struct film *film)
{
	struct values v = {film->rows, film->row_values, film->row_count, film->row_first};

	for (uint32_t i = 0; i < film->site_count && film->row_count != 0; i++) {
		const struct site *site = &film->sites[i];
		const struct scope *scope = &film->scopes[site->scope];

		if (!film->here[site->node])
			continue;
		for (uint64_t bits = site->met; bits != 0; bits &= bits - 1) {
			put_index(film, site, (unsigned int)__builtin_ctzll(bits), v);
			v.first += scope->count;
		}
		for (unsigned int k = 0; site->met != 0 && k < scope->beyond; k++) {
			put_index(film, site, 64 + k, v);
			v.first += scope->count;
		}
	}
	film->row_count = 0;
}

// ---- reading ------------------------------------------------------------------------------------

static uint64_t *
read_index(struct film *film, const struct site *site, const struct counter_place *at,
	   unsigned int index, uint64_t *out)
{
	const struct scope *scope = &film->scopes[site->scope];

	scope->row->read(at, index, out);
	if (film->noted != NULL && site->scope == FILM_QUEUE)
		film_use_noted_peaks(film, site, index, out);
	return out + scope->count;
}

// What nothing had met before has no place in this row yet.
static void
read_grown(struct film *film, struct site *site, const struct counter_place *at,
	   uint64_t grown_bits)
{
	const struct scope *scope = &film->scopes[site->scope];
	const struct values v = {film->one_index, 1, 1, film->count};

	for (uint64_t bits = grown_bits; bits != 0; bits &= bits - 1) {
		const unsigned int index = (unsigned int)__builtin_ctzll(bits);

		read_index(film, site, at, index, film->one_index);
		put_index(film, site, index, v);
	}
	for (unsigned int k = 0; site->met == 0 && k < scope->beyond; k++) {
		read_index(film, site, at, 64 + k, film->one_index);
		put_index(film, site, 64 + k, v);
	}
	site->grown = grown_bits;
	film->grown = true;
}

static uint64_t *
read_site(struct film *film, struct site *site, ps_t now, uint64_t *out)
{
	const struct counter_place at = {
		.n = &film->options.nodes[site->node],
		.port = site->port,
		.now = film->options.times != NULL ? film->options.times[site->node] : now,
	};
	const struct scope *scope = &film->scopes[site->scope];
	const uint64_t new = scope->row->met(&at) & scope->mask & ~site->met;

	for (uint64_t bits = site->met; bits != 0; bits &= bits - 1)
		out = read_index(film, site, &at, (unsigned int)__builtin_ctzll(bits), out);
	for (unsigned int k = 0; site->met != 0 && k < scope->beyond; k++)
		out = read_index(film, site, &at, 64 + k, out);
	if (new != 0)
		read_grown(film, site, &at, new);
	if (film->noted == NULL && site->scope == FILM_QUEUE)
		film_restart_peaks(at.n->node, site->port);
	return out;
}

// Which nodes there are to read; live, that changes.
static void
find_nodes(struct film *film)
{
	bool changed = false;

	for (uint32_t i = 0; i < film->topology->node_count && !changed; i++)
		changed = film->here[i] != (film->options.nodes[i].node != NULL);
	if (!changed)
		return;
	film_sample_put(film);
	for (uint32_t i = 0; i < film->topology->node_count; i++)
		film->here[i] = film->options.nodes[i].node != NULL;
	lay_out(film);
}

void
film_sample_read(struct film *film, ps_t now)
{
	uint64_t *out;

	find_nodes(film);
	if (film->row_count == 0)
		film->row_first = film->count;
	out = film->rows + film->row_count * film->row_values;
	for (uint32_t i = 0; i < film->site_count; i++)
		if (film->here[film->sites[i].node])
			out = read_site(film, &film->sites[i], now, out);
	film->row_count++;
	if (film->row_count == ROWS || film->grown)
		film_sample_put(film);
	if (film->grown)
		lay_out(film);
}
