// SPDX-License-Identifier: BSD-3-Clause
// Each process of a fabric of parts computes the routes of its switches from the links of the whole
// fabric. Of a link with an end in its own part it knows the state itself (device_links.c). Each
// part reports to those that it has a link with which of its links are down: with each hello, and
// whole, so that a report that is lost does not matter. A report is not passed on.
//
// A report is the numbers of links, 4 bytes each in network byte order: both processes have the
// same topology. It may hold anything: numbers that are not the sender's links are ignored. Of
// several links to a part the latest report counts.
#include "part_links.h"

#include "control/base/memory.h"
#include "dataplane/device/carrier.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_LINKS_MAX (CARRIER_REPORT_MAX / sizeof(uint32_t))

static bool
has_end_in(const struct live_fabric *live, const struct topo_link *link,
	   const struct config_part *part)
{
	return topology_part_of(live->topology, link->a.node) == part ||
	       topology_part_of(live->topology, link->b.node) == part;
}

static void
send_reports(struct live_fabric *live)
{
	const struct topology *t = live->topology;
	uint32_t report[REPORT_LINKS_MAX], count = 0;

	for (uint32_t i = 0; i < t->link_count && count < REPORT_LINKS_MAX; i++)
		if (live->fabric->link_down[i] && has_end_in(live, &t->links[i], live->part))
			report[count++] = htobe32(i);
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].far != NULL)
			device_report(live->devices[i].live.device, report,
				      count * sizeof(report[0]));
}

static void
read_report(const struct live_fabric *live, const struct config_part *from,
	    const struct carrier_report *report, bool *down)
{
	const struct topology *t = live->topology;

	for (uint32_t at = 0; at + sizeof(uint32_t) <= report->length; at += sizeof(uint32_t)) {
		uint32_t link;

		memcpy(&link, report->bytes + at, sizeof(link));
		link = be32toh(link);
		if (link < t->link_count && has_end_in(live, &t->links[link], from) &&
		    !has_end_in(live, &t->links[link], live->part))
			down[link] = true;
	}
}

// The latest report of a part.
static void
take_report(const struct live_fabric *live, const struct config_part *from, bool *down)
{
	struct carrier_report report, latest = {0};
	uint64_t latest_ns = 0;

	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];
		uint64_t sent_ns = d->far == from ? device_heard(d->live.device, &report) : 0;

		if (sent_ns <= latest_ns)
			continue;
		latest_ns = sent_ns;
		latest = report;
	}
	read_report(live, from, &latest, down);
}

static void
follow(struct live_fabric *live, uint32_t link, bool down)
{
	char name[TOPOLOGY_NAME_MAX], *text;
	struct diag diag = {0};
	const int rc = events_note_carrier(live->events, link, !down, &diag);

	if (live->links_reported[link] != down) {
		text = memory_format("%s: %s, as another part reports%s%s",
				     topology_link_name(live->topology, link, name),
				     down ? "down" : "up",
				     rc != 0 ? "; routes stay as they were: " : "",
				     rc != 0 ? diag_first_error(&diag) : "");
		fabric_log_poll(live->log, live->fabric); // what came before
		fabric_log_note(live->log, live_clock(&live->drive), FABRIC_LOG_LINK, text);
		free(text);
	}
	live->links_reported[link] = down;
	diag_free(&diag);
}

void
part_links_poll(struct live_fabric *live)
{
	const uint32_t count = live->topology->link_count;
	const struct config_fabric *fabric = &live->config->fabric;
	bool *down;

	if (live->part == NULL)
		return;
	if (live->links_reported == NULL)
		live->links_reported = memory_array(count, sizeof(bool), "links of other parts");
	send_reports(live);
	down = memory_array(count, sizeof(bool), "links of other parts");
	for (unsigned i = 0; i < fabric->part_count; i++)
		if (&fabric->parts[i] != live->part)
			take_report(live, &fabric->parts[i], down);
	// An event of the file may have taken back what was reported.
	for (uint32_t i = 0; i < count; i++)
		if (down[i] || live->links_reported[i])
			follow(live, i, down[i]);
	free(down);
}
