// SPDX-License-Identifier: BSD-3-Clause
// Who sends to whom: single flows, flow files, incast, permutation.
#include "flows_file.h"
#include "items.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
resolve(const struct item *item, const struct config_name *name, const char *key, uint32_t *out)
{
	return topology_resolve_host_in(item->topology, item->file, name, key, out, item->diag);
}

int
item_members(const struct item *item, uint32_t **out, uint32_t *count)
{
	const struct topology *t = item->topology;
	const struct config_work *work = item->work;
	int tenant = work->tenant.text != NULL ? topology_find_tenant(t, work->tenant.text) : -1;
	uint32_t *members = calloc((size_t)t->host_count + work->hosts.count + 1, sizeof(*members));
	int error = 0;

	*count = 0;
	if (members == NULL)
		return -ENOMEM;
	if (work->hosts.count > 0) {
		for (unsigned i = 0; i < work->hosts.count; i++)
			error |= resolve(item, &work->hosts.items[i], "workload.hosts",
					 &members[(*count)++]);
	} else {
		for (uint32_t h = 0; h < t->host_count; h++)
			if (tenant < 0 || topology_host_tenant(t, h) == tenant)
				members[(*count)++] = h;
	}
	if (error == 0 && *count < 2) {
		config_error(item->diag, item->file, work->pos, "workload", "%u %s; it takes two",
			     *count, *count == 1 ? "host" : "hosts");
		error = -EINVAL;
	}
	if (error != 0) {
		free(members);
		return -EINVAL;
	}
	*out = members;
	return 0;
}

int
item_flow(struct item *item)
{
	const struct config_work *work = item->work;
	struct item_flow flow = {
		.bytes = work->size_bytes,
		.priority = -1,
		.collective = WORKLOAD_NO_COLLECTIVE,
		.pos = work->pos,
	};

	if (resolve(item, &work->from.items[0], "workload.from", &flow.src) != 0 ||
	    resolve(item, &work->to, "workload.to", &flow.dst) != 0)
		return -EINVAL;
	return item_add_flow(item, &flow);
}

int
item_incast(struct item *item)
{
	const struct config_work *work = item->work;
	struct item_flow flow = {
		.bytes = work->size_bytes,
		.priority = -1,
		.collective = WORKLOAD_NO_COLLECTIVE,
	};
	int result = 0;

	if (resolve(item, &work->to, "workload.to", &flow.dst) != 0)
		return -EINVAL;
	for (unsigned i = 0; i < work->from.count && result != -ENOMEM; i++) {
		int error = resolve(item, &work->from.items[i], "workload.from", &flow.src);

		flow.pos = work->from.items[i].pos;
		if (error == 0)
			error = item_add_flow(item, &flow);
		if (error != 0)
			result = error;
	}
	return result;
}

// A permutation without fixed points, each equally likely: whole shuffles (Fisher, Yates) are drawn
// until one has none, which is e times on average.
static void
derange(struct random *random, uint32_t *order, uint32_t count)
{
	bool fixed;

	do {
		fixed = false;
		for (uint32_t i = 0; i < count; i++)
			order[i] = i;
		for (uint32_t i = count - 1; i > 0; i--) {
			uint32_t j = random_below(random, i + 1), swapped = order[i];

			order[i] = order[j];
			order[j] = swapped;
		}
		for (uint32_t i = 0; i < count; i++)
			fixed |= order[i] == i;
	} while (fixed);
}

int
item_permutation(struct item *item)
{
	uint32_t *members, count, *order;
	int error = item_members(item, &members, &count);

	if (error != 0)
		return error;
	order = calloc(count, sizeof(*order));
	if (order == NULL) {
		free(members);
		return -ENOMEM;
	}
	derange(&item->random, order, count);
	for (uint32_t i = 0; error == 0 && i < count; i++) {
		const struct item_flow flow = {
			.src = members[i],
			.dst = members[order[i]],
			.bytes = item->work->size_bytes,
			.priority = -1,
			.collective = WORKLOAD_NO_COLLECTIVE,
			.pos = item->work->pos,
		};

		error = item_add_flow(item, &flow);
	}
	free(order);
	free(members);
	return error;
}

// Beside the configuration file if it is there, else as it is written. For free(), or NULL.
static char *
flows_path(const struct item *item)
{
	const char *config = item->topology->config->file, *name = item->work->file.text;
	const char *slash = strrchr(config, '/');
	size_t folder = slash != NULL ? (size_t)(slash - config) + 1 : 0;
	size_t size = folder + strlen(name) + 1;
	char *path;

	if (name[0] == '/' || folder == 0)
		return strdup(name);
	path = malloc(size);
	if (path == NULL)
		return NULL;
	snprintf(path, size, "%.*s%s", (int)folder, config, name);
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return strdup(name);
}

static int
check_tenant(const struct item *item, const struct flows_line *line, uint32_t src)
{
	const struct topology *t = item->topology;
	uint16_t tenant = topology_host_tenant(t, src);

	if (line->tenant.text == NULL ||
	    (tenant != TENANT_NONE && strcmp(t->tenants[tenant].name, line->tenant.text) == 0))
		return 0;
	config_error(item->diag, item->file, line->tenant.pos, "tenant", "%s is not in tenant %s",
		     line->src.text, line->tenant.text);
	return -EINVAL;
}

static int
add_line(struct item *item, const struct flows_line *line)
{
	struct item_flow flow = {
		.bytes = line->bytes,
		.priority = line->priority,
		.after_ps = line->start_ps,
		.collective = WORKLOAD_NO_COLLECTIVE,
		.pos = line->src.pos,
	};
	int src_error = resolve(item, &line->src, "src", &flow.src);
	int dst_error = resolve(item, &line->dst, "dst", &flow.dst);

	if (src_error != 0 || dst_error != 0 || check_tenant(item, line, flow.src) != 0)
		return -EINVAL;
	return item_add_flow(item, &flow);
}

int
item_flows_file(struct item *item)
{
	struct flows_file file;
	char *path;
	int result;

	if (item->work->format != CONFIG_FLOW_FORMAT_ROOST) {
		config_error(item->diag, item->file, item->work->pos, "workload.format",
			     "only roost is available in this version");
		return -EINVAL;
	}
	path = flows_path(item);
	if (path == NULL)
		return -ENOMEM;
	result = flows_file_load(&file, path, item->diag);
	if (result == 0) {
		item->file = path;
		for (uint32_t i = 0; i < file.count && result != -ENOMEM; i++) {
			int error = add_line(item, &file.lines[i]);

			if (error != 0)
				result = error;
		}
		flows_file_free(&file);
	}
	free(path);
	return result;
}
