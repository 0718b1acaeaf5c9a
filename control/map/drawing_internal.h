// SPDX-License-Identifier: BSD-3-Clause
// What every format draws: boxes for switches, hosts and folded hosts, and lines between them.
#pragma once

#include "map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRAWING_TIERS 4   // hosts, leaves, spines, super-spines
#define DRAWING_STACK 16  // more hosts than these below a leaf are folded
#define DRAWING_CROSS 16  // and so are hosts of several leaves with more links than these
#define DRAWING_COLOURS 8 // of tenants
#define DRAWING_LABELS 48 // lines that differ have labels if there are no more of them
#define DRAWING_NONE UINT32_MAX

enum drawing_kind { DRAWING_SWITCH, DRAWING_HOST, DRAWING_FOLDED };

// How many hosts of a folded box are in a tenant.
struct drawing_share {
	uint32_t tenant; // or DRAWING_NONE
	uint32_t hosts;
};

struct drawing_box {
	enum drawing_kind kind;
	unsigned tier;
	const char *name;             // of a switch or host
	json_int_t plane, pod, rail;  // from 1; 0: none
	uint32_t hosts;               // folded: how many
	const char *first, *last;     // folded: of these hosts
	uint32_t tenant;              // of a host; or DRAWING_NONE
	struct drawing_share *shares; // folded
	uint32_t share_count;
	bool attached;            // of a host: something real is behind one of its NICs
	const char *address, *is; // of a host's first NIC, or NULL
	uint32_t leaf;     // of hosts: the only switch that they are connected to, or DRAWING_NONE
	double x, y, w, h; // svg.c
};

// Links between the same two boxes that are alike.
struct drawing_line {
	uint32_t low, high; // boxes; low is not in a higher tier
	uint64_t rate_bps, delay_ps;
	bool down;
	uint32_t count;
	const char *link; // the first one's name
	char label[48];   // what differs from most lines of its kind, or ""
};

// What most links are like whose lower ends are in a tier.
struct drawing_usual {
	uint32_t links, lines, others; // links of another rate
	uint64_t rate_bps;
	uint32_t count; // links of a line between switches
	unsigned high;  // the tier of the first one's higher end
};

struct drawing {
	const json_t *of;
	const char *name;
	struct drawing_box *boxes; // switches, then hosts in their order
	uint32_t box_count, switch_count;
	uint32_t hosts;
	struct drawing_line *lines;
	uint32_t line_count, down;
	struct drawing_usual usual[DRAWING_TIERS];
	const char **tenants; // NULL: gone
	uint32_t *tenant_hosts;
	uint32_t tenant_count;
	bool attached;        // any host
	double width, height; // svg.c
};

// Reads a description. Returns 0, or -EINVAL with an error in diag; drawing_free() in either case.
int drawing_read(struct drawing *d, const json_t *description, struct diag *diag);
void drawing_free(struct drawing *d);

// The title: "demo: 2 leaves, 2 spines, 8 hosts". For free().
char *drawing_title(const struct drawing *d);
// "leaf to spine: 6 links of 100G, 2 of another rate"; NULL: no link has its lower end in that
// tier. For free().
char *drawing_usual_text(const struct drawing *d, unsigned tier);
// "64 hosts". For free().
char *drawing_box_text(const struct drawing_box *b);
// "red", or "no tenant".
const char *drawing_tenant(const struct drawing *d, uint32_t tenant);
// The colour of a tenant, as the page of `roost web` has it.
const char *drawing_colour(uint32_t tenant);

void drawing_place(struct drawing *d); // layout.c
void drawing_svg(struct drawing *d, FILE *to);
void drawing_dot(const struct drawing *d, FILE *to);
void drawing_mermaid(const struct drawing *d, FILE *to);

// How wide a text of a size is drawn; rather too wide.
double drawing_text_width(const char *text, double size);
