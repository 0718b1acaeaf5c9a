// SPDX-License-Identifier: BSD-3-Clause
// The names of a file: the role of each node, and names that must be unique. The code that builds
// the named objects checks that names which are used exist.
#include "merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// The number after a prefix, 1 and up without leading zeros; 0 when the name is not of this form.
static unsigned
numbered(const char *name, const char *prefix)
{
	size_t skip = strlen(prefix);
	unsigned number = 0;

	if (strncmp(name, prefix, skip) != 0 || name[skip] == '0' || strlen(name + skip) > 6)
		return 0;
	for (name += skip; *name != '\0'; name++) {
		if (*name < '0' || *name > '9')
			return 0;
		number = number * 10 + (*name - '0');
	}
	return number;
}

static bool
within(unsigned number, unsigned count)
{
	return number >= 1 && number <= count;
}

// "p2-leaf1" without its plane; NULL when the name has none and should, or has one too high.
static const char *
without_plane(const char *name, uint32_t planes)
{
	unsigned plane = 0;
	const char *p = name + 1;

	if (planes <= 1)
		return name;
	for (; *p >= '0' && *p <= '9' && plane <= planes; p++)
		plane = plane * 10 + (unsigned)(*p - '0');
	return name[0] == 'p' && name[1] != '0' && *p == '-' && within(plane, planes) ? p + 1
										      : NULL;
}

int
config_node_role(const struct config *config, const char *name, enum config_role *role)
{
	const struct config_fabric *fabric = &config->fabric;
	struct config_counts counts;

	for (unsigned i = 0; i < fabric->node_count; i++) {
		if (strcmp(fabric->nodes[i].name.text, name) != 0)
			continue;
		*role = fabric->nodes[i].role;
		return 0;
	}
	if (fabric->topology == CONFIG_TOPOLOGY_SINGLE && fabric->name.text != NULL &&
	    strcmp(fabric->name.text, name) == 0) {
		*role = config->single.role;
		return 0;
	}
	config_count_nodes(fabric, &counts);
	for (*role = CONFIG_ROLE_LEAF; *role <= CONFIG_ROLE_HOST; (*role)++) {
		const uint32_t limits[] = {
			[CONFIG_ROLE_LEAF] = counts.leaves,
			[CONFIG_ROLE_SPINE] = counts.spines,
			[CONFIG_ROLE_SUPER_SPINE] = counts.supers,
			[CONFIG_ROLE_HOST] = counts.hosts,
		};
		const char *word = *role == CONFIG_ROLE_HOST ? name
							     : without_plane(name, counts.planes);

		if (word != NULL &&
		    within(numbered(word, config_role_prefix(*role)), limits[*role]))
			return 0;
	}
	return -ENOENT;
}

static void
check_nodes(const struct config *config, struct diag *diag)
{
	const struct config_fabric *fabric = &config->fabric;

	if (fabric->topology == CONFIG_TOPOLOGY_FILE)
		return; // named by their numbers
	for (unsigned i = 0; i < fabric->node_count; i++) {
		const struct config_name *name = &fabric->nodes[i].name;

		if (schema_find(&schema_fabric_file, name->text) != NULL)
			diag_error(diag, config->file, name->pos, "fabric.topology.nodes",
				   "\"%s\" is a section's name", name->text);
		for (unsigned j = 0; j < i; j++)
			if (strcmp(name->text, fabric->nodes[j].name.text) == 0)
				diag_error(diag, config->file, name->pos, "fabric.topology.nodes",
					   "%s is already given at line %u", name->text,
					   fabric->nodes[j].name.pos.line);
	}
}

// An interface is one port.
static void
check_netdevs(const struct config *config, struct diag *diag)
{
	const struct config_port *ports = config->single.ports;

	for (unsigned i = 0; i < config->single.port_count; i++)
		for (unsigned j = 0; j < i && ports[i].netdev.text != NULL; j++)
			if (ports[j].netdev.text != NULL &&
			    strcmp(ports[i].netdev.text, ports[j].netdev.text) == 0)
				diag_error(diag, config->file, ports[i].netdev.pos, "switch.ports",
					   "netdev %s is %s already", ports[i].netdev.text,
					   ports[j].name.text);
}

void
check_fabric(struct config *config, struct diag *diag)
{
	check_nodes(config, diag);
	check_tenants(config, diag);
	check_netdevs(config, diag);
	check_uplinks(config, diag);
	check_infiniband(config, diag);
	for (unsigned i = 0; i < config->single.port_count; i++)
		if (config->single.ports[i].link.mtu == 0)
			config->single.ports[i].link.mtu = config->fabric.mtu;
}
