// SPDX-License-Identifier: BSD-3-Clause
// A file as a fabric would come up from it: everything is up, and what `attach:` names is there.
#include "map.h"

#include "control/base/memory.h"

#include <stdlib.h>

struct map_file {
	struct config *config;
	struct topology *topology;
	const struct config_attach **attached; // by host and port
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

int
map_file_open(struct map_file **out, const char *path, struct diag *diag)
{
	struct map_file *f = memory_new(sizeof(*f), "map of a file");
	int rc = config_load(&f->config, path, diag);

	if (rc == 0)
		rc = topology_create(&f->topology, f->config, diag);
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
	topology_destroy(f->topology);
	config_free(f->config);
	free(f);
}

static json_t *
link_of(const void *context, uint32_t link)
{
	const struct map_file *f = context;
	const struct topo_link *l = &f->topology->links[link];

	return map_link(f->topology, link, &(struct map_link_state){l->rate_bps, l->delay_ps});
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

struct map_source
map_file_source(const struct map_file *f)
{
	return (struct map_source){f->topology, f, link_of, attached_to, what_is, uses_ip6};
}
