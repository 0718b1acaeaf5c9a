// SPDX-License-Identifier: BSD-3-Clause
// Attaching a host while the fabric runs replaces its simulated NIC with a device, behind an edge
// NIC or at the leaf (attach_nic.c). A host that the file has attached has no simulated NIC to come
// back: its port is down until it is attached again.
//
// The MTU of the link is the most that its interface can have. The host keeps its addresses and
// MAC, or has those of its entry for as long as it is attached (attach_addresses.c).
#include "device_drops.h"

#include "control/advice/advice.h"
#include "control/base/memory.h"
#include "control/base/text.h"
#include "control/io/host/netns.h"
#include "control/model/topology/addresses.h"
#include "lldp_agent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- checks -------------------------------------------------------------------------------------

#define USES_IT " uses this host: attach it in the file, or "

// Says what a host still has to send or to receive, and what to do; or NULL.
static const char *
find_work(const struct live_fabric *live, uint32_t host)
{
	const struct workload *w = live->workload;
	const char *name = topology_host(live->topology, host)->name, *found = NULL;
	struct report_flow *flows;
	uint32_t count;

	for (uint32_t i = 0; i < w->stream_count; i++)
		if (w->streams[i].src == host || w->streams[i].dst == host)
			return "a stream" USES_IT "take it out of the stream, and bring the fabric "
			       "up again";
	for (uint32_t i = 0; i < w->member_count; i++)
		if (w->members[i].host == host)
			return "a collective" USES_IT "take it out of the collective, and bring "
			       "the fabric up again";
	fabric_flows_report(live->flows, &flows, &count);
	for (uint32_t i = 0; found == NULL && i < count; i++)
		if (flows[i].fct == PS_NEVER &&
		    (strcmp(flows[i].src, name) == 0 || strcmp(flows[i].dst, name) == 0))
			found = "a flow that has not finished" USES_IT "wait for the flow";
	free(flows);
	return found;
}

// The packets for what NICs hold are made when the fabric comes up.
static int
check_buffer(const struct live_fabric *live, const struct device_port *d, struct diag *diag)
{
	const struct config_attach *attach = d->attach;
	struct fabric_nic_most most;
	char wanted[TEXT_VALUE_MAX], held[TEXT_VALUE_MAX];

	if (!attach->nic || attach->buffer_bytes == 0)
		return 0;
	most = fabric_nic_most(live->fabric, d->host, d->host_port);
	if (attach->buffer_bytes <= most.bytes)
		return 0;
	text_bytes(wanted, attach->buffer_bytes);
	text_bytes(held, most.bytes);
	if (attach->buffer_bytes > most.wanted_bytes)
		return diag_fail(diag, EINVAL,
				 "attach.%s.buffer: the running fabric has packets for %s, not %s: "
				 "set it in the file, then `down` and `up`",
				 attach->host.text, held, wanted);
	return diag_fail(diag, EINVAL,
			 "attach.%s.buffer: `live.packet-memory` leaves %s for this NIC, not %s: "
			 "raise it in the file, then `down` and `up`",
			 attach->host.text, held, wanted);
}

static bool
same_addresses(const struct config_attach *a, const struct config_attach *b)
{
	unsigned same = 0;

	if (a->mac.set != b->mac.set ||
	    memcmp(a->mac.bytes, b->mac.bytes, sizeof(a->mac.bytes)) != 0 ||
	    a->ip_count != b->ip_count)
		return false;
	for (unsigned i = 0; i < a->ip_count; i++)
		for (unsigned j = 0; j < b->ip_count; j++)
			same += a->ip[i].version == b->ip[j].version &&
				memcmp(a->ip[i].bytes, b->ip[j].bytes, sizeof(a->ip[i].bytes)) == 0;
	return same == a->ip_count;
}

// Whether an entry for a NIC of a host that came up attached has the addresses that it had then.
static bool
has_addresses_of_file(const struct live_fabric *live, const struct device_port *d)
{
	const struct config_attach none = {0};
	struct topo_attached at;

	for (unsigned i = 0; i < live->fabric->file_attach_count; i++) {
		const struct config_attach *file = &live->config->attach[i];

		if (topology_find_attached(live->topology, file, &at) && at.host == d->host &&
		    d->host_port >= at.first && d->host_port < at.first + at.count)
			return same_addresses(d->attach, file);
	}
	return same_addresses(d->attach, &none);
}

