// SPDX-License-Identifier: BSD-3-Clause
// Names that the file uses, looked up: one that does not exist is an error at its position, which
// lists those that do.
#include "topology.h"

#include "control/base/memory.h"
#include "control/config/host_range.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HINT_MAX 256
#define NAMES_SHOWN 6u // of VRFs and tenants, whose names are no series

enum wanted { WANTED_NODE, WANTED_HOST, WANTED_VRF, WANTED_TENANT };

static const char *const wanted_names[] = {"node", "host", "VRF", "tenant"};

static size_t
list_names(const struct topology *t, enum wanted wanted, const char **names)
{
	size_t count = 0;

	if (wanted == WANTED_VRF) {
		for (uint16_t i = 0; i < t->vrf_count; i++)
			if (t->vrfs[i].name[0] != '\0')
				names[count++] = t->vrfs[i].name;
	} else if (wanted == WANTED_TENANT) {
		for (uint16_t i = 0; i < t->tenant_count; i++)
			if (t->tenants[i].name != NULL)
				names[count++] = t->tenants[i].name;
	} else {
		for (uint32_t i = 0; i < t->node_count; i++)
			if (wanted == WANTED_NODE || t->nodes[i].role == CONFIG_ROLE_HOST)
				names[count++] = t->nodes[i].name;
	}
	return count;
}

// "; there are default, red and blue".
static void
list_all(const char *const *names, size_t count, char text[static HINT_MAX])
{
	size_t used = (size_t)snprintf(text, HINT_MAX, "; there are ");

	for (size_t i = 0; i < count && used < HINT_MAX; i++)
		used += (size_t)snprintf(text + used, HINT_MAX - used, "%s%s",
					 i == 0           ? ""
					 : i == count - 1 ? " and "
							  : ", ",
					 names[i]);
}

// "; did you mean leaf1?", or which there are, or nothing: not for errors that are no longer kept,
// of which a flow file may have a million. word: NULL to list what there is.
static const char *
hint(const struct topology *t, enum wanted wanted, const char *word, const struct diag *diag,
     char text[static HINT_MAX])
{
	size_t room = (size_t)t->node_count + t->vrf_count + t->tenant_count + 1;
	const char **names, *near;
	size_t count;

	text[0] = '\0';
	if (diag->errors >= DIAG_KEPT_MAX)
		return text;
	names = memory_array(room, sizeof(*names), "names");
	count = list_names(t, wanted, names);
	near = word != NULL ? config_suggest(word, names, count) : NULL;
	if (near != NULL)
		snprintf(text, HINT_MAX, "; did you mean %s?", near);
	else if (count == 1)
		snprintf(text, HINT_MAX, "; there is only %s", names[0]);
	else if (count > 1 && count <= NAMES_SHOWN &&
		 (wanted == WANTED_VRF || wanted == WANTED_TENANT))
		list_all(names, count, text);
	else if (count > 1)
		snprintf(text, HINT_MAX, "; there are %s .. %s", names[0], names[count - 1]);
	free(names);
	return text;
}

static int
report_missing(const struct topology *t, enum wanted wanted, const struct config_name *name,
	       const char *key, struct diag *diag)
{
	char text[HINT_MAX];

	return diag_error(diag, t->config->file, name->pos, key, "there is no %s %s%s",
			  wanted_names[wanted], name->text,
			  hint(t, wanted, name->text, diag, text));
}

int
topology_resolve_node(const struct topology *t, const struct config_name *name, const char *key,
		      uint32_t *out, struct diag *diag)
{
	*out = topology_find_node(t, name->text);
	return *out != TOPOLOGY_NONE ? 0 : report_missing(t, WANTED_NODE, name, key, diag);
}

// The name of a host that was probably meant, or how to write a range where the text looks like
// one. written: the name with the port that stands behind it, if any.
static const char *
hint_or_range(const struct topology *t, const char *name, const char *written, struct diag *diag,
	      char text[static HINT_MAX])
{
	char range[HOST_RANGE_HINT];

	hint(t, WANTED_HOST, name, diag, text);
	if (strstr(text, "did you mean") == NULL && host_range_hint(written, range)[0] != '\0')
		snprintf(text, HINT_MAX, "%s", range);
	return text;
}

