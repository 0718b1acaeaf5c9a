// SPDX-License-Identifier: BSD-3-Clause
// The figures of a run's nodes together, node after node: each node's own are read where it runs,
// and added up by the first rank.
#include "result_internal.h"

#include "dataplane/base/credit.h"

static void
read_credits(const struct credits *c, unsigned int port, ps_t now, struct node_figures *out)
{
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		ps_t wait = pause_clock_total(&c->lanes[i].wait, now);

		if (wait > out->credit_wait.most) {
			out->credit_wait.most = wait;
			out->credit_wait.port = port;
			out->credit_wait.priority = i;
		}
	}
}

static void
read_port(const struct report_node *n, unsigned int port, ps_t now, struct node_figures *out)
{
	const struct llr *llr = n->node->ports[port].llr;

	for (unsigned int i = 0; i < PRIORITIES; i++) {
		uint64_t paused = counters_rx_pause(&n->node->ports[port], i, now).total;
		uint64_t drops = report_lossless_drops(n, port, i);

		if (paused > out->paused.most) {
			out->paused.most = paused;
			out->paused.port = port;
			out->paused.priority = i;
		}
		if (drops > out->lossless_drops.most) {
			out->lossless_drops.most = drops;
			out->lossless_drops.port = port;
			out->lossless_drops.priority = i;
		}
	}
	if (llr != NULL && llr->tx_again > out->llr_again.most) {
		out->llr_again.most = llr->tx_again;
		out->llr_again.port = port;
	}
}

static void
read_pools(const struct report_node *n, struct node_figures *out)
{
	const struct tables *t = report_tables(n);

	for (unsigned int i = 0; t != NULL && i < POOL_COUNT; i++) {
		const struct pool *state = &n->node->buffer.pools[i];

		out->pools[i].bytes = watermark_user(&state->used_before, state->used_max) *
				      t->cell;
		if (t->pools[i].size != POOL_UNLIMITED)
			out->pools[i].size_bytes = (uint64_t)t->pools[i].size * t->cell;
	}
}

void
node_figures_read(const struct report_node *n, ps_t now, struct node_figures *out)
{
	*out = (struct node_figures){.imbalance = report_leaf_imbalance(n)};
	for (unsigned int i = 0; i < n->node->port_count; i++)
		read_port(n, i, now, out);
	for (unsigned int i = 0; n->node->credits != NULL && i < n->node->port_count; i++)
		read_credits(n->node->ports[i].credits, i, now, out);
	read_pools(n, out);
}

void
report_figures_add(struct report_figures *f, const struct report_node *n,
		   const struct node_figures *one)
{
	if (one->imbalance >= 0) {
		f->imbalance_sum += one->imbalance;
		f->imbalanced_leaves++;
	}
	if (one->paused.most > f->paused.most)
		f->paused = (struct report_worst){n, one->paused.port, one->paused.priority,
						  one->paused.most};
	if (one->lossless_drops.most > f->lossless_drops.most)
		f->lossless_drops = (struct report_worst){n, one->lossless_drops.port,
							  one->lossless_drops.priority,
							  one->lossless_drops.most};
	if (one->credit_wait.most > f->credit_wait.most)
		f->credit_wait = (struct report_worst){
			n, one->credit_wait.port, one->credit_wait.priority, one->credit_wait.most};
	if (one->llr_again.most > f->llr_again.most)
		f->llr_again = (struct report_worst){n, one->llr_again.port,
						     one->llr_again.priority, one->llr_again.most};
	for (unsigned int i = 0; i < POOL_COUNT; i++)
		if (one->pools[i].bytes > f->pools[i].bytes)
			f->pools[i] = (struct report_peak){n, one->pools[i].bytes,
							   one->pools[i].size_bytes};
}

void
report_figures_finish(struct report_figures *f)
{
	f->uplink_imbalance = f->imbalanced_leaves != 0 ? f->imbalance_sum / f->imbalanced_leaves
							: 0;
}
