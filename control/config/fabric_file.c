// SPDX-License-Identifier: BSD-3-Clause
// A line is cut into words; each word knows its column. Lines before the links may be broken as the
// writer likes, since the simulators read words; a link is one line, so that a word too few is
// found where it is missing. Then switches get their roles by how far they are from hosts, and
// links their ports in the order in which they stand.
#include "fabric_file.h"

#include "control/base/file.h"
#include "control/base/memory.h"
#include "scalar.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX 65535
#define PORTS_MAX 256
#define HOST_PORTS_MAX 8
#define WORD_MAX 32
#define DELAY_MAX_PS SCHEMA_SECOND_PS

struct graph_link {
	uint32_t a, b;
	struct config_link link;
};

struct graph_node {
	bool is_switch;
	uint32_t distance; // of a switch: from the nearest with hosts, UINT32_MAX without a way
	uint32_t ports;
};

struct fabric_graph {
	struct graph_node *nodes;
	uint32_t node_count;
	struct graph_link *links;
	uint32_t link_count;
};

struct word {
	struct diag_pos pos;
	char text[WORD_MAX + 1]; // what is longer is cut, and no number
};

struct reader {
	const char *at, *end;
	uint32_t line;
	uint32_t column;
	const char *name;
	struct diag *diag;
	struct fabric_graph graph;
};

static void
advance(struct reader *r)
{
	if (*r->at++ == '\n') {
		r->line++;
		r->column = 1;
	} else {
		r->column++;
	}
}

// Passes over blanks and comments, and with `lines` over ends of lines.
static void
skip(struct reader *r, bool lines)
{
	while (r->at < r->end) {
		if (*r->at == '#')
			while (r->at < r->end && *r->at != '\n')
				advance(r);
		else if (*r->at == '\n' ? lines : isspace((unsigned char)*r->at) != 0)
			advance(r);
		else
			return;
	}
}

// The next word of the line, or with `lines` of the file. Returns false when there is none.
static bool
next_word(struct reader *r, bool lines, struct word *out)
{
	size_t length = 0;

	skip(r, lines);
	*out = (struct word){.pos = {r->line, r->column}};
	if (r->at == r->end || *r->at == '\n')
		return false;
	while (r->at < r->end && !isspace((unsigned char)*r->at) && *r->at != '#') {
		if (length < WORD_MAX)
			out->text[length++] = isprint((unsigned char)*r->at) ? *r->at : '?';
		advance(r);
	}
	return true;
}

static void
next_line(struct reader *r)
{
	while (r->at < r->end && *r->at != '\n')
		advance(r);
}

static int
bad(struct reader *r, const struct word *word, const char *key, const char *why)
{
	diag_error(r->diag, r->name, word->pos, key, "%s", why);
	return -EINVAL;
}

static int
missing(struct reader *r, const struct word *word, const char *key)
{
	return bad(r, word, key,
		   word->pos.line == r->line && r->at < r->end ? "is missing on this line"
							       : "is missing: the file ends here");
}

static int
read_number(struct reader *r, bool lines, const char *key, uint32_t min, uint32_t max,
	    uint32_t *out)
{
	struct word word;
	char why[SCALAR_WHY];
	int64_t value;

	if (!next_word(r, lines, &word))
		return missing(r, &word, key);
	if (scalar_integer(word.text, min, max, &value, why) < 0)
		return bad(r, &word, key, why);
	*out = (uint32_t)value;
	return 0;
}

// "100Gbps" or "100Gb/s", as the simulators write a rate; "100G" is ours.
static int
read_rate(struct reader *r, uint64_t *out)
{
	struct word word;
	char why[SCALAR_WHY];
	size_t length;

	if (!next_word(r, false, &word))
		return missing(r, &word, "rate");
	length = strlen(word.text);
	if (length > 3 && (strcmp(word.text + length - 3, "bps") == 0 ||
			   strcmp(word.text + length - 3, "b/s") == 0))
		word.text[length - 3] = '\0';
	if (scalar_rate(word.text, out, why) < 0)
		return bad(r, &word, "rate", why);
	if (*out < SCHEMA_RATE_MIN || *out > SCHEMA_RATE_MAX)
		return bad(r, &word, "rate", "is out of range: 10M to 8T");
	return 0;
}