static int
check_nic(const struct live_fabric *live, const struct device_port *d, struct diag *diag)
{
	const struct topo_port *eth = topology_host_port(live->topology, d->host, d->host_port);
	const char *host = d->attach->host.text, *work;

	if (live->fabric->nics[d->host] == NULL && !has_addresses_of_file(live, d))
		return diag_fail(diag, EINVAL,
				 "attach.%s: the fabric came up with it attached: its mac and ip "
				 "stay as they were then until `down` and `up`",
				 host);
	if (d->mtu > eth->mtu)
		return diag_fail(diag, EINVAL,
				 "attach.%s: the link of %s carries an MTU of %u while the fabric "
				 "runs, not %u",
				 host, d->name, eth->mtu, d->mtu);
	if (d->attach->nic && (live->fabric->nodes[live->topology->first_host + d->host] == NULL ||
			       live->fabric->wires[2 * (size_t)eth->link] == NULL))
		return diag_fail(diag, EINVAL,
				 "attach.%s: add nic=off: the file says `nic: off`, and a running "
				 "fabric cannot give the host an edge NIC",
				 host);
	if (check_buffer(live, d, diag) != 0)
		return -EINVAL;
	work = live->fabric->nodes[live->topology->first_host + d->host] != NULL
		       ? find_work(live, d->host)
		       : NULL;
	return work == NULL ? 0 : diag_fail(diag, EBUSY, "attach.%s: %s", host, work);
}

// ---- one NIC ------------------------------------------------------------------------------------

static int
attach_nic(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	int rc = attach_take_addresses(live, d, diag);

	if (rc != 0)
		return rc;
	d->detached = false;
	device_drops_attach(live, d);
	if (d->own_veth && !live->in_user_namespace &&
	    device_port_fits_af_xdp(live->packets, d->mtu))
		device_port_use_af_xdp(d, (uint32_t)(d - live->devices));
	rc = attach_make_place(live, d, diag);
	if (rc == 0)
		rc = devices_open_one(live, d, diag);
	if (rc == 0)
		return 0;
	d->detached = true;
	devices_remove_made(live, d);
	(void)attach_return_addresses(live, d, diag); // nobody can have taken them
	attach_leave_place(live, d);
	return rc;
}

// The namespace that was made for a NIC stays for as long as another one is in it.
static void
hand_netns_over(const struct live_fabric *live, struct device_port *d)
{
	struct device_port *other = d->netns_created ? host_netns_other(live, d) : NULL;

	if (other == NULL)
		return;
	other->netns_created = true;
	other->id = d->id;
	d->netns_created = false;
}

static void
detach_nic(struct live_fabric *live, struct device_port *d)
{
	d->detached = true;
	hand_netns_over(live, d);
	devices_close_one(live, d);
	devices_remove_made(live, d);
	attach_leave_place(live, d);
}

// Before anything else, because it may fail. The simulated NIC then comes back with tables of its
// own addresses.
static int
return_addresses(struct live_fabric *live, const struct config_attach *attach, struct diag *diag)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < live->device_count; i++)
		if (live->devices[i].attach == attach)
			rc = attach_return_addresses(live, &live->devices[i], diag);
	return rc;
}

// Gives up its place in the list.
static void
forget(struct live_fabric *live, struct device_port *d)
{
	device_drops_detach(live, d);
	devices_release_own(live, d);
	free(d->waiting);
	host_container_free(d->container);
	*d = (struct device_port){.host = TOPOLOGY_NONE, .detached = true};
}

static void
log_note(struct live_fabric *live, const char *host, const char *what)
{
	char *text = memory_format("%s is %s", host, what);

	fabric_log_note(live->log, live_clock(&live->drive), FABRIC_LOG_CONFIGURATION, text);
	free(text);
}

// ---- a host -------------------------------------------------------------------------------------

static bool
is_of(const struct device_port *d, const char *host)
{
	return d->attach != NULL && !d->detached && strcmp(d->attach->host.text, host) == 0;
}

static bool
has_room(const struct live_fabric *live, const struct config_attach *attach)
{
	uint32_t room = live->device_room - live->device_count;
	struct topo_attached at;

	for (uint32_t i = 0; i < live->device_count; i++)
		room += device_port_is_free(&live->devices[i]);
	return !topology_find_attached(live->topology, attach, &at) || at.count <= room;
}

static void
choose_mtu(struct device_port *d)
{
	if (d->attach->mtu != 0)
		d->mtu = d->attach->mtu;
	else if (d->mtu > TOPOLOGY_VETH_MTU && d->interface[0] != '\0')
		d->mtu = TOPOLOGY_VETH_MTU;
}

static int
check_all(const struct live_fabric *live, const struct config_attach *attach, struct diag *diag)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < live->device_count; i++)
		if (live->devices[i].attach == attach)
			rc = check_nic(live, &live->devices[i], diag);
	return rc;
}

