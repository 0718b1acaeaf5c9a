// SPDX-License-Identifier: BSD-3-Clause
// A description as boxes and lines. Hosts of a leaf that has many are folded into one box with the
// number of each tenant; links between the same two boxes that are alike become one line.
#include "drawing_internal.h"

#include "control/base/memory.h"
#include "control/base/text.h"
#include "control/show/show_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A host before it is a box.
struct host {
	const char *name;
	const char *address, *is;
	uint32_t tenant;
	uint32_t *leaves; // the switches that it is connected to
	uint32_t leaf_count;
	uint32_t group;
	bool attached;
};

// Hosts that are connected to the same switches.
struct group {
	const struct host *first;
	uint32_t hosts;
	uint32_t box; // of the first host, or of all
	bool folded;
};

struct reader {
	struct drawing *d;
	json_t *numbers; // by name: of a switch, or behind these of a host
	struct host *hosts;
	uint32_t host_count;
	struct group *groups;
	uint32_t group_count;
};

static unsigned
tier_of(const char *role)
{
	static const char *const roles[DRAWING_TIERS] = {"host", "leaf", "spine", "super-spine"};
	unsigned tier = 0;

	while (tier < DRAWING_TIERS && strcmp(roles[tier], role) != 0)
		tier++;
	return tier < DRAWING_TIERS ? tier : 1;
}

static json_int_t
number_of(const json_t *node, const char *key)
{
	return json_integer_value(json_object_get(node, key));
}

static void
add_node(struct reader *r, const json_t *node)
{
	struct drawing *d = r->d;
	const char *name = show_string(node, "name");
	unsigned tier = tier_of(show_string(node, "role"));

	if (json_object_get(r->numbers, name) != NULL)
		return;
	if (tier == 0) {
		json_object_set_new(r->numbers, name, json_integer(-1 - (json_int_t)r->host_count));
		r->hosts[r->host_count++] = (struct host){.name = name, .tenant = DRAWING_NONE};
		return;
	}
	json_object_set_new(r->numbers, name, json_integer(d->box_count));
	d->boxes[d->box_count++] = (struct drawing_box){
		.kind = DRAWING_SWITCH,
		.tier = tier,
		.name = name,
		.plane = number_of(node, "plane"),
		.pod = number_of(node, "pod"),
		.rail = number_of(node, "rail"),
		.tenant = DRAWING_NONE,
		.leaf = DRAWING_NONE,
	};
}

// The number of the node that a port, "leaf1.swp3", is of. Returns false if there is none.
static bool
find_node(const struct reader *r, const char *port, json_int_t *out)
{
	const char *dot = strrchr(port, '.');
	char *name = memory_text_part(port, dot != NULL ? (size_t)(dot - port) : strlen(port));
	const json_t *number = json_object_get(r->numbers, name);

	free(name);
	*out = json_integer_value(number);
	return number != NULL;
}

// ---- hosts --------------------------------------------------------------------------------------

static void
read_nics(struct reader *r, const json_t *nics)
{
	json_t *nic;
	size_t i;

	json_array_foreach(nics, i, nic)
	{
		const json_t *number = json_object_get(r->numbers, show_string(nic, "host"));
		const char *tenant = show_string(nic, "tenant"), *is = show_string(nic, "is");
		json_int_t n = json_integer_value(number);
		struct host *host;

		if (number == NULL || n >= 0)
			continue;
		host = &r->hosts[-1 - n];
		host->attached |= strcmp(is, "simulated") != 0 && strcmp(is, "not attached") != 0;
		if (host->address != NULL)
			continue;
		host->address = show_string(nic, "address");
		host->is = is;
		for (uint32_t t = 0; t < r->d->tenant_count; t++)
			if (r->d->tenants[t] != NULL && strcmp(r->d->tenants[t], tenant) == 0)
				host->tenant = t;
	}
}

static void
read_leaves(struct reader *r, const json_t *links)
{
	json_t *link;
	size_t i;

	json_array_foreach(links, i, link)
	{
		json_int_t a, b;
		struct host *host;
		uint32_t leaf, k = 0;

		if (!find_node(r, show_string(link, "a"), &a) ||
		    !find_node(r, show_string(link, "b"), &b) || (a < 0) == (b < 0))
			continue;
		host = &r->hosts[-1 - (a < 0 ? a : b)];
		leaf = (uint32_t)(a < 0 ? b : a);
		while (k < host->leaf_count && host->leaves[k] != leaf)
			k++;
		if (k < host->leaf_count)
			continue;
		host->leaves = memory_grow(host->leaves, host->leaf_count, sizeof(*host->leaves),
					   "leaves of a host");
		host->leaves[host->leaf_count++] = leaf;
	}
}