// Where a file names a host.
struct host_mention {
	const char *file;
	const char *key;
	const struct config_name *name;
	const char *written; // the name with its port: "h1.eth2"
};

static int
resolve_host(const struct topology *t, const struct host_mention *mention, uint32_t *out,
	     struct diag *diag)
{
	const struct config_name *name = mention->name;
	const char *file = mention->file, *key = mention->key;
	uint32_t node = topology_find_node(t, name->text);
	char text[HINT_MAX];

	if (node != TOPOLOGY_NONE && t->nodes[node].role == CONFIG_ROLE_HOST) {
		*out = topology_host_of(t, node);
		return 0;
	}
	if (node != TOPOLOGY_NONE)
		return diag_error(diag, file, name->pos, key, "%s is a %s, not a host", name->text,
				  config_role_name(t->nodes[node].role));
	if (name->range != NULL)
		return diag_error(diag, file, name->pos, key, "%s: there is no host %s%s",
				  name->range, name->text, hint(t, WANTED_HOST, NULL, diag, text));
	return diag_error(diag, file, name->pos, key, "there is no host %s%s", name->text,
			  hint_or_range(t, name->text, mention->written, diag, text));
}

int
topology_resolve_host(const struct topology *t, const struct config_name *name, const char *key,
		      uint32_t *out, struct diag *diag)
{
	const struct host_mention mention = {t->config->file, key, name, name->text};

	return resolve_host(t, &mention, out, diag);
}

int
topology_resolve_endpoint(const struct topology *t, const char *file,
			  const struct config_name *name, const char *key,
			  struct topo_endpoint *out, struct diag *diag)
{
	const char *dot = strchr(name->text, '.');
	struct config_name host = *name;
	char text[CONFIG_NAME_MAX + 2]; // what is too long is cut to no host's name
	const struct topo_node *node;
	struct topo_ref ref;

	if (file == NULL)
		file = t->config->file;
	*out = (struct topo_endpoint){.whole = dot == NULL};
	if (dot != NULL) {
		snprintf(text, sizeof(text), "%.*s", (int)(dot - name->text), name->text);
		host.text = text;
	}
	if (resolve_host(t, &(struct host_mention){file, key, &host, name->text}, &out->host,
			 diag) != 0)
		return -EINVAL;
	if (dot == NULL)
		return 0;
	if (topology_find_port(t, name->text, &ref) == 0) {
		out->port = (uint8_t)ref.port;
		return 0;
	}
	node = topology_host(t, out->host);
	return diag_error(diag, file, name->pos, key, "%s has no port %s; it has %s%s%s",
			  node->name, dot + 1, node->ports[0].name,
			  node->port_count > 1 ? " .. " : "",
			  node->port_count > 1 ? node->ports[node->port_count - 1].name : "");
}

// Reports what is wrong with "leaf1.swp99": its node, or its port.
static int
report_port(const struct topology *t, const struct config_name *name, const char *key,
	    struct diag *diag)
{
	const char *dot = strchr(name->text, '.'), *file = t->config->file;
	char node_name[CONFIG_NAME_MAX + 1];
	const struct topo_node *n = &t->nodes[0];
	uint32_t node = 0;

	if (dot == NULL && !topology_is_single(t))
		return diag_error(diag, file, name->pos, key,
				  "%s names no port: write NODE.PORT, as in %s.%s", name->text,
				  n->name, n->port_count != 0 ? n->ports[0].name : "swp1");
	if (dot != NULL) {
		snprintf(node_name, sizeof(node_name), "%.*s", (int)(dot - name->text), name->text);
		node = topology_find_node(t, node_name);
	}
	if (node == TOPOLOGY_NONE)
		return report_missing(t, WANTED_NODE,
				      &(struct config_name){.text = node_name, .pos = name->pos},
				      key, diag);
	n = &t->nodes[node];
	if (n->port_count == 0)
		return diag_error(diag, file, name->pos, key, "%s has no ports", n->name);
	return diag_error(diag, file, name->pos, key, "there is no port %s; %s has %s .. %s",
			  name->text, n->name, n->ports[0].name, n->ports[n->port_count - 1].name);
}

