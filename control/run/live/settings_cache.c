// SPDX-License-Identifier: BSD-3-Clause
// Merging leaves its lists in the configuration's memory until that is freed, so the result is kept
// until settings change.
#include "collect.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct settings_cache {
	struct show_switch *switches;
	struct switch_config *seen; // the fabric's, when this was made
	uint32_t count;
};

void
settings_cache_destroy(struct settings_cache *m)
{
	if (m == NULL)
		return;
	for (uint32_t i = 0; i < m->count; i++)
		config_marks_free(&m->switches[i].marks);
	free(m->seen);
	free(m->switches);
	free(m);
}

// The settings of a switch that has a preset and no other setting.
static int
read_preset(struct switch_config *out, const struct switch_config *of)
{
	struct diag ignored = {0};
	struct config *config = NULL;
	char text[160];
	int rc;

	if (of->preset == CONFIG_PRESET_NONE)
		snprintf(text, sizeof(text), "switch: {name: preset, ports: {swp1: {}}}\n");
	else
		snprintf(text, sizeof(text),
			 "switch: {name: preset, preset: %s, preset-mode: %s, ports: {swp1: {}}}\n",
			 config_preset_name(of->preset), config_preset_mode_name(of->preset_mode));
	rc = config_load_text(&config, text, strlen(text), "preset", &ignored);
	if (rc == 0)
		rc = config_switch(config, "preset", CONFIG_ROLE_LEAF, out);
	config_free(config);
	diag_free(&ignored);
	return rc;
}

static int
fill_switch(struct show_switch *s, const struct live_fabric *live, const struct topo_node *place)
{
	int rc = config_switch_marked(live->config, place->name, place->role, &s->settings,
				      &s->marks);

	s->place = place;
	s->revision = live->revision;
	return rc == 0 ? read_preset(&s->preset, &s->settings) : rc;
}

static bool
is_current(const struct settings_cache *m, const struct live_fabric *live)
{
	return m != NULL &&
	       memcmp(m->seen, live->fabric->switches, m->count * sizeof(*m->seen)) == 0;
}

int
settings_cache_collect(struct settings_cache **cache, struct show_state *s,
		       const struct live_fabric *live)
{
	struct settings_cache *m = *cache;
	uint32_t count = live->topology->first_host;
	int rc = 0;

	if (!is_current(m, live)) {
		settings_cache_destroy(m);
		m = memory_new(sizeof(*m), "settings");
		m->count = count;
		m->switches = memory_array(count, sizeof(*m->switches), "switches");
		m->seen = memory_copy(live->fabric->switches, count, sizeof(*m->seen), "switches");
		for (uint32_t i = 0; rc == 0 && i < count; i++)
			rc = fill_switch(&m->switches[i], live, &live->topology->nodes[i]);
	}
	if (rc != 0) {
		settings_cache_destroy(m);
		m = NULL;
	} else {
		s->switches = m->switches;
		s->switch_count = m->count;
	}
	*cache = m;
	return rc;
}
