// SPDX-License-Identifier: BSD-3-Clause
// Merging leaves its lists in the configuration's memory for good, so the result is kept until
// settings change. A preset alone is what a switch becomes that says nothing else.
#include "settings_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct one_switch {
	struct switch_config settings;
	struct config_marks marks;
	struct switch_config preset;
	uint64_t *cable_mm;
};

struct settings_cache {
	struct show_switch *shown;
	struct one_switch *switches;
	struct switch_config *seen; // the fabric's, when this was made
	uint32_t count;
};

void
settings_cache_destroy(struct settings_cache *m)
{
	if (m == NULL)
		return;
	for (uint32_t i = 0; m->switches != NULL && i < m->count; i++) {
		free(m->switches[i].cable_mm);
		config_marks_free(&m->switches[i].marks);
	}
	free(m->seen);
	free(m->switches);
	free(m->shown);
	free(m);
}

// The settings of a preset without anything else.
static int
preset_alone(struct switch_config *out, const struct switch_config *of)
{
	struct diag diag = {0};
	struct config *config = NULL;
	char text[160];
	int rc;

	if (of->preset == CONFIG_PRESET_NONE)
		snprintf(text, sizeof(text), "switch: {name: preset, ports: {swp1: {}}}\n");
	else
		snprintf(text, sizeof(text),
			 "switch: {name: preset, preset: %s, preset-mode: %s, ports: {swp1: {}}}\n",
			 config_preset_name(of->preset), config_preset_mode_name(of->preset_mode));
	rc = config_load_text(&config, text, strlen(text), "preset", &diag);
	if (rc == 0)
		rc = config_switch(config, "preset", CONFIG_ROLE_LEAF, out);
	config_free(config);
	diag_free(&diag);
	return rc;
}

static int
fill_switch(struct settings_cache *m, const struct live_fabric *live, uint32_t index)
{
	const struct topo_node *place = &live->topology->nodes[index];
	struct one_switch *s = &m->switches[index];
	int rc = config_switch_marked(live->config, place->name, place->role, &s->settings,
				      &s->marks);

	s->cable_mm = calloc(place->port_count + 1u, sizeof(*s->cable_mm));
	if (rc == 0 && s->cable_mm == NULL)
		rc = -ENOMEM;
	if (rc == 0)
		rc = preset_alone(&s->preset, &s->settings);
	for (uint16_t i = 0; rc == 0 && i < place->port_count; i++)
		s->cable_mm[i] = place->ports[i].cable_mm;
	m->shown[index] = (struct show_switch){.node = place->name,
					       .settings = &s->settings,
					       .marks = &s->marks,
					       .preset = &s->preset,
					       .cable_mm = s->cable_mm};
	return rc;
}

static bool
still_true(const struct settings_cache *m, const struct live_fabric *live)
{
	return m != NULL &&
	       memcmp(m->seen, live->fabric->switches, m->count * sizeof(*m->seen)) == 0;
}

int
settings_cache_update(struct settings_cache **out, const struct live_fabric *live)
{
	uint32_t count = live->topology->first_host;
	struct settings_cache *m;
	int rc = -ENOMEM;

	if (still_true(*out, live))
		return 0;
	settings_cache_destroy(*out);
	*out = NULL;
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return -ENOMEM;
	m->count = count;
	m->shown = calloc(count + 1u, sizeof(*m->shown));
	m->switches = calloc(count + 1u, sizeof(*m->switches));
	m->seen = calloc(count + 1u, sizeof(*m->seen));
	if (m->shown != NULL && m->switches != NULL && m->seen != NULL) {
		memcpy(m->seen, live->fabric->switches, count * sizeof(*m->seen));
		rc = 0;
	}
	for (uint32_t i = 0; rc == 0 && i < count; i++)
		rc = fill_switch(m, live, i);
	if (rc != 0) {
		settings_cache_destroy(m);
		return rc;
	}
	*out = m;
	return 0;
}

const struct show_switch *
settings_cache_switches(const struct settings_cache *m, unsigned int *count)
{
	*count = m != NULL ? m->count : 0;
	return m != NULL ? m->shown : NULL;
}
