// SPDX-License-Identifier: BSD-3-Clause
// The pauses that a port sends, and when it sends them again. A refresh may have to wait: for the
// frame that the port is sending, and for the refreshes of its other groups, which were due at the
// same time. It must reach the far end before the pause runs out, because packets that the far end
// sends in between use up headroom.
#include "build_internal.h"

#include "dataplane/base/headers.h"
#include "dataplane/base/packet.h"

#define QUANTUM_BYTES 64 // of a pause: 512 bit times

// How many pauses the port refreshes one by one: one for each group with PFC, or that of the link.
static unsigned
pause_count(const struct port_profile *profile)
{
	unsigned count = 0;

	for (unsigned g = 0; g < PRIORITIES && !profile->link_pause; g++)
		count += profile->pg[g].pfc_priorities != 0;
	return count != 0 ? count : 1;
}

static uint64_t
pauses_bytes(const struct port_profile *profile)
{
	return (uint64_t)pause_count(profile) *
	       (PACKET_FRAME_MIN + profile->preamble + profile->fcs + profile->gap);
}

// What a refresh may wait for, in bytes on the wire.
static uint64_t
wait_bytes(const struct port_profile *profile)
{
	return HEADER_ETHERNET_BYTES + 2 * HEADER_TAG_BYTES + (uint64_t)profile->mtu +
	       profile->preamble + profile->fcs + profile->gap + pauses_bytes(profile);
}

// The shortest automatic refresh: pauses then take half of what the link can carry.
static uint64_t
shortest_bytes(const struct port_profile *profile)
{
	return 2 * pauses_bytes(profile);
}

ps_t
tables_pause_wait(const struct port_profile *profile)
{
	return time_of_bytes(profile->quantum_time / QUANTUM_BYTES, wait_bytes(profile));
}

ps_t
tables_auto_refresh(const struct port_profile *profile)
{
	uint64_t bytes = (uint64_t)profile->quanta * QUANTUM_BYTES, half = bytes / 2;
	uint64_t wait = wait_bytes(profile), shortest = shortest_bytes(profile);

	if (bytes == 0)
		return PS_NEVER / 2; // a pause of no length has no expiry to come before
	if (bytes >= wait + shortest)
		half = half < bytes - wait ? half : bytes - wait;
	else
		half = half > shortest ? half : shortest;
	return time_of_bytes(profile->quantum_time / QUANTUM_BYTES, half);
}

static bool
sends_pauses(const struct port_profile *profile)
{
	for (unsigned g = 0; g < PRIORITIES; g++)
		if (profile->pg[g].pfc_priorities != 0)
			return true;
	return false;
}

static int
refuse_quanta(struct tables_draft *draft, const struct port_profile *profile,
	      const struct topo_port *port)
{
	ps_t lasts = time_of_bytes(profile->quantum_time, profile->quanta);
	uint64_t least = wait_bytes(profile) + shortest_bytes(profile);
	struct config_error_origin cause = {0};

	tables_blame(draft, &cause, "qos.pfc.quanta");
	return tables_report(draft, false, cause.mark.pos, cause.key,
			     "%s: a pause of %u quanta lasts %.3f us and runs out while its "
			     "refresh waits behind a frame of MTU %u: at least %u quanta are "
			     "needed",
			     port->name, (unsigned)profile->quanta, (double)lasts / PS_PER_US,
			     profile->mtu, (unsigned)((least + QUANTUM_BYTES - 1) / QUANTUM_BYTES));
}

int
tables_set_pauses(struct tables_draft *draft, struct port_profile *profile,
		  const struct topo_port *port)
{
	const struct switch_config *settings = draft->settings;
	uint64_t byte_time = profile->byte_time != 0 ? profile->byte_time
						     : time_byte_time(tables_port_rate(port));
	bool automatic = settings->pfc_refresh_auto || draft->host;

	profile->quanta = settings->pfc_quanta;
	profile->quantum_time = byte_time * QUANTUM_BYTES;
	profile->refresh = automatic ? tables_auto_refresh(profile) : settings->pfc_refresh_ps;
	// Of a device the rate is not known. 0 quanta pause nothing, which `check` warns of.
	if (!automatic || draft->host || port->rate_bps == 0 || profile->quanta == 0 ||
	    !sends_pauses(profile))
		return 0;
	if ((uint64_t)profile->quanta * QUANTUM_BYTES >=
	    wait_bytes(profile) + shortest_bytes(profile))
		return 0;
	return refuse_quanta(draft, profile, port);
}