int
topology_resolve_port(const struct topology *t, const struct config_name *name, const char *key,
		      struct topo_ref *out, struct diag *diag)
{
	return topology_find_port(t, name->text, out) == 0 ? 0 : report_port(t, name, key, diag);
}

int
topology_resolve_queue(const struct topology *t, const struct config_name *name, const char *key,
		       struct topo_ref *out, struct diag *diag)
{
	const char *dot = strrchr(name->text, '.');
	bool numbered = dot != NULL && dot[1] >= '0' && dot[1] <= '9';
	struct config_name port = {.text = NULL, .pos = name->pos};

	if (topology_find_queue(t, name->text, out) == 0)
		return 0;
	port.text = memory_text_part(name->text,
				     numbered ? (size_t)(dot - name->text) : strlen(name->text));
	if (topology_find_port(t, port.text, out) != 0)
		report_port(t, &port, key, diag);
	else
		diag_error(diag, t->config->file, name->pos, key,
			   "%s names no queue: write %s.0 .. %s.%d", name->text, port.text,
			   port.text, PRIORITIES - 1);
	free(port.text);
	return -EINVAL;
}

// A link's name whose ends may be misspelt: the names of the nodes that its halves seem to mean.
static const char *
link_hint(const struct topology *t, const char *name, char text[static HINT_MAX])
{
	const char *dash = strchr(name, '-');
	size_t count;
	const char **names, *a, *b;
	char half[CONFIG_NAME_MAX + 1];

	snprintf(text, HINT_MAX, "; write A-B for the link that joins A and B");
	if (dash == NULL || strchr(dash + 1, '-') != NULL)
		return text;
	names = memory_array(t->node_count, sizeof(*names), "names");
	count = list_names(t, WANTED_NODE, names);
	snprintf(half, sizeof(half), "%.*s", (int)(dash - name), name);
	a = topology_find_node(t, half) != TOPOLOGY_NONE ? half
							 : config_suggest(half, names, count);
	b = topology_find_node(t, dash + 1) != TOPOLOGY_NONE
		    ? dash + 1
		    : config_suggest(dash + 1, names, count);
	if (a != NULL && b != NULL) {
		char pair[TOPOLOGY_NAME_MAX];
		uint32_t link;

		snprintf(pair, sizeof(pair), "%.40s-%.40s", a, b);
		if (topology_find_link(t, pair, &link) == 0)
			snprintf(text, HINT_MAX, "; did you mean %s?", pair);
		else if (strcmp(pair, name) == 0)
			snprintf(text, HINT_MAX, ": no link joins the two");
	}
	free(names);
	return text;
}

int
topology_resolve_link(const struct topology *t, const struct config_name *name, const char *key,
		      uint32_t *out, struct diag *diag)
{
	int found = topology_find_link(t, name->text, out);
	char text[HINT_MAX];

	if (found == -EEXIST)
		return diag_error(
			diag, t->config->file, name->pos, key,
			"several links join these: name their ports, as in leaf1.swp5-spine1.swp1");
	if (found != 0)
		return diag_error(diag, t->config->file, name->pos, key, "there is no link %s%s",
				  name->text, link_hint(t, name->text, text));
	return 0;
}

int
topology_resolve_vrf(const struct topology *t, const struct config_name *name, const char *key,
		     uint16_t *out, struct diag *diag)
{
	int found = name->text != NULL ? topology_find_vrf(t, name->text) : TOPOLOGY_VRF_DEFAULT;

	*out = (uint16_t)found;
	return found >= 0 ? 0 : report_missing(t, WANTED_VRF, name, key, diag);
}

