// SPDX-License-Identifier: BSD-3-Clause
// The peaks of queues, which a film restarts in each interval. Where it reads copies of nodes, the
// peaks were restarted when a copy was made, for whatever reader: the film notes those in each
// copy until its own interval ends.
#include "film_internal.h"

#include "control/base/memory.h"

void
film_create_noted_peaks(struct film *film)
{
	if (film->options.times != NULL)
		film->noted =
			memory_array(PRIORITIES * film->first_port[film->topology->first_host],
				     sizeof(*film->noted), "peaks of queues");
}

// A peak begins again where the level is.
void
film_restart_peaks(const struct node *n, unsigned int port)
{
	struct port *p = &n->ports[port];

	for (unsigned int bits = n->queues_met; bits != 0; bits &= bits - 1) {
		const unsigned int tc = (unsigned int)__builtin_ctz(bits);
		struct watermark_before *before = &p->queue_cold[tc].depth_before;
		uint32_t depth = n->depth[tc * n->port_count + port];
		uint32_t *most = &p->queues[tc].depth_max;

		if (*most == depth)
			continue;
		before->user = watermark_user(before, *most);
		before->persistent = watermark_persistent(before, *most);
		*most = depth;
	}
}

void
film_note_peaks(struct film *film)
{
	const struct topology *t = film->topology;

	for (uint32_t i = 0; i < t->first_host; i++) {
		const struct report_node *n = &film->options.nodes[i];
		const uint64_t cell = (uint64_t)counters_cell(n);

		for (uint32_t k = 0; k < t->nodes[i].port_count * PRIORITIES; k++) {
			const struct port *p = &n->node->ports[k / PRIORITIES];
			uint64_t *noted = &film->noted[film->first_port[i] * PRIORITIES + k];
			uint64_t most = p->queues[k % PRIORITIES].depth_max * cell;

			*noted = most > *noted ? most : *noted;
		}
	}
}

// Of copies: the greatest of the peaks that were noted.
void
film_use_noted_peaks(struct film *film, const struct site *site, unsigned int index,
		     uint64_t *values)
{
	const struct scope *scope = &film->scopes[FILM_QUEUE];
	uint64_t *noted = &film->noted[(size_t)site->place * PRIORITIES + index];

	for (unsigned int i = 0; i < scope->count; i++)
		if (film->columns[scope->first + i].row->kind == FILM_PEAK && *noted > values[i])
			values[i] = *noted;
	*noted = 0;
}
