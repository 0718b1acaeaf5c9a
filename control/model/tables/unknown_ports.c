// SPDX-License-Identifier: BSD-3-Clause
// Many switches read a section, and not all of them have a port that it names (`qos.ports`,
// `qos.histograms`). A port that none of them has is an error.
#include "build.h"

// Entry i of `qos.ports`, or of `qos.histograms`, as far as it names a port.
struct entry {
	unsigned number; // N of swpN
	struct diag_pos pos;
};

static bool
find_entry(const struct switch_config *settings, bool histograms, unsigned i, struct entry *out)
{
	if (i >= (histograms ? settings->histogram_count : settings->port_count))
		return false;
	if (histograms)
		*out = (struct entry){settings->histograms[i].port_number,
				      settings->histograms[i].where.pos};
	else
		*out = (struct entry){settings->ports[i].number, settings->ports[i].name.pos};
	return true;
}

static bool
reads(const struct switch_config *settings, bool histograms, const struct entry *entry)
{
	struct entry one;

	for (unsigned i = 0; find_entry(settings, histograms, i, &one); i++)
		if (one.number == entry->number && diag_pos_compare(one.pos, entry->pos) == 0)
			return true;
	return false;
}

// Entries that no switch has the port of; the first switch that reads one reports it.
static int
check_list(const struct topology *t, const struct switch_config *switches, bool histograms,
	   struct diag *diag)
{
	struct entry entry;
	int result = 0;

	for (uint32_t n = 0; n < t->first_host; n++) {
		for (unsigned i = 0; find_entry(&switches[n], histograms, i, &entry); i++) {
			uint32_t other = 0;

			if (topology_port_index(&t->nodes[n], entry.number) >= 0)
				continue;
			while (other < t->first_host &&
			       !(reads(&switches[other], histograms, &entry) &&
				 (other < n ||
				  topology_port_index(&t->nodes[other], entry.number) >= 0)))
				other++;
			if (other == t->first_host)
				result = diag_error(
					diag, t->config->file, entry.pos,
					histograms ? "qos.histograms" : "qos.ports",
					"no switch that reads this section has port swp%u",
					entry.number);
		}
	}
	return result;
}

int
tables_check_ports(const struct topology *topology, const struct switch_config *switches,
		   struct diag *diag)
{
	return check_list(topology, switches, false, diag) |
	       check_list(topology, switches, true, diag);
}