static int
read_delay(struct reader *r, uint64_t *out)
{
	struct word word;
	char why[SCALAR_WHY];

	if (!next_word(r, false, &word))
		return missing(r, &word, "delay");
	if (scalar_duration(word.text, out, why) < 0)
		return bad(r, &word, "delay", why);
	if (*out > DELAY_MAX_PS)
		return bad(r, &word, "delay", "is out of range: 0ns to 1s");
	return 0;
}

// The share of packets lost, "0.000100", as parts per million.
static int
read_error_rate(struct reader *r, uint32_t *out)
{
	uint32_t ppm = 0, scale = CONFIG_PPM;
	struct word word;
	const char *p;

	if (!next_word(r, false, &word))
		return missing(r, &word, "error");
	p = word.text;
	if (*p < '0' || *p > '1')
		return bad(r, &word, "error", "is not a share from 0 to 1, such as 0.000100");
	ppm = (uint32_t)(*p++ - '0') * scale;
	if (*p == '.')
		p++;
	else if (*p != '\0')
		return bad(r, &word, "error", "is not a share from 0 to 1, such as 0.000100");
	for (; *p >= '0' && *p <= '9'; p++) {
		scale /= 10;
		if (scale == 0 && *p != '0')
			return bad(r, &word, "error", "is finer than a millionth");
		ppm += (uint32_t)(*p - '0') * scale;
	}
	if (*p != '\0' || ppm > CONFIG_PPM)
		return bad(r, &word, "error", "is not a share from 0 to 1, such as 0.000100");
	*out = ppm;
	return 0;
}

// One port of a node more.
static int
take_port(struct reader *r, const struct word *at, uint32_t id)
{
	struct graph_node *node = &r->graph.nodes[id];
	uint32_t most = node->is_switch ? PORTS_MAX : HOST_PORTS_MAX;

	if (node->ports++ < most)
		return 0;
	if (node->ports == most + 1)
		diag_error(r->diag, r->name, at->pos, NULL, "node %u has more than %u links", id,
			   most);
	return -EINVAL;
}

static int
read_ends(struct reader *r, struct graph_link *link)
{
	const struct word at = {.pos = {r->line, r->column}};

	if (read_number(r, false, "a", 0, r->graph.node_count - 1, &link->a) != 0 ||
	    read_number(r, false, "b", 0, r->graph.node_count - 1, &link->b) != 0)
		return -EINVAL;
	if (link->a == link->b)
		return bad(r, &at, NULL, "both ends are of one node");
	if (!r->graph.nodes[link->a].is_switch && !r->graph.nodes[link->b].is_switch)
		return bad(r, &at, NULL, "both ends are hosts; a host hangs on a switch");
	return take_port(r, &at, link->a) != 0 || take_port(r, &at, link->b) != 0 ? -EINVAL : 0;
}

static int
read_link(struct reader *r, struct graph_link *link)
{
	struct word word;
	int error;

	skip(r, true);
	*link = (struct graph_link){0};
	error = read_ends(r, link);
	if (error == 0)
		error = read_rate(r, &link->link.rate_bps);
	if (error == 0)
		error = read_delay(r, &link->link.delay_ps);
	if (error == 0)
		error = read_error_rate(r, &link->link.loss_ppm);
	if (error == 0 && next_word(r, false, &word))
		error = bad(r, &word, NULL,
			    "one word too many: a link is \"a b rate delay error\"");
	next_line(r);
	link->link.cable_mm = scalar_delay_cable_mm(link->link.delay_ps);
	return error;
}

