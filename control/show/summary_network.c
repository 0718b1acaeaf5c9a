// SPDX-License-Identifier: BSD-3-Clause
#include "control/fabric/result.h"
#include "summary_internal.h"
#include "control/base/text_table.h"

static const struct text_column pool_columns[] = {
	{"buffer pool", TEXT_LEFT},
	{"peak", TEXT_RIGHT},
	{"of", TEXT_RIGHT},
	{"at", TEXT_LEFT},
};

static const struct text_column link_columns[] = {
	{"links", TEXT_LEFT}, {"count", TEXT_RIGHT}, {"mean load", TEXT_RIGHT}, {"min", TEXT_RIGHT},
	{"at", TEXT_LEFT},    {"max", TEXT_RIGHT},   {"at", TEXT_LEFT},
};

static void
print_llr(const struct report_totals *totals, const struct report_worst *most, FILE *to)
{
	const uintmax_t replays = totals->llr_replays, again = totals->llr_again,
			flushes = totals->llr_flushes;

	fprintf(to, "\nllr     %ju replay%s, %ju frame%s sent again, %ju flush%s", replays,
		replays == 1 ? "" : "s", again, again == 1 ? "" : "s", flushes,
		flushes == 1 ? "" : "es");
	if (most->node != NULL)
		fprintf(to, "; most: %s.%s, %ju", most->node->name,
			most->node->ports[most->port].name, (uintmax_t)most->most);
}

void
summary_print_events(const struct report_result *r, const struct report_totals *totals, FILE *to)
{
	const struct report_worst *longest = &r->figures.paused, *waited = &r->figures.credit_wait;
	char text[TEXT_VALUE_MAX];

	fprintf(to, "\ndrops   %ju, of them lossless %ju\n", (uintmax_t)totals->drops,
		(uintmax_t)totals->drops_lossless);
	for (unsigned int i = 0; i < DROP_COUNT; i++)
		if (totals->by_reason[i] != 0)
			fprintf(to, "        %s %ju: %s\n", drop_name(i),
				(uintmax_t)totals->by_reason[i], drop_advice(i));
	fprintf(to, "PFC     %ju sent", (uintmax_t)totals->pfc_tx);
	if (longest->node != NULL)
		fprintf(to, "; longest paused: %s.%s priority %u, %s", longest->node->name,
			longest->node->ports[longest->port].name, longest->priority,
			text_duration(text, longest->most));
	if (totals->credit_tx != 0 || waited->node != NULL)
		fprintf(to, "\ncredits %ju grants sent", (uintmax_t)totals->credit_tx);
	if (waited->node != NULL)
		fprintf(to, "; longest wait: %s.%s lane %u, %s", waited->node->name,
			waited->node->ports[waited->port].name, waited->priority,
			text_duration(text, waited->most));
	if (totals->llr_ports != 0)
		print_llr(totals, &r->figures.llr_again, to);
	fprintf(to, "\nECN     %ju packets marked, %ju CNPs\n", (uintmax_t)totals->ecn_marked,
		(uintmax_t)r->cnps);
	fprintf(to, "resent  %ju packets; %ju arrived out of order\n",
		(uintmax_t)report_retransmitted(r), (uintmax_t)r->out_of_order);
}

static void
add_tier(struct text_table *t, const struct report_tier_loads *tier)
{
	text_table_cell(t, "%s", tier->name);
	text_table_cell(t, "%u", tier->links);
	text_table_cell(t, "%.1f %%", 100 * tier->sum / tier->links);
	text_table_cell(t, "%.1f %%", 100 * tier->min);
	text_table_cell(t, "%s.%s", tier->min_node->name,
			tier->min_node->ports[tier->min_port].name);
	text_table_cell(t, "%.1f %%", 100 * tier->max);
	text_table_cell(t, "%s.%s", tier->max_node->name,
			tier->max_node->ports[tier->max_port].name);
}

void
summary_print_links(const struct report_result *r, FILE *to)
{
	const struct report_tiers *tiers = &r->figures.tiers;
	struct text_table *t;

	if (tiers->count == 0)
		return;
	t = text_table_create(link_columns, sizeof(link_columns) / sizeof(*link_columns));
	for (unsigned int i = 0; i < tiers->count; i++)
		add_tier(t, &tiers->tiers[i]);
	fputc('\n', to);
	text_table_print(t, "", to);
	fprintf(to, "uplink imbalance %.3f\n", r->figures.uplink_imbalance);
	text_table_destroy(t);
}

// Of each pool the node where it was fullest.
void
summary_print_pools(const struct report_result *r, FILE *to)
{
	struct text_table *t =
		text_table_create(pool_columns, sizeof(pool_columns) / sizeof(*pool_columns));
	char text[TEXT_VALUE_MAX];

	for (unsigned int pool = 0; pool < POOL_COUNT; pool++) {
		const struct report_peak *peak = &r->figures.pools[pool];

		if (peak->node == NULL)
			continue;
		text_table_cell(t, "%s", counters_pool_name(pool));
		text_table_cell(t, "%s", text_bytes(text, peak->bytes));
		text_table_cell(t, "%s",
				peak->size_bytes != 0 ? text_bytes(text, peak->size_bytes)
						      : "unlimited");
		text_table_cell(t, "%s", peak->node->name);
	}
	if (text_table_rows(t) != 0) {
		fputc('\n', to);
		text_table_print(t, "", to);
	}
	text_table_destroy(t);
}
