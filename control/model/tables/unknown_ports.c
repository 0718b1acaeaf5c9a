// SPDX-License-Identifier: BSD-3-Clause
// A section is read by many switches, of which not all have a port that it names (`qos.ports`,
// `qos.histograms`). What none of them has is a mistake.
#include "build.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// One entry of such a list: what tells it from others.
struct entry {
	unsigned number; // N of swpN
	struct diag_pos pos;
};

static struct entry
port_entry(const struct switch_config *settings, unsigned index)
{
	const struct config_port_qos *port = &settings->ports[index];

	return (struct entry){port->number, port->name.pos};
}

static struct entry
histogram_entry(const struct switch_config *settings, unsigned index)
{
	const struct config_histogram *h = &settings->histograms[index];

	return (struct entry){h->port_number, h->where.pos};
}

static bool
has_port(const struct topo_node *node, unsigned number)
{
	for (uint16_t p = 0; p < node->port_count; p++)
		if (node->ports[p].number == number)
			return true;
	return false;
}

static bool
same_entry(const struct entry *a, const struct entry *b)
{
	return a->number == b->number && a->pos.line == b->pos.line &&
	       a->pos.column == b->pos.column;
}

struct owners {
	const struct topology *topology;
	const struct switch_config *switches;
	struct entry (*at)(const struct switch_config *settings, unsigned index);
	size_t count_offset; // of the list's length in struct switch_config
};

static unsigned
count_of(const struct owners *o, uint32_t node)
{
	unsigned count;

	memcpy(&count, (const char *)&o->switches[node] + o->count_offset, sizeof(count));
	return count;
}

// The first switch that reads the entry reports it, if no switch that reads it has the port.
static bool
orphaned(const struct owners *o, uint32_t reader, const struct entry *entry)
{
	for (uint32_t n = 0; n < o->topology->first_host; n++)
		for (unsigned i = 0; i < count_of(o, n); i++) {
			struct entry other = o->at(&o->switches[n], i);

			if (same_entry(entry, &other) &&
			    (n < reader || has_port(&o->topology->nodes[n], entry->number)))
				return false;
		}
	return true;
}

static int
check_list(const struct owners *o, const char *key, struct diag *diag)
{
	int result = 0;

	for (uint32_t n = 0; n < o->topology->first_host; n++)
		for (unsigned i = 0; i < count_of(o, n); i++) {
			struct entry entry = o->at(&o->switches[n], i);

			if (has_port(&o->topology->nodes[n], entry.number) ||
			    !orphaned(o, n, &entry))
				continue;
			diag_error(diag, o->topology->config->file, entry.pos, key,
				   "there is no port swp%u on any switch that this is for",
				   entry.number);
			result = -EINVAL;
		}
	return result;
}

int
tables_check_ports(const struct topology *topology, const struct switch_config *switches,
		   struct diag *diag)
{
	const struct owners ports = {topology, switches, port_entry,
				     offsetof(struct switch_config, port_count)};
	const struct owners histograms = {topology, switches, histogram_entry,
					  offsetof(struct switch_config, histogram_count)};
	int result = check_list(&ports, "qos.ports", diag);

	return check_list(&histograms, "qos.histograms", diag) != 0 ? -EINVAL : result;
}