// Puts each host into the group of those with the same switches, in the order of the first ones.
static void
make_groups(struct reader *r)
{
	json_t *known = json_object();

	r->groups = memory_array(r->host_count, sizeof(*r->groups), "groups of hosts");
	for (uint32_t h = 0; h < r->host_count; h++) {
		struct host *host = &r->hosts[h];
		const json_t *number;
		size_t size;
		char *key;
		FILE *to = memory_stream_open(&key, &size);

		for (uint32_t i = 0; i < host->leaf_count; i++)
			fprintf(to, "%u ", host->leaves[i]);
		fclose(to);
		number = json_object_get(known, key);
		host->group = number != NULL ? (uint32_t)json_integer_value(number)
					     : r->group_count;
		if (number == NULL) {
			r->groups[r->group_count++] = (struct group){.first = host};
			json_object_set_new(known, key, json_integer(host->group));
		}
		free(key);
		r->groups[host->group].hosts++;
	}
	json_decref(known);
	for (uint32_t g = 0; g < r->group_count; g++) {
		struct group *group = &r->groups[g];
		uint32_t leaves = group->first->leaf_count;

		group->box = DRAWING_NONE;
		group->folded = leaves == 1 ? group->hosts > DRAWING_STACK
					    : (uint64_t)group->hosts * leaves > DRAWING_CROSS ||
						      group->hosts > DRAWING_STACK;
	}
}

static void
add_share(struct drawing_box *box, uint32_t tenant)
{
	uint32_t i = 0;

	while (i < box->share_count && box->shares[i].tenant != tenant)
		i++;
	if (i == box->share_count) {
		box->shares = memory_grow(box->shares, box->share_count, sizeof(*box->shares),
					  "tenants of folded hosts");
		box->shares[box->share_count++] = (struct drawing_share){tenant, 0};
	}
	box->shares[i].hosts++;
}

// Makes the boxes of hosts; a box that folds hosts stands where the first of them would.
static void
add_hosts(struct reader *r)
{
	struct drawing *d = r->d;

	for (uint32_t h = 0; h < r->host_count; h++) {
		const struct host *host = &r->hosts[h];
		struct group *group = &r->groups[host->group];
		struct drawing_box *box = &d->boxes[d->box_count];

		if (host->tenant != DRAWING_NONE)
			d->tenant_hosts[host->tenant]++;
		d->attached |= host->attached;
		if (!group->folded || group->box == DRAWING_NONE) {
			group->box = d->box_count++;
			*box = (struct drawing_box){
				.kind = group->folded ? DRAWING_FOLDED : DRAWING_HOST,
				.name = host->name,
				.first = host->name,
				.tenant = host->tenant,
				.attached = host->attached,
				.address = host->address,
				.is = host->is,
				.leaf = host->leaf_count == 1 ? host->leaves[0] : DRAWING_NONE,
			};
		}
		box = &d->boxes[group->box];
		box->hosts++;
		box->last = host->name;
		box->attached |= host->attached;
		if (group->folded)
			add_share(box, host->tenant);
		else
			json_object_set_new(r->numbers, host->name,
					    json_integer((json_int_t)group->box));
	}
	d->hosts = r->host_count;
}

// ---- lines --------------------------------------------------------------------------------------

static bool
box_of(const struct reader *r, const char *port, uint32_t *out)
{
	json_int_t n;

	if (!find_node(r, port, &n))
		return false;
	*out = n < 0 ? r->groups[r->hosts[-1 - n].group].box : (uint32_t)n;
	return true;
}

static int
compare_lines(const void *a, const void *b)
{
	const struct drawing_line *x = a, *y = b;

#define COMPARE(member)             \
	if (x->member != y->member) \
		return x->member < y->member ? -1 : 1;
	COMPARE(low)
	COMPARE(high)
	COMPARE(rate_bps)
	COMPARE(delay_ps)
	COMPARE(down)
	COMPARE(count) // still the link's number
#undef COMPARE
	return 0;
}

static bool
alike(const struct drawing_line *x, const struct drawing_line *y)
{
	return x->low == y->low && x->high == y->high && x->rate_bps == y->rate_bps &&
	       x->delay_ps == y->delay_ps && x->down == y->down;
}

static void
read_lines(struct reader *r, const json_t *links)
{
	struct drawing *d = r->d;
	uint32_t count = 0;
	json_t *link;
	size_t i;

	d->lines = memory_array(json_array_size(links), sizeof(*d->lines), "lines of a drawing");
	json_array_foreach(links, i, link)
	{
		struct drawing_line *l = &d->lines[count];
		uint32_t a, b;

		if (!box_of(r, show_string(link, "a"), &a) ||
		    !box_of(r, show_string(link, "b"), &b))
			continue;
		*l = (struct drawing_line){
			.low = d->boxes[a].tier <= d->boxes[b].tier ? a : b,
			.high = d->boxes[a].tier <= d->boxes[b].tier ? b : a,
			.rate_bps = show_number(link, "rate_bps"),
			.delay_ps = show_number(link, "delay_ps"),
			.down = strcmp(show_string(link, "state"), "down") == 0,
			.count = count,
			.link = show_string(link, "link"),
		};
		d->down += l->down;
		count++;
	}
	if (count != 0)
		qsort(d->lines, count, sizeof(*d->lines), compare_lines);
	for (uint32_t l = 0; l < count; l++) {
		struct drawing_line *last = &d->lines[d->line_count - (d->line_count != 0)];

		if (d->line_count != 0 && alike(last, &d->lines[l])) {
			last->count++;
			continue;
		}
		d->lines[d->line_count] = d->lines[l];
		d->lines[d->line_count++].count = 1;
	}
}