int
topology_resolve_tenant(const struct topology *t, const struct config_name *name, const char *key,
			uint16_t *out, struct diag *diag)
{
	int found = topology_find_tenant(t, name->text);

	*out = (uint16_t)found;
	return found >= 0 ? 0 : report_missing(t, WANTED_TENANT, name, key, diag);
}

// ---- names of sections that the model does not read ---------------------------------------------

static void
check_attach(const struct topology *t, struct diag *diag)
{
	const struct config *config = t->config;

	for (unsigned i = 0; i < config->attach_count; i++) {
		const struct config_attach *attach = &config->attach[i];
		struct topo_endpoint end;
		const struct topo_node *node;

		if (topology_resolve_endpoint(t, NULL, &attach->host, "attach", &end, diag) != 0)
			continue;
		node = topology_host(t, end.host);
		if (node->port_count > 1 && end.whole && !config_attach_makes_interface(attach))
			diag_warning(diag, config->file, attach->host.pos, "attach",
				     "only %s of the %u NICs of %s is attached: links of the "
				     "others are down when the fabric is up, unless %s.eth2 and so "
				     "on are attached too",
				     node->ports[0].name, node->port_count, node->name, node->name);
	}
}

static void
check_event(const struct topology *t, const struct config_event *event, struct diag *diag)
{
	struct topo_ref ref;
	uint32_t found;

	switch (event->kind) {
	case CONFIG_EVENT_LINK:
		topology_resolve_link(t, &event->link, "events.link", &found, diag);
		break;
	case CONFIG_EVENT_PORT_TX:
	case CONFIG_EVENT_PORT_PFC:
		topology_resolve_port(t, &event->port, "events.port", &ref, diag);
		break;
	case CONFIG_EVENT_RESTORE:
		topology_resolve_queue(t, &event->restore, "events.restore", &ref, diag);
		break;
	case CONFIG_EVENT_CLEAR: // no node, no port: all of them
		if (event->port.text != NULL)
			topology_resolve_port(t, &event->port, "events.port", &ref, diag);
		if (event->node.text != NULL)
			topology_resolve_node(t, &event->node, "events.node", &found, diag);
		break;
	case CONFIG_EVENT_ROUTE: // routes/create.c
	case CONFIG_EVENT_SET:   // a key of the settings
	case CONFIG_EVENT_UNSET:
	case CONFIG_EVENT_SNAPSHOT:
		break;
	}
}

static void
check_record(const struct topology *t, struct diag *diag)
{
	const struct config_record *record = &t->config->record;
	struct topo_ref ref;

	for (unsigned i = 0; !config_means_all(&record->queues) && i < record->queues.count; i++)
		topology_resolve_queue(t, &record->queues.items[i], "record.queues", &ref, diag);
	for (unsigned i = 0; i < record->pcap.count; i++)
		topology_resolve_port(t, &record->pcap.items[i], "record.pcap", &ref, diag);
}

// The VRFs that switches learn routes for.
static void
check_learns(const struct topology *t, struct diag *diag)
{
	struct switch_config settings;
	uint16_t vrf;

	for (uint32_t n = 0; n < t->first_host; n++) {
		const struct topo_node *node = &t->nodes[n];

		if (!config_learns(t->config, node->name) ||
		    config_switch(t->config, node->name, node->role, &settings) != 0)
			continue;
		for (unsigned i = 0; i < settings.learn_count; i++)
			topology_resolve_vrf(t, &settings.learns[i].vrf, "learn.vrf", &vrf, diag);
	}
}

int
topology_check_names(const struct topology *t, struct diag *diag)
{
	unsigned before = diag->errors;

	check_attach(t, diag);
	for (unsigned i = 0; i < t->config->event_count; i++)
		check_event(t, &t->config->events[i], diag);
	check_record(t, diag);
	check_learns(t, diag);
	return diag->errors == before ? 0 : -EINVAL;
}
