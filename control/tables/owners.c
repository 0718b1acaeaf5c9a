// SPDX-License-Identifier: BSD-3-Clause
// A section is read by many switches, of which not all have a port that it names (`qos.ports`,
// `qos.histograms`), nor ports that a `max-rate` slows. What none of them has is a mistake, and a
// rate that none of them feels is told.
#include "build.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// One entry of such a list: what tells it from others.
struct entry {
	unsigned number; // N of swpN
	struct config_pos pos;
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
check_list(const struct owners *o, const char *key, struct config_diag *diag)
{
	int result = 0;

	for (uint32_t n = 0; n < o->topology->first_host; n++)
		for (unsigned i = 0; i < count_of(o, n); i++) {
			struct entry entry = o->at(&o->switches[n], i);

			if (has_port(&o->topology->nodes[n], entry.number) ||
			    !orphaned(o, n, &entry))
				continue;
			config_error(diag, o->topology->config->file, entry.pos, key,
				     "there is no port swp%u on any switch that this is for",
				     entry.number);
			result = -EINVAL;
		}
	return result;
}

// Reading a rate of a switch's settings: of a class (its number), or of every port (PRIORITIES).
static uint64_t
max_rate(const struct switch_config *settings, unsigned what)
{
	return what < PRIORITIES ? settings->classes[what].max_rate_bps
				 : settings->port_max_rate_bps;
}

static size_t
max_rate_offset(unsigned what)
{
	return what < PRIORITIES ? offsetof(struct switch_config, classes[what].max_rate_bps)
				 : offsetof(struct switch_config, port_max_rate_bps);
}

// A port that is as fast as its device takes is slowed by any rate.
static bool
slows(const struct topo_node *node, uint64_t rate_bps)
{
	for (uint16_t p = 0; p < node->port_count; p++)
		if (node->ports[p].rate_bps == 0 || node->ports[p].rate_bps >= rate_bps)
			return true;
	return false;
}

static void
warn_rate(const struct topology *topology, uint32_t node, unsigned what, uint64_t rate_bps,
	  struct config_diag *diag)
{
	struct config_mark *marks = calloc(sizeof(struct switch_config), sizeof(*marks));
	const struct topo_node *place = &topology->nodes[node];
	struct config_cause cause = {0};
	struct switch_config scratch;
	char text[CONFIG_TEXT];

	if (marks != NULL && config_switch_marked(topology->config, place->name, place->role,
						  &scratch, marks) == 0) {
		if (what < PRIORITIES)
			config_blame(&cause, marks, max_rate_offset(what), "qos.tc.%u.max-rate",
				     what);
		else
			config_blame(&cause, marks, max_rate_offset(what), "qos.port.max-rate");
		config_warning(diag, topology->config->file, cause.mark.pos, cause.key,
			       "has no effect: no port is as fast as %s",
			       config_rate_text(rate_bps, text));
	}
	free(marks);
}

static void
check_max_rates(const struct topology *topology, const struct switch_config *switches,
		struct config_diag *diag)
{
	for (unsigned what = 0; what <= PRIORITIES; what++) {
		uint32_t idle = topology->first_host;
		bool felt = false;

		for (uint32_t n = 0; n < topology->first_host; n++) {
			uint64_t rate_bps = max_rate(&switches[n], what);

			if (rate_bps == 0)
				continue;
			felt |= slows(&topology->nodes[n], rate_bps);
			idle = n < idle ? n : idle;
		}
		if (!felt && idle < topology->first_host)
			warn_rate(topology, idle, what, max_rate(&switches[idle], what), diag);
	}
}

int
tables_check_ports(const struct topology *topology, const struct switch_config *switches,
		   struct config_diag *diag)
{
	const struct owners ports = {topology, switches, port_entry,
				     offsetof(struct switch_config, port_count)};
	const struct owners histograms = {topology, switches, histogram_entry,
					  offsetof(struct switch_config, histogram_count)};
	int result = check_list(&ports, "qos.ports", diag);

	check_max_rates(topology, switches, diag);
	return check_list(&histograms, "qos.histograms", diag) != 0 ? -EINVAL : result;
}