static int
read_switches(struct reader *r, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct diag_pos pos;
		uint32_t id;

		skip(r, true);
		pos = (struct diag_pos){r->line, r->column};
		if (read_number(r, true, "switch", 0, r->graph.node_count - 1, &id) != 0)
			return -EINVAL;
		if (r->graph.nodes[id].is_switch) {
			diag_error(r->diag, r->name, pos, "switch", "%u is there twice", id);
			return -EINVAL;
		}
		r->graph.nodes[id].is_switch = true;
	}
	return 0;
}

static int
read_all(struct reader *r)
{
	uint32_t switches, links;
	unsigned before = r->diag->errors;
	struct word word;

	if (read_number(r, true, "nodes", 1, NODES_MAX, &r->graph.node_count) != 0 ||
	    read_number(r, true, "switches", 1, r->graph.node_count, &switches) != 0 ||
	    read_number(r, true, "links", 0, FABRIC_FILE_LINKS_MAX, &links) != 0)
		return -EINVAL;
	r->graph.nodes = memory_array(r->graph.node_count, sizeof(*r->graph.nodes), "nodes");
	r->graph.links = memory_array(links, sizeof(*r->graph.links), "links");
	if (read_switches(r, switches) != 0)
		return -EINVAL;
	for (uint32_t i = 0; i < links; i++) {
		skip(r, true);
		if (r->at == r->end) {
			word = (struct word){.pos = {r->line, r->column}};
			diag_error(r->diag, r->name, word.pos, "links",
				   "the file ends after %u of %u links", i, links);
			break;
		}
		if (read_link(r, &r->graph.links[r->graph.link_count]) == 0)
			r->graph.link_count++;
	}
	if (r->diag->errors == before && next_word(r, true, &word))
		bad(r, &word, "links", "the file has more lines than the first one says");
	return r->diag->errors == before ? 0 : -EINVAL;
}

static int
check_hosts(const struct reader *r)
{
	const struct diag_pos first = {1, 1};

	for (uint32_t n = 0; n < r->graph.node_count; n++) {
		if (r->graph.nodes[n].is_switch || r->graph.nodes[n].ports > 0)
			continue;
		diag_error(r->diag, r->name, first, "nodes",
			   "%u is no switch, so it is a host, and no link is its own", n);
		return -EINVAL;
	}
	return 0;
}

// ---- the graph as nodes and links ---------------------------------------------------------------

// How far each switch is from the nearest that has hosts.
static void
find_distances(struct fabric_graph *g)
{
	for (uint32_t n = 0; n < g->node_count; n++)
		g->nodes[n].distance = UINT32_MAX;
	for (uint32_t l = 0; l < g->link_count; l++) {
		const struct graph_link *link = &g->links[l];

		if (!g->nodes[link->a].is_switch)
			g->nodes[link->b].distance = 0;
		else if (!g->nodes[link->b].is_switch)
			g->nodes[link->a].distance = 0;
	}
	// Further than 1 is far enough to be a super.
	for (uint32_t l = 0; l < g->link_count; l++) {
		struct graph_node *a = &g->nodes[g->links[l].a], *b = &g->nodes[g->links[l].b];

		if (a->distance == 0 && b->is_switch && b->distance != 0)
			b->distance = 1;
		if (b->distance == 0 && a->is_switch && a->distance != 0)
			a->distance = 1;
	}
}

static enum config_role
role_of(const struct graph_node *node)
{
	if (!node->is_switch)
		return CONFIG_ROLE_HOST;
	return node->distance == 0   ? CONFIG_ROLE_LEAF
	       : node->distance == 1 ? CONFIG_ROLE_SPINE
				     : CONFIG_ROLE_SUPER_SPINE;
}

static struct config_name
new_name(struct arena *arena, const char *text, struct diag_pos pos)
{
	return (struct config_name){.text = arena_text(arena, text, strlen(text)), .pos = pos};
}