// All NICs of an entry, or none.
static int
attach_all(struct live_fabric *live, const struct config_attach *attach, struct diag *diag)
{
	uint32_t done = 0;
	int rc = 0;

	for (; rc == 0 && done < live->device_count; done++)
		if (live->devices[done].attach == attach)
			rc = attach_nic(live, &live->devices[done], diag);
	while (rc != 0 && done-- > 0)
		if (live->devices[done].attach == attach && !live->devices[done].detached)
			detach_nic(live, &live->devices[done]);
	return rc;
}

// All places of an entry; those at the end of the list are no longer part of it.
static void
forget_all(struct live_fabric *live, const struct config_attach *attach)
{
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].attach == attach)
			forget(live, &live->devices[i]);
	while (live->device_count > 0 &&
	       device_port_is_free(&live->devices[live->device_count - 1]))
		live->device_count--;
}

static int
check_privileges(const struct live_fabric *live, const struct config_attach *attach,
		 struct diag *diag)
{
	return live->outer_netns >= 0
		       ? 0
		       : diag_fail(diag, EPERM,
				   "attach.%s: the fabric has no network namespace of its own: "
				   "run `roost down`, then `roost up` as root",
				   attach->host.text);
}

int
live_attach_plan(struct live_fabric *live, const char *host, const struct yaml_node *entry,
		 const struct config_attach **out, struct diag *diag)
{
	struct arena *arena = memory_new(sizeof(*arena), "attached host");
	struct config_attach *attach = arena_alloc(arena, sizeof(*attach));
	bool placed = false;
	int rc = config_decode_attach(attach, arena, host, entry, diag);

	if (rc == 0)
		rc = check_privileges(live, attach, diag);
	if (rc == 0 && !has_room(live, attach))
		rc = diag_fail(diag, ENOSPC,
			       "there is no room for more than %u attached NICs: detach some, or "
			       "attach them in the file",
			       live->device_room);
	if (rc == 0)
		rc = device_ports_add(live->devices, &live->device_count, live->topology, attach,
				      diag);
	for (uint32_t i = 0; i < live->device_count; i++) {
		struct device_port *d = &live->devices[i];

		if (d->attach != attach)
			continue;
		d->own = arena;
		d->detached = true; // until its turn comes
		choose_mtu(d);
		placed = true;
	}
	*out = attach;
	if (rc == 0)
		rc = check_all(live, attach, diag);
	if (rc != 0)
		forget_all(live, attach);
	if (!placed) {
		arena_free(arena);
		free(arena);
	}
	return rc;
}

int
live_attach(struct live_fabric *live, const struct config_attach *attach, struct diag *diag)
{
	int rc = attach_all(live, attach, diag);

	if (rc != 0) {
		forget_all(live, attach);
		return rc;
	}
	host_names_write(live);
	log_note(live, attach->host.text, "attached");
	return 0;
}

void
live_attach_cancel(struct live_fabric *live, const struct config_attach *attach)
{
	forget_all(live, attach);
}

// An entry stands once in the list, whatever the number of its NICs.
static bool
is_first_of(const struct live_fabric *live, const struct device_port *d)
{
	const struct device_port *first = live->devices;

	while (first->detached || first->attach != d->attach)
		first++;
	return first == d;
}

void
live_attach_advice(const struct live_fabric *live, struct diag *diag)
{
	const struct config_attach **entries =
		memory_array(live->device_count, sizeof(*entries), "attached hosts");
	uint32_t count = 0;

	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];

		if (!d->detached && d->attach != NULL && is_first_of(live, d))
			entries[count++] = d->attach;
	}
	advice_reordering(live->fabric, entries, count, live->workload, diag);
	free(entries);
}

int
live_detach(struct live_fabric *live, const char *host, struct diag *diag)
{
	const struct config_attach *attach = NULL;
	int rc;

	for (uint32_t i = 0; attach == NULL && i < live->device_count; i++)
		if (is_of(&live->devices[i], host))
			attach = live->devices[i].attach;
	if (attach == NULL)
		return diag_fail(diag, ENOENT, "%.80s is not attached", host);
	rc = return_addresses(live, attach, diag);
	if (rc != 0)
		return rc;
	host_processes_end(live, host);
	for (uint32_t i = live->device_count; i-- > 0;)
		if (live->devices[i].attach == attach) {
			lldp_agent_shut_down(live, &live->devices[i]);
			detach_nic(live, &live->devices[i]);
		}
	forget_all(live, attach);
	log_note(live, host, "detached");
	return 0;
}
