// SPDX-License-Identifier: BSD-3-Clause
// A file as a fabric would come up from it: events at 0 have changed links, and what `attach:`
// names is there.
#include "map.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>

struct map_file {
	struct config *config;
	struct topology *topology;
	const struct config_attach **attached; // by host and port
	struct map_link_state *links;
};

static void
note_attached(struct map_file *f)
{
	struct topo_attached nics;

	f->attached = memory_array((size_t)f->topology->host_count * TOPOLOGY_HOST_PORTS_MAX,
				   sizeof(struct config_attach *), "attached hosts");
	for (unsigned i = 0; i < f->config->attach_count; i++) {
		if (!topology_find_attached(f->topology, &f->config->attach[i], &nics))
			continue;
		for (uint8_t p = 0; p < nics.count; p++)
			f->attached[(size_t)nics.host * TOPOLOGY_HOST_PORTS_MAX + nics.first + p] =
				&f->config->attach[i];
	}
}

static void
change_link(struct map_link_state *link, const struct config_event *event)
{
	if (event->changes & CONFIG_LINK_STATE)
		link->down = !event->up;
	if (event->changes & CONFIG_LINK_RATE)
		link->rate_bps = event->rate_bps;
	if (event->changes & CONFIG_LINK_DELAY)
		link->delay_ps = event->delay_ps;
}

// Of one instant, events happen in the order of the file.
static int
note_links(struct map_file *f, struct diag *diag)
{
	const struct topology *t = f->topology;

	f->links = memory_array(t->link_count, sizeof(*f->links), "links");
	for (uint32_t l = 0; l < t->link_count; l++)
		f->links[l] = (struct map_link_state){t->links[l].rate_bps, t->links[l].delay_ps};
	for (unsigned i = 0; i < f->config->event_count; i++) {
		const struct config_event *event = &f->config->events[i];
		uint32_t link;

		if (event->kind != CONFIG_EVENT_LINK || event->at_ps != 0)
			continue;
		if (topology_resolve_link(t, &event->link, "events", &link, diag) != 0)
			return -EINVAL;
		change_link(&f->links[link], event);
	}
	return 0;
}

int
map_file_open(struct map_file **out, const char *path, struct diag *diag)
{
	struct map_file *f = memory_new(sizeof(*f), "map of a file");
	int rc = config_load(&f->config, path, diag);

	if (rc == 0)
		rc = topology_create(&f->topology, f->config, diag);
	if (rc == 0)
		rc = note_links(f, diag);
	if (rc != 0) {
		map_file_close(f);
		return rc;
	}
	note_attached(f);
	*out = f;
	return 0;
}

void
map_file_close(struct map_file *f)
{
	if (f == NULL)
		return;
	free(f->attached);
	free(f->links);
	topology_destroy(f->topology);
	config_free(f->config);
	free(f);
}

static json_t *
link_of(const void *context, uint32_t link)
{
	const struct map_file *f = context;

	return map_link(f->topology, link, &f->links[link]);
}

static const struct config_attach *
attached_to(const void *context, uint32_t host, uint16_t port)
{
	const struct map_file *f = context;

	return f->attached[(size_t)host * TOPOLOGY_HOST_PORTS_MAX + port];
}

static json_t *
what_is(const void *context, uint32_t host, uint16_t port)
{
	const struct config_attach *attach = attached_to(context, host, port);

	return attach != NULL ? map_attached_text(attach) : json_string("simulated");
}

static bool
uses_ip6(const void *context, uint32_t host)
{
	const struct map_file *f = context;
	struct host_config settings;

	return config_host(f->config, topology_host(f->topology, host)->name, &settings) == 0 &&
	       config_host_uses_ip6(&settings);
}

// Loading has merged them once, so it cannot fail.
static void
settings_of(const void *context, uint32_t node, struct switch_config *out)
{
	const struct map_file *f = context;
	const struct topo_node *place = &f->topology->nodes[node];

	if (config_switch(f->config, place->name, place->role, out) != 0)
		*out = (struct switch_config){0};
}

struct map_source
map_file_source(const struct map_file *f)
{
	return (struct map_source){f->topology, f,        link_of,     attached_to,
				   what_is,     uses_ip6, settings_of, false};
}