static void
list_nodes(const struct fabric_graph *g, struct config_fabric *fabric, struct arena *arena,
	   struct diag_pos pos)
{
	char name[CONFIG_NAME_MAX];

	fabric->nodes = arena_alloc(arena, g->node_count * sizeof(*fabric->nodes));
	fabric->node_count = g->node_count;
	for (uint32_t n = 0; n < g->node_count; n++) {
		snprintf(name, sizeof(name), "%c%" PRIu32, g->nodes[n].is_switch ? 's' : 'h', n);
		fabric->nodes[n].name = new_name(arena, name, pos);
		fabric->nodes[n].role = role_of(&g->nodes[n]);
	}
}

static void
take_end(const struct fabric_graph *g, const struct config_fabric *fabric, struct arena *arena,
	 uint32_t id, struct config_endpoint *out)
{
	char name[CONFIG_NAME_MAX];

	out->node = fabric->nodes[id].name.text;
	out->port = ++g->nodes[id].ports;
	snprintf(name, sizeof(name), "%s.%s%u", out->node, g->nodes[id].is_switch ? "swp" : "eth",
		 out->port);
	out->name = new_name(arena, name, fabric->nodes[id].name.pos);
}

// Ports are counted anew: first of the links towards hosts, then of the others.
static void
list_links(const struct fabric_graph *g, struct config_fabric *fabric, struct arena *arena,
	   struct diag_pos pos)
{
	fabric->links = arena_alloc(arena, (g->link_count + 1u) * sizeof(*fabric->links));
	fabric->link_count = g->link_count;
	for (uint32_t n = 0; n < g->node_count; n++)
		g->nodes[n].ports = 0;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t l = 0; l < g->link_count; l++) {
			const struct graph_link *link = &g->links[l];
			bool host = !g->nodes[link->a].is_switch || !g->nodes[link->b].is_switch;
			struct config_explicit_link *to = &fabric->links[l];

			if (host != (pass == 0))
				continue;
			to->written = (struct config_link_written){
				.rate_set = true, .delay_set = true, .link = link->link};
			to->written.link.pos = pos;
			take_end(g, fabric, arena, link->a, &to->a);
			take_end(g, fabric, arena, link->b, &to->b);
		}
	}
}

int
fabric_file_parse(struct config_fabric *fabric, struct arena *arena, const char *text,
		  size_t length, const char *name, struct diag_pos pos, struct diag *diag)
{
	struct reader r = {
		.at = text,
		.end = text + length,
		.line = 1,
		.column = 1,
		.name = name,
		.diag = diag,
	};
	int error = read_all(&r);

	if (error == 0)
		error = check_hosts(&r);
	if (error == 0) {
		find_distances(&r.graph);
		list_nodes(&r.graph, fabric, arena, pos);
		list_links(&r.graph, fabric, arena, pos);
	}
	free(r.graph.nodes);
	free(r.graph.links);
	return error;
}

int
fabric_file_load(struct config_fabric *fabric, struct arena *arena, const char *config_file,
		 const char *beside, struct diag *diag)
{
	const struct diag_pos none = {0};
	char *path = file_beside(beside, fabric->path.text);
	size_t length = 0;
	char *text = NULL;
	int error;

	error = file_read(path, FABRIC_FILE_BYTES_MAX, &text, &length);
	if (error == 0 && length > FABRIC_FILE_BYTES_MAX) {
		diag_error(diag, path, none, NULL, "larger than %u bytes", FABRIC_FILE_BYTES_MAX);
		error = -EINVAL;
	} else if (error == 0) {
		error = fabric_file_parse(fabric, arena, text, length, path, fabric->path.pos,
					  diag);
	} else {
		diag_error(diag, config_file, fabric->path.pos, "fabric.topology.file",
			   "%s cannot be read: %s", path, strerror(-error));
		error = -EINVAL;
	}
	free(text);
	free(path);
	return error;
}
