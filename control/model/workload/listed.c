// SPDX-License-Identifier: BSD-3-Clause
// Flows that a file lists.
#include "control/base/file.h"
#include "flows_file.h"
#include "workload_internal.h"
#include "words_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
check_tenant(const struct item *item, const struct flows_line *line, uint32_t src)
{
	const struct topology *t = item->topology;
	uint16_t tenant = topology_host_tenant(t, src);

	if (line->tenant.text == NULL ||
	    (tenant != TENANT_NONE && strcmp(t->tenants[tenant].name, line->tenant.text) == 0))
		return 0;
	return diag_error(item->diag, item->file, line->tenant.pos, "tenant",
			  "%s is not in tenant %s", line->src.text, line->tenant.text);
}

// A host's number: the number in its name where names come from such a file, else its place among
// the hosts, from 0.
static int
find_numbered(const struct item *item, const struct config_name *name, const char *key,
	      struct topo_endpoint *out)
{
	const struct topology *t = item->topology;
	uint32_t number = (uint32_t)strtoul(name->text, NULL, 10);
	char text[16];

	if (t->config->fabric.topology == CONFIG_TOPOLOGY_FILE) {
		snprintf(text, sizeof(text), "h%u", number);
		return item_resolve(item, &(struct config_name){.text = text, .pos = name->pos},
				    key, out);
	}
	*out = (struct topo_endpoint){.host = number};
	if (number < t->host_count)
		return 0;
	return diag_error(item->diag, item->file, name->pos, key,
			  "there is no host %u; they are 0 to %u (%s to %s)", number,
			  t->host_count - 1, topology_host(t, 0)->name,
			  topology_host(t, t->host_count - 1)->name);
}

static int
add_line(struct item *item, const struct flows_line *line)
{
	int (*find)(const struct item *, const struct config_name *, const char *,
		    struct topo_endpoint *) =
		item->work->format == CONFIG_FLOW_FORMAT_ROOST ? item_resolve : find_numbered;
	struct item_flow flow = {
		.bytes = line->bytes,
		.priority = line->priority,
		.pos = line->src.pos,
	};
	int src_error = find(item, &line->src, "src", &flow.src);
	int dst_error = find(item, &line->dst, "dst", &flow.dst);

	if (src_error != 0 || dst_error != 0 || check_tenant(item, line, flow.src.host) != 0)
		return -EINVAL;
	flow.start_ps = item_draw_start(item, flow.src.host) + line->start_ps;
	return item_add_flow(item, &flow);
}

int
item_flows_file(struct item *item)
{
	const struct config_name *name = &item->work->file;
	char *path = file_beside(item->topology->config->beside, name->text), *text;
	const char *configuration = item->file;
	struct flows_file file = {0};
	size_t length;
	int result = words_load(path, &text, &length);

	if (result != 0) {
		result = diag_error(item->diag, item->file, name->pos, "workload.file",
				    "%s cannot be read: %s", name->text, strerror(-result));
	} else {
		result =
			flows_file_parse(&file, item->work->format, text, length, path, item->diag);
		free(text);
	}
	item->file = path;
	for (uint32_t i = 0; i < file.count; i++)
		if (add_line(item, &file.lines[i]) != 0)
			result = -EINVAL;
	item->file = configuration;
	flows_file_free(&file);
	free(path);
	return result;
}
