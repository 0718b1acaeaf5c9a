// SPDX-License-Identifier: BSD-3-Clause
// What the two ends of a link disagree about, once for all links that share it; private to
// control/advice/.
#pragma once

#include "advice_internal.h"

// One way of disagreeing.
struct link_finding {
	struct diag_pos pos;
	char text[200]; // without the names of the ends
	uint32_t link;
	uint32_t others;
};

struct link_findings {
	const struct fabric *f;
	struct link_finding *items;
	uint32_t count;
	int error; // -ENOMEM once there was no memory
};

void link_findings_note(struct link_findings *all, uint32_t link, struct diag_pos pos,
			const char *format, ...) __attribute__((format(printf, 4, 5)));
// Warns of all, and frees them. Returns 0 or -ENOMEM.
int link_findings_report(struct link_findings *all, struct diag *diag);
// "leaf", "spine" or "super".
const char *link_findings_role(const struct fabric *f, uint32_t node);
