// SPDX-License-Identifier: BSD-3-Clause
// What an InfiniBand fabric cannot have: all that is Ethernet's or IP's. Each is refused where the
// file writes it. And the framing, whose defaults depend on the link layer.
//
// An InfiniBand packet stands between delimiters of one symbol (IBTA volume 1, section 7.4: SDP
// before it, EGP behind it), and its link CRC, the VCRC, has two bytes.
#include "merge.h"

#include <stdio.h>
#include <string.h>

static void
refuse(const struct config *config, struct diag_pos pos, const char *key, const char *hint,
       struct diag *diag)
{
	diag_error(diag, config->file, pos, key,
		   "not supported with link-layer: infiniband; remove it%s", hint);
}

static void
resolve_framing(struct config_fabric *fabric)
{
	const bool infiniband = fabric->link_layer == CONFIG_LINK_INFINIBAND;
	struct config_framing *framing = &fabric->framing;

	if (framing->preamble_auto)
		framing->preamble_bytes = infiniband ? 1 : 8;
	if (framing->fcs_auto)
		framing->fcs_bytes = infiniband ? 2 : 4;
	if (framing->gap_auto)
		framing->gap_bytes = infiniband ? 1 : 12;
}

static void
check_partitions(const struct config *config, struct diag *diag)
{
	static const char partitions[] = "; tenants are partitions";

	for (unsigned i = 0; i < config->tenant_count; i++) {
		const struct config_tenant *t = &config->tenants[i];
		const struct {
			bool written;
			const char *key, *hint;
		} keys[] = {
			{t->vni != 0, "tenants.vni", partitions},
			{t->vlan != 0, "tenants.vlan", partitions},
			{t->encap == CONFIG_ENCAP_VXLAN || t->encap == CONFIG_ENCAP_VLAN,
			 "tenants.encap", partitions},
			{t->leak.count != 0, "tenants.leak", ""},
			{t->address_count != 0, "tenants.addresses", ""},
			{t->border_count != 0, "tenants.borders", ""},
		};

		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			if (keys[k].written)
				refuse(config, t->name.pos, keys[k].key, keys[k].hint, diag);
	}
}

static void
check_events_of(const struct config *config, struct diag *diag)
{
	for (unsigned i = 0; i < config->event_count; i++) {
		const struct config_event *e = &config->events[i];

		if (e->kind == CONFIG_EVENT_ROUTE)
			refuse(config, e->pos, "events.route", "", diag);
		if (e->kind == CONFIG_EVENT_LINK && e->changes & CONFIG_LINK_DROP)
			refuse(config, e->pos, "events.drop", "", diag);
		if (e->kind == CONFIG_EVENT_PORT_PFC)
			refuse(config, e->pos, "events.pfc", "", diag);
	}
}

static void
check_single(const struct config *config, struct diag *diag)
{
	const struct config_single *single = &config->single;

	for (unsigned i = 0; i < single->route_count; i++)
		refuse(config, single->routes[i].pos, "switch.routes", "; write `lft:` instead",
		       diag);
	if (single->bfd.socket.text != NULL)
		refuse(config, single->bfd.socket.pos, "switch.bfd", "", diag);
	if (single->vtep.version != 0)
		refuse(config, single->vtep.pos, "switch.vtep", "", diag);
	for (unsigned i = 0; i < single->port_count; i++) {
		const struct config_port *port = &single->ports[i];

		if (port->dev.text != NULL)
			refuse(config, port->dev.pos, "switch.ports.dev", "", diag);
		if (port->netdev.text != NULL)
			refuse(config, port->netdev.pos, "switch.ports.netdev", "", diag);
		if (strcmp(port->vrf.text, "default") != 0)
			refuse(config, port->vrf.pos, "switch.ports.vrf", "", diag);
	}
}

// Keys of a section, where the file writes them.
static void
check_written(const struct config *config, const char *section, const char *key, struct diag *diag)
{
	const struct diag_pos pos = config_written_at(config, section, key);
	char path[96];

	if (pos.line == 0)
		return;
	snprintf(path, sizeof(path), "%s.%s", section, key);
	refuse(config, pos, path, "", diag);
}

static void
check_hosts(const struct config *config, struct diag *diag)
{
	const struct yaml_node *root = config->private->root;
	enum config_role role;

	for (unsigned i = 0; i < root->count; i++)
		if (strcmp(root->pairs[i].key, "hosts") == 0 ||
		    (config_node_role(config, root->pairs[i].key, &role) == 0 &&
		     role == CONFIG_ROLE_HOST)) {
			check_written(config, root->pairs[i].key, "ip", diag);
			check_written(config, root->pairs[i].key, "pause-storm", diag);
		}
}

