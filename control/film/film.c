// SPDX-License-Identifier: BSD-3-Clause
// Most of a fabric does nothing most of the time, and most of what a port has is never used. So a
// film reads only the priorities, queues, groups and reasons that some packet has met; a series
// grows by the change of its value, and there is only room for what was ever not 0.
#include "film.h"

#include "chunk.h"
#include "columns.h"
#include "control/base/memory.h"
#include "control/fabric/gather.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_INTERVALS 256
#define CHUNK_LEAST 16
// Columns of all ports and nodes in all intervals of a chunk that is not shorter than the others.
#define CHUNK_VALUES (UINT64_C(64) << 20)

#define OVERVIEW_POINTS 1024

// What a film keeps of a column at a port or node, by index.
struct place {
	uint64_t met; // bit per index (the first 64) that is read
	struct {
		uint64_t last; // of a sum: the total
		struct film_series series;
	} of[];
};

struct column {
	const struct film_column *row;
	const struct film_scope_row *scope;
	unsigned int width;
	struct place **places; // by port or node
	uint32_t count;        // of them
	struct film_overview overview;
	uint64_t points[OVERVIEW_POINTS]; // of the whole film
};

struct film {
	struct film_options options;
	const struct topology *topology;
	uint32_t *first_port;
	struct column *columns;
	unsigned int column_count;
	struct gather *gather;
	ps_t begun;              // the present interval
	ps_t next;               // its end
	uint32_t first;          // interval of the chunk
	uint32_t count;          // of intervals in it
	uint32_t room;           // for them
	ps_t chunk_begun;        // the first of them
	struct film_series ends; // lengths of the intervals
	struct film_overview no_overview;
	uint64_t *noted;     // peaks of copies, by port and queue; NULL: nodes are read themselves
	uint32_t every;      // intervals of a point of the overview
	uint32_t points;     // of them, the last one perhaps not complete
	uint32_t last_point; // intervals in the last one
	ps_t end;            // of the last chunk that was handed over
	bool primes;         // the first reading, of what was counted before
	bool ended;
};

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
create_column(struct film *film, struct column *c, const struct film_column *row)
{
	const struct film_scope_row *scope = film_scope_row(row->scope);
	const struct topology *t = film->topology;

	c->row = row;
	c->scope = scope;
	c->width = film_width(&film->options, row->scope);
	c->count = scope->of_port ? film->first_port[scope->of_host ? t->node_count : t->first_host]
				  : t->first_host;
	c->places = memory_array(c->count, sizeof(struct place *), "columns of a film");
	c->overview.most = row->kind != FILM_SUM;
	c->overview.points = memory_array(film->room, sizeof(uint64_t), "columns of a film");
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

static void read_all(struct film *film, ps_t now);

struct film *
film_create(const struct film_options *options)
{
	struct film *film = memory_new(sizeof(*film), "film");
	const struct film_column *rows;
	json_t *header;

	film->options = *options;
	film->topology = options->fabric->topology;
	film->first_port = film_first_ports(film->topology);
	film->room = choose_room(film);
	rows = film_columns(&film->column_count);
	film->columns = memory_array(film->column_count, sizeof(*film->columns), "columns");
	for (unsigned int i = 0; i < film->column_count; i++)
		create_column(film, &film->columns[i], &rows[i]);
	if (options->times != NULL)
		film->noted =
			memory_array(PRIORITIES * film->first_port[film->topology->first_host],
				     sizeof(*film->noted), "peaks of queues");
	film->no_overview.points = memory_array(film->room, sizeof(uint64_t), "intervals");
	film->gather = gather_create(options->fabric->ranks, 0);
	film->begun = film->chunk_begun = film->end = options->start;
	film->next = options->start + options->interval;
	film->every = 1;
	film->primes = true;
	read_all(film, options->start);
	film->primes = false;
	header = film_header(options);
	film_begin_again(film, header);
	json_decref(header);
	return film;
}

static void
free_place(struct place *p, unsigned int width)
{
	if (p == NULL)
		return;
	for (unsigned int i = 0; i < width; i++)
		free(p->of[i].series.bytes.data);
	free(p);
}

void
film_destroy(struct film *film)
{
	if (film == NULL)
		return;
	for (unsigned int i = 0; i < film->column_count; i++) {
		struct column *c = &film->columns[i];

		for (uint32_t k = 0; k < c->count; k++)
			free_place(c->places[k], c->width);
		free(c->places);
		free(c->overview.points);
	}
	gather_destroy(film->gather);
	free(film->ends.bytes.data);
	free(film->no_overview.points);
	free(film->noted);
	free(film->columns);
	free(film->first_port);
	free(film);
}

// ---- reading ------------------------------------------------------------------------------------

static struct place *
make_place(struct column *c, uint32_t at)
{
	struct place *p = memory_new(sizeof(*p) + c->width * sizeof(*p->of), "a series");

	c->places[at] = p;
	return p;
}

// A total may begin anew: another node has come to stand for a host.
static uint64_t
grown(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now;
}

// The value of an index, or the total of a sum.
static uint64_t
read_value(struct film *film, const struct column *c, uint32_t place, unsigned int index,
	   const struct counter_place *at)
{
	uint64_t value = c->row->read(at, index), *noted;

	if (c->row->kind != FILM_PEAK || film->noted == NULL)
		return value;
	noted = &film->noted[(size_t)place * PRIORITIES + index];
	value = *noted > value ? *noted : value;
	*noted = 0;
	return value;
}

// Reads the indexes of a column at a port or node that can have changed: `met`, and what was ever
// read of it.
static void
read_place(struct film *film, struct column *c, uint32_t place, const struct counter_place *at,
	   uint64_t met)
{
	const bool sum = c->row->kind == FILM_SUM;
	struct place *p = c->places[place];

	if (p != NULL)
		met = p->met |= met;
	for (unsigned int i = 0; met != 0 && i < c->width; i++) {
		uint64_t value;

		if (i < 64 && !(met >> i & 1))
			continue;
		value = read_value(film, c, place, i, at);
		if (p == NULL && value == 0)
			continue;
		if (p == NULL) {
			p = make_place(c, place);
			p->met = met;
		}
		if (sum) {
			uint64_t total = value;

			value = grown(p->of[i].last, total);
			p->of[i].last = total;
		}
		if (!film->primes)
			film_series_put(&p->of[i].series, &c->overview, film->count, value);
	}
}

// A peak begins again where the level is.
void
film_restart_peaks(const struct node *n, unsigned int port)
{
	struct port *p = &n->ports[port];

	for (unsigned int bits = n->queues_met; bits != 0; bits &= bits - 1) {
		const unsigned int tc = (unsigned int)__builtin_ctz(bits);
		struct watermark_before *before = &p->queue_cold[tc].depth_before;
		uint32_t depth = n->depth[tc * n->port_count + port];
		uint32_t *most = &p->queues[tc].depth_max;

		if (*most == depth)
			continue;
		before->user = watermark_user(before, *most);
		before->persistent = watermark_persistent(before, *most);
		*most = depth;
	}
}

static void
read_node(struct film *film, uint32_t node, ps_t now)
{
	const struct report_node *n = &film->options.nodes[node];
	const struct topo_node *place = &film->topology->nodes[node];
	struct counter_place at = {
		.n = n,
		.now = film->options.times != NULL ? film->options.times[node] : now,
	};
	uint64_t met[FILM_SCOPES];
	bool device;

	for (at.port = 0; at.port < place->port_count; at.port++) {
		uint32_t index = film->first_port[node] + at.port;

		device = film_faces_device(film->options.fabric, &place->ports[at.port]);
		for (unsigned int i = 0; i < FILM_SCOPES; i++)
			met[i] = film_scope_row(i)->met(&at);
		for (unsigned int i = 0; i < film->column_count; i++) {
			struct column *c = &film->columns[i];

			if (c->scope->of_port && index < c->count && (device || !c->row->device))
				read_place(film, c, index, &at, met[c->row->scope]);
		}
		if (node < film->topology->first_host && film->noted == NULL)
			film_restart_peaks(n->node, at.port);
	}
	for (unsigned int i = 0; i < film->column_count; i++)
		if (!film->columns[i].scope->of_port && node < film->columns[i].count)
			read_place(film, &film->columns[i], node, &at,
				   film->columns[i].scope->met(&at));
}

void
film_note_peaks(struct film *film)
{
	const struct topology *t = film->topology;

	for (uint32_t i = 0; i < t->first_host; i++) {
		const struct report_node *n = &film->options.nodes[i];
		const uint64_t cell = (uint64_t)counters_cell(n);

		for (uint32_t k = 0; k < t->nodes[i].port_count * PRIORITIES; k++) {
			const struct port *p = &n->node->ports[k / PRIORITIES];
			uint64_t *noted = &film->noted[film->first_port[i] * PRIORITIES + k];
			uint64_t most = p->queues[k % PRIORITIES].depth_max * cell;

			*noted = most > *noted ? most : *noted;
		}
	}
}

static void
read_all(struct film *film, ps_t now)
{
	for (uint32_t i = 0; i < film->topology->node_count; i++)
		if (film->options.nodes[i].node != NULL)
			read_node(film, i, now);
}

// ---- chunks -------------------------------------------------------------------------------------

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
	bool sends = gather_sends(film->gather);
	struct place *p = c->places[index];

	for (unsigned int i = 0; p != NULL && i < c->width; i++) {
		struct film_series *s = &p->of[i].series;
		struct piece_head head = {.place = index * c->width + i};

		if (!film_series_end(s, &c->overview, film->count))
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
	bool of_port = c->scope->of_port;
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
	film_series_end(&film->ends, &film->no_overview, film->count);
	film_bytes_add(chunk, film->ends.bytes.data, film->ends.bytes.count);
	film_series_clear(&film->ends);
}

static void note_points(struct film *film);

static void
end_chunk(struct film *film)
{
	struct film_block block = {.type = "CHNK", .first = film->first, .count = film->count};
	struct film_bytes chunk = {.count = 0};
	struct gathered rest = {.series = 0};

	if (film->count == 0)
		return;
	begin_chunk(film, &chunk);
	for (unsigned int i = 0; i < film->column_count; i++)
		end_column(film, i, &chunk);
	gather_finish(film->gather, use_series, &rest); // the run ends if a rank is gone
	free(rest.bytes.data);
	note_points(film);
	hand_over(film, &block, chunk.data, chunk.count);
	free(chunk.data);
	if (!film->ended)
		film->end = film->begun;
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
	read_all(film, now);
	film_series_put(&film->ends, &film->no_overview, film->count,
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

// ---- the overview -------------------------------------------------------------------------------

// Makes two points one.
static void
halve(struct film *film)
{
	for (unsigned int i = 0; i < film->column_count; i++) {
		struct column *c = &film->columns[i];

		for (uint32_t k = 0; k < OVERVIEW_POINTS / 2; k++) {
			uint64_t a = c->points[2 * k], b = c->points[2 * k + 1];

			c->points[k] = !c->overview.most ? a + b : a > b ? a : b;
		}
		memset(c->points + OVERVIEW_POINTS / 2, 0,
		       OVERVIEW_POINTS / 2 * sizeof(*c->points));
	}
	film->every *= 2;
	film->points = OVERVIEW_POINTS / 2;
	film->last_point = film->every;
}

static void
note_interval(struct film *film, uint32_t at)
{
	if (film->points == 0 || film->last_point == film->every) {
		if (film->points == OVERVIEW_POINTS)
			halve(film);
		film->points++;
		film->last_point = 0;
	}
	film->last_point++;
	for (unsigned int i = 0; i < film->column_count; i++) {
		struct column *c = &film->columns[i];
		uint64_t *point = &c->points[film->points - 1], value = c->overview.points[at];

		if (!c->overview.most)
			*point += value;
		else if (value > *point)
			*point = value;
	}
}

// Adds up what ranks have of the chunk's intervals, and adds it to the points.
static void
note_points(struct film *film)
{
	struct ranks *ranks = film->options.fabric->ranks;

	for (unsigned int i = 0; i < film->column_count; i++)
		ranks_reduce(ranks, film->columns[i].overview.most ? RANKS_MOST : RANKS_SUM,
			     film->columns[i].overview.points, film->count);
	for (uint32_t at = 0; at < film->count; at++)
		note_interval(film, at);
	for (unsigned int i = 0; i < film->column_count; i++)
		memset(film->columns[i].overview.points, 0, film->room * sizeof(uint64_t));
	memset(film->no_overview.points, 0, film->room * sizeof(uint64_t));
}

void
film_add_overview(struct film *film, json_t *to)
{
	json_t *overview = json_pack("{s:I}", "every", (json_int_t)film->every);
	json_t *peaks = json_object();

	for (unsigned int i = 0; i < film->column_count; i++) {
		struct column *c = &film->columns[i];
		json_t *points = json_array();

		ranks_reduce(film->options.fabric->ranks, RANKS_MOST, &c->overview.peak, 1);
		for (uint32_t k = 0; k < film->points && c->overview.peak != 0; k++)
			json_array_append_new(points, json_integer((json_int_t)c->points[k]));
		json_object_set_new(overview, c->row->name, points);
		json_object_set_new(peaks, c->row->name,
				    json_integer((json_int_t)c->overview.peak));
	}
	json_object_set_new(to, "overview", overview);
	json_object_set_new(to, "peaks", peaks);
}

// ---- flows --------------------------------------------------------------------------------------

static json_t *
time_json(ps_t at)
{
	return at != PS_NEVER ? json_integer((json_int_t)(at / PS_PER_NS)) : json_null();
}

static json_t *
flow_json(const struct film_options *o, uint32_t id, const struct report_flow *report)
{
	const struct flow_spec *flow = &o->workload->flows[id];
	const json_int_t first = o->fabric->topology->first_host;
	ps_t start = report != NULL ? report->start : PS_NEVER, end = PS_NEVER;

	if (start != PS_NEVER && report->fct != PS_NEVER)
		end = report->end != 0 ? report->end : start + report->fct;
	return json_pack("{s:I,s:s,s:I,s:I,s:o,s:I,s:o,s:o}", "id", (json_int_t)id, "item",
			 fabric_flows_item(o->flows, id), "src", first + flow->src, "dst",
			 first + flow->dst, "tenant",
			 flow->tenant != TENANT_NONE ? json_integer(flow->tenant) : json_null(),
			 "bytes", (json_int_t)flow->bytes, "start_ns", time_json(start), "end_ns",
			 time_json(end));
}

json_t *
film_list_flows(const struct film_options *options, const struct report_flow *reports,
		uint32_t most)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < options->workload->flow_count && json_array_size(out) < most;
	     i++) {
		struct flow_pair first;

		// A flow inside a host, or left to an attached host, has none, and no report.
		if (fabric_flows_pair(options->flows, i, 0, &first) != 0)
			continue;
		json_array_append_new(out, flow_json(options, i, reports));
		reports = reports != NULL ? reports + 1 : NULL;
	}
	return out;
}
