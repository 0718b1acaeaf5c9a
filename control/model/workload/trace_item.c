// SPDX-License-Identifier: BSD-3-Clause
// An item of a trace: rank i of the trace is the i-th NIC of those that take part; further NICs
// have nothing to do.
#include "control/base/file.h"
#include "control/base/memory.h"
#include "graph_flows.h"
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Keeps the first members only.
static void
cut_members(struct item_members *m, uint32_t count)
{
	m->count = count;
	while (m->group_count > 0 && m->groups[m->group_count - 1] >= count)
		m->group_count--;
}

// The file beside the configuration; of CHAKRA the first rank's, which may be what `file` says.
static char *
find_file(const struct item *item)
{
	const char *name = item->work->file.text;
	size_t length = strlen(name), suffix = strlen(TRACE_CHAKRA_SUFFIX);
	bool whole = item->work->format != CONFIG_TRACE_CHAKRA ||
		     (length > suffix && strcmp(name + length - suffix, TRACE_CHAKRA_SUFFIX) == 0);
	char *first = memory_format("%s%s", name, whole ? "" : TRACE_CHAKRA_SUFFIX), *path;

	path = file_beside(item->topology->config->beside, first);
	free(first);
	return path;
}

static int
load(const struct item *item, struct trace *out)
{
	const struct config_name *name = &item->work->file;
	char *path = find_file(item);
	int error = trace_load(out, item->work->format, path, item->diag);

	if (error != 0 && error != -EINVAL)
		error = diag_error(item->diag, item->file, name->pos, "workload.file",
				   "%s cannot be read: %s", path, strerror(-error));
	free(path);
	return error;
}

static int
check_members(const struct item *item, const struct trace *trace, const struct item_members *m)
{
	if (m->count >= trace->rank_count)
		return 0;
	return diag_error(item->diag, item->file, item->work->pos, "workload.file",
			  "%s has %u ranks, but only %u NICs take part; see `hosts`",
			  item->work->file.text, trace->rank_count, m->count);
}

int
item_trace(struct item *item)
{
	struct item_members members;
	struct trace trace = {0};
	int error = item_find_members(item, &members);

	if (error == 0)
		error = load(item, &trace);
	if (error == 0)
		error = check_members(item, &trace, &members);
	if (error == 0) {
		cut_members(&members, trace.rank_count);
		error = item_add_graph(item, &members, trace.graph);
	}
	trace_free(&trace);
	item_free_members(&members);
	return error;
}