// ---- what differs -------------------------------------------------------------------------------

static int
compare_rates(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x != *y ? *x < *y ? -1 : 1 : 0;
}

// The value that is there most often; of several the largest. Sorts the values.
static uint64_t
most_common(uint64_t *values, uint32_t count)
{
	uint64_t best = 0;
	uint32_t most = 0;

	if (count != 0)
		qsort(values, count, sizeof(*values), compare_rates);
	for (uint32_t i = 0, begin = 0; i < count; i++) {
		if (values[i] != values[begin])
			begin = i;
		if (i - begin + 1 >= most) {
			most = i - begin + 1;
			best = values[i];
		}
	}
	return best;
}

static void
find_usual(struct drawing *d, unsigned tier)
{
	struct drawing_usual *u = &d->usual[tier];
	uint64_t *values = memory_array(d->line_count, sizeof(*values), "rates of lines");

	for (uint32_t l = 0; l < d->line_count; l++)
		if (d->boxes[d->lines[l].low].tier == tier) {
			if (u->lines == 0)
				u->high = d->boxes[d->lines[l].high].tier;
			values[u->lines++] = d->lines[l].rate_bps;
			u->links += d->lines[l].count;
		}
	u->rate_bps = most_common(values, u->lines);
	u->lines = 0;
	for (uint32_t l = 0; l < d->line_count; l++)
		if (d->boxes[d->lines[l].low].tier == tier) {
			values[u->lines++] = d->lines[l].count;
			u->others += d->lines[l].rate_bps != u->rate_bps ? d->lines[l].count : 0;
		}
	u->count = (uint32_t)most_common(values, u->lines);
	free(values);
}

static void
label_line(struct drawing *d, struct drawing_line *l)
{
	unsigned tier = d->boxes[l->low].tier;
	const struct drawing_usual *u = &d->usual[tier];
	char rate[TEXT_VALUE_MAX] = "", count[16] = "";

	if (l->rate_bps != u->rate_bps)
		text_rate(rate, l->rate_bps);
	if (tier != 0 && l->count != u->count)
		snprintf(count, sizeof(count), "%u\u00d7", l->count);
	snprintf(l->label, sizeof(l->label), "%s%s%s%s%s", count,
		 count[0] != '\0' && rate[0] != '\0' ? " " : "", rate,
		 l->down && (count[0] != '\0' || rate[0] != '\0') ? ", " : "",
		 l->down ? "down" : "");
}

static void
label_lines(struct drawing *d)
{
	uint32_t labels = 0;

	for (unsigned tier = 0; tier < DRAWING_TIERS; tier++)
		find_usual(d, tier);
	for (uint32_t l = 0; l < d->line_count; l++) {
		label_line(d, &d->lines[l]);
		labels += d->lines[l].label[0] != '\0';
	}
	for (uint32_t l = 0; labels > DRAWING_LABELS && l < d->line_count; l++)
		d->lines[l].label[0] = '\0';
}

// ---- all of it ----------------------------------------------------------------------------------

static void
read_tenants(struct drawing *d, const json_t *names)
{
	json_t *name;
	size_t i;

	d->tenants = memory_array(json_array_size(names), sizeof(*d->tenants), "tenants");
	d->tenant_hosts = memory_array(json_array_size(names), sizeof(*d->tenant_hosts), "tenants");
	json_array_foreach(names, i, name) d->tenants[d->tenant_count++] = json_string_value(name);
}

int
drawing_read(struct drawing *d, const json_t *of, struct diag *diag)
{
	const json_t *nodes = json_object_get(of, "nodes"), *links = json_object_get(of, "links");
	struct reader r = {.d = d, .numbers = json_object()};
	json_t *node;
	size_t i;

	*d = (struct drawing){.of = of, .name = show_string(of, "name")};
	d->boxes = memory_array(json_array_size(nodes), sizeof(*d->boxes), "boxes of a drawing");
	r.hosts = memory_array(json_array_size(nodes), sizeof(*r.hosts), "hosts of a drawing");
	json_array_foreach(nodes, i, node) add_node(&r, node);
	d->switch_count = d->box_count;
	read_tenants(d, json_object_get(of, "tenants"));
	read_nics(&r, json_object_get(of, "hosts"));
	read_leaves(&r, links);
	make_groups(&r);
	add_hosts(&r);
	read_lines(&r, links);
	label_lines(d);
	for (uint32_t h = 0; h < r.host_count; h++)
		free(r.hosts[h].leaves);
	free(r.hosts);
	free(r.groups);
	json_decref(r.numbers);
	return d->box_count != 0 ? 0 : diag_fail(diag, EINVAL, "the fabric has no nodes");
}

void
drawing_free(struct drawing *d)
{
	for (uint32_t b = 0; b < d->box_count; b++)
		free(d->boxes[b].shares);
	free(d->boxes);
	free(d->lines);
	free(d->tenants);
	free(d->tenant_hosts);
}
