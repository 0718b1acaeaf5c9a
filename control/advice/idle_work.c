// SPDX-License-Identifier: BSD-3-Clause
// Items of the workload that do not start before the run ends, streams that are faster than their
// NIC, and events behind the run's end.
#include "advice_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>

static void
note_start(ps_t *starts, uint32_t item, ps_t start)
{
	starts[item] = time_min(starts[item], start);
}

// By item of the file: when the first of it starts.
static ps_t *
list_starts(const struct config *config, const struct workload *w)
{
	ps_t *starts = memory_array(config->work_count, sizeof(*starts), "starts");

	for (unsigned i = 0; i < config->work_count; i++)
		starts[i] = PS_NEVER;
	for (uint32_t i = 0; i < w->flow_count; i++)
		note_start(starts, w->flows[i].item, w->flows[i].start_ps);
	for (uint32_t i = 0; i < w->stream_count; i++)
		note_start(starts, w->streams[i].item, w->streams[i].start_ps);
	for (uint32_t i = 0; i < w->program_count; i++)
		for (uint32_t r = 0; r < w->programs[i].member_count; r++)
			note_start(starts, w->programs[i].item,
				   w->members[w->programs[i].first_member + r].start_ps);
	return starts;
}

// An item that starts at the very end of a run sends nothing. One that has nothing to send (no
// arrival was drawn) is not late.
static void
check_starts(const struct config *config, const struct workload *w, ps_t until, struct diag *diag)
{
	ps_t *starts = list_starts(config, w);
	char start[CONFIG_TEXT], end[CONFIG_TEXT];

	for (unsigned i = 0; i < config->work_count; i++)
		if (starts[i] != PS_NEVER && starts[i] >= until)
			diag_warning(diag, config->file, config->workload[i].pos, "workload",
				     "never starts: its start is at %s, but the run ends at %s",
				     config_duration_text(starts[i], start),
				     config_duration_text(until, end));
	free(starts);
}

// An event at the very end of a run takes place.
static void
check_events(const struct config *config, ps_t until, struct diag *diag)
{
	char at[CONFIG_TEXT], end[CONFIG_TEXT];

	for (unsigned i = 0; i < config->event_count; i++)
		if (config->events[i].at_ps > until)
			diag_warning(diag, config->file, config->events[i].pos, "events",
				     "never happens: it is at %s, but the run ends at %s",
				     config_duration_text(config->events[i].at_ps, at),
				     config_duration_text(until, end));
}

static void
check_stream(const struct fabric *f, const struct stream_spec *s, struct diag *diag)
{
	const struct topology *t = f->topology;
	uint64_t nic_bps = topology_host_port(t, s->src, s->src_port)->rate_bps;
	char name[TOPOLOGY_NAME_MAX], rate[CONFIG_TEXT], most[CONFIG_TEXT];

	if (nic_bps == 0 || s->rate_bps <= nic_bps)
		return;
	topology_port_name(t, t->first_host + s->src, s->src_port, name);
	diag_warning(diag, f->config->file, f->config->workload[s->item].pos, "workload.rate",
		     "%s is above the %s that %s can send", config_rate_text(s->rate_bps, rate),
		     config_rate_text(nic_bps, most), name);
}

// Of the hosts that the file attaches.
static void
check_reordering(const struct fabric *f, const struct workload *workload, struct diag *diag)
{
	const struct config *config = f->config;
	const struct config_attach **entries =
		memory_array(config->attach_count, sizeof(*entries), "attached hosts");

	for (unsigned i = 0; i < config->attach_count; i++)
		entries[i] = &config->attach[i];
	advice_reordering(f, entries, config->attach_count, workload, diag);
	free(entries);
}

void
advice_give_work(const struct fabric *f, const struct workload *workload, ps_t until,
		 struct diag *diag)
{
	for (uint32_t i = 0; i < workload->stream_count; i++)
		check_stream(f, &workload->streams[i], diag);
	check_reordering(f, workload, diag);
	check_events(f->config, until, diag);
	if (until != PS_NEVER)
		check_starts(f->config, workload, until, diag);
}
