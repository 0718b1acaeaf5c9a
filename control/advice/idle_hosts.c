// SPDX-License-Identifier: BSD-3-Clause
// Keys of hosts that change nothing, because another key overrides them or because there is nothing
// that they are about. `hosts` is for many hosts, so a key there gets a warning only if it has no
// effect on any of them.
#include "advice_internal.h"

#include <stdio.h>

static bool
speaks_roce(const struct fabric *f, uint32_t host)
{
	return f->hosts[host].transport == NIC_TRANSPORT_ROCE;
}

static bool
speaks_uet(const struct fabric *f, uint32_t host)
{
	return f->hosts[host].transport == NIC_TRANSPORT_UET;
}

static bool
speaks_mrc(const struct fabric *f, uint32_t host)
{
	return f->hosts[host].transport == NIC_TRANSPORT_MRC;
}

static bool
controls_by_nscc(const struct fabric *f, uint32_t host)
{
	return f->hosts[host].congestion == CONGESTION_NSCC;
}

// Without UET, it is `uet` itself that has no effect.
static bool
is_granted_credit(const struct fabric *f, uint32_t host)
{
	return !speaks_uet(f, host) || f->hosts[host].uet.credits;
}

// The same of `mrc`.
static bool
has_planes(const struct fabric *f, uint32_t host)
{
	return !speaks_mrc(f, host) || topology_host(f->topology, host)->port_count > 1;
}

#define NOT_ROCE "transport is not roce"
#define NO_CREDITS "uet.credits is off"

static const struct idle_row {
	const char *key;
	bool (*matters)(const struct fabric *f, uint32_t host);
	const char *otherwise;
} rows[] = {
	{"uet", speaks_uet, "transport is not uet"},
	{"uet.grant", is_granted_credit, NO_CREDITS},
	{"uet.unsolicited", is_granted_credit, NO_CREDITS},
	{"mrc", speaks_mrc, "transport is not mrc"},
	{"mrc.deny-planes", has_planes, "hosts have one port, so there are no planes"},
	{"nscc", controls_by_nscc, "congestion is not nscc"},
	{"recovery", speaks_roce, NOT_ROCE},
	{"placement", speaks_roce, NOT_ROCE},
	{"ack-every", speaks_roce, NOT_ROCE},
	{"reorder-timeout", speaks_roce, NOT_ROCE},
	{"cnp", speaks_roce, NOT_ROCE},
};

static bool
matters_somewhere(const struct fabric *f, const struct idle_row *row)
{
	for (uint32_t h = 0; h < f->topology->host_count; h++)
		if (row->matters(f, h))
			return true;
	return false;
}

static void
warn_if_written(const struct fabric *f, const char *section, const struct idle_row *row,
		struct diag *diag)
{
	struct diag_pos pos = config_written_at(f->config, section, row->key);
	char key[64];

	if (pos.line == 0)
		return;
	snprintf(key, sizeof(key), "hosts.%s", row->key);
	diag_warning(diag, f->config->file, pos, key, "has no effect: %s", row->otherwise);
}

// Denies planes that a host does not have. A key of `hosts` gets one warning.
static void
check_planes(const struct fabric *f, struct diag *diag)
{
	struct diag_pos last = {0};

	for (uint32_t h = 0; h < f->topology->host_count; h++) {
		const unsigned planes = topology_host(f->topology, h)->port_count;
		const unsigned absent = f->hosts[h].mrc.denied >> planes;
		const struct diag_pos pos = advice_host_pos(f, h, "mrc.deny-planes");

		if (!speaks_mrc(f, h) || planes < 2 || absent == 0 ||
		    diag_pos_compare(pos, last) == 0)
			continue;
		diag_warning(diag, f->config->file, pos, "hosts.mrc.deny-planes",
			     "there is no plane %u; planes are 1 to %u",
			     planes + (unsigned)__builtin_ctz(absent) + 1, planes);
		last = pos;
	}
}

void
advice_idle_hosts(const struct fabric *f, struct diag *diag)
{
	for (const struct idle_row *row = rows; row < rows + sizeof(rows) / sizeof(rows[0]);
	     row++) {
		if (!matters_somewhere(f, row))
			warn_if_written(f, "hosts", row, diag);
		for (uint32_t h = 0; h < f->topology->host_count; h++)
			if (!row->matters(f, h))
				warn_if_written(f, topology_host(f->topology, h)->name, row, diag);
	}
	check_planes(f, diag);
}