// Until links have credits, lossless groups send Ethernet's frames.
static void
warn_of_pauses(const struct config *config, struct diag *diag)
{
	const bool single = config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
	const char *section = single ? "switch" : "fabric";
	struct switch_config leaf;
	bool lossless = false;
	char key[24];

	if (config_switch(config, "", CONFIG_ROLE_LEAF, &leaf) != 0 ||
	    leaf.flow_control == CONFIG_FLOW_CONTROL_NONE || config_has_credits(leaf.flow_control))
		return;
	for (unsigned i = 0; i < CONFIG_PRIORITIES; i++)
		lossless |= leaf.groups[i].lossless;
	snprintf(key, sizeof(key), "%s.link-layer", section);
	if (lossless)
		diag_warning(
			diag, config->file, config_written_at(config, section, "link-layer"), key,
			"lossless priority groups send Ethernet pause frames, which InfiniBand "
			"links do not carry: set `qos.flow-control: credit`, or use `preset: "
			"infiniband` or `lossy`");
}

// An Ethernet fabric has no subnet.
static void
refuse_subnet(const struct config *config, struct diag *diag)
{
	static const char *const keys[] = {"engine", "alternate", "lfts"};
	char path[32];

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct diag_pos pos = config_written_at(config, "subnet", keys[i]);

		if (pos.line == 0)
			continue;
		snprintf(path, sizeof(path), "subnet.%s", keys[i]);
		diag_error(diag, config->file, pos, path,
			   "only a fabric with `link-layer: infiniband` has forwarding tables");
	}
}

// What a switch may choose among is the engine's to say, and a file has one port for each LID.
static void
refuse_choice(const struct config *config, struct diag_pos pos, const char *key, struct diag *diag)
{
	diag_error(
		diag, config->file, pos, key,
		"the tables of `subnet.lfts` have one port for each LID, and no other to choose: "
		"turn it off, or have `subnet.engine` fill the tables");
}

void
check_infiniband(struct config *config, struct diag *diag)
{
	resolve_framing(&config->fabric);
	if (config->fabric.link_layer != CONFIG_LINK_INFINIBAND) {
		for (unsigned i = 0; i < config->single.lft_count; i++)
			diag_error(diag, config->file, config->single.lft[i].port.pos, "switch.lft",
				   "only supported on a switch with `link-layer: infiniband`");
		refuse_subnet(config, diag);
		return;
	}
	for (unsigned i = 0; i < config->attach_count; i++)
		refuse(config, config->attach[i].host.pos, "attach", "", diag);
	for (unsigned i = 0; i < config->fabric.part_count; i++)
		refuse(config, config->fabric.parts[i].name.pos, "fabric.parts", "", diag);
	check_written(config, "fabric", "underlay", diag);
	for (unsigned i = 0; i < config->work_count; i++)
		if (config->workload[i].kind == CONFIG_WORK_STREAM)
			refuse(config, config->workload[i].pos, "workload.stream", "", diag);
	if (config->subnet.alternate && config->subnet.lfts.path.text != NULL)
		refuse_choice(config, config_written_at(config, "subnet", "alternate"),
			      "subnet.alternate", diag);
	warn_of_pauses(config, diag);
	check_partitions(config, diag);
	check_events_of(config, diag);
	check_hosts(config, diag);
	if (config->fabric.topology == CONFIG_TOPOLOGY_SINGLE)
		check_single(config, diag);
}

// The same of the settings of a switch. Keys of presets count for nothing here.
void
check_infiniband_switch(const struct switch_check *check)
{
	const struct switch_config *s = check->settings;
	const struct {
		bool on;
		const char *key, *hint;
	} keys[] = {
		// What is left chooses for every packet, whatever its flow.
		{s->routing.mode != GROUP_ECMP &&
			 (s->routing.mode < GROUP_ADAPTIVE || s->routing.mode > GROUP_RANDOM),
		 "routing.mode", "; use ecmp, adaptive, spray or random"},
		{s->routing.pin_count != 0, "routing.pinned", ""},
		{s->routing.notices.on, "routing.spine-notices", ""},
		{s->trim.on, "qos.trim", ""},
		{s->flow_control == CONFIG_FLOW_CONTROL_CBFC, "qos.flow-control", "; use credit"},
		{s->llr.on, "qos.llr.state", ""},
		{s->ipip.on, "ipip", ""},
		{s->learn_count != 0, "learn", ""},
		{s->lldp, "lldp", ""},
		{s->icmp.on, "icmp", ""},
		{s->arp != CONFIG_ARP_OFF, "arp", ""},
	};

	if (check->all->config->fabric.link_layer != CONFIG_LINK_INFINIBAND)
		return;
	if (check->all->config->subnet.lfts.path.text != NULL &&
	    s->routing.mode >= GROUP_ADAPTIVE && s->routing.mode <= GROUP_RANDOM)
		refuse_choice(check->all->config, check_mark(check, "routing.mode").pos,
			      "routing.mode", check->diag);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct config_mark mark = check_mark(check, "%s", keys[i].key);

		if (keys[i].on && mark.origin == CONFIG_ORIGIN_FILE)
			refuse(check->all->config, mark.pos, keys[i].key, keys[i].hint,
			       check->diag);
	}
}
