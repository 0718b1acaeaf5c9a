// SPDX-License-Identifier: BSD-3-Clause
// Pauses sent and received together, at random: traffic, links that go down, and tables that change
// under it all, from PFC to 802.3x and back, with every kind of watchdog. What must always hold is
// asserted at every step.
#include "pauses.h"

#include "dataplane/base/node_log.h"
#include "dataplane/queueing/watchdog.h"
#include "dataplane/base/random.h"
#include "dataplane/node/ports.h"
#include "dataplane/queueing/pfc.h"

#define PORTS 4u
#define STEPS 1500
#define US PS_PER_US

static uint32_t
one_in(struct random *r, uint32_t n)
{
	return random_below(r, n) == 0;
}

static struct tables *
random_tables(struct random *r)
{
	struct tables *t = harness_tables(PORTS);
	struct port_profile *p = harness_profile(t);

	for (unsigned int i = 0; i < PRIORITIES; i++)
		t->tc_priorities[i] = 0;
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		t->priority_to_pg[i] = (uint8_t)(one_in(r, 3) ? random_below(r, PRIORITIES) : i);
		t->priority_to_tc[i] = (uint8_t)(one_in(r, 3) ? random_below(r, PRIORITIES) : i);
		t->tc_priorities[t->priority_to_tc[i]] |= (uint8_t)(1u << i);
	}
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		p->pg[i].lossless = one_in(r, 2);
		p->pg[i].threshold.pool = p->pg[i].lossless ? POOL_INGRESS_LOSSLESS
							    : POOL_INGRESS_LOSSY;
		p->pg[i].threshold.fixed = one_in(r, 3) ? 0 : random_below(r, 5000);
		p->pg[i].threshold.down = 63;
		p->pg[i].threshold.up = 0;
		p->pg[i].headroom = p->pg[i].lossless && !one_in(r, 3) ? random_below(r, 20000) : 0;
		p->pg[i].xon = random_below(r, 3000);
		p->pg[i].pfc_priorities = 0;
	}
	p->link_pause = one_in(r, 3);
	p->obeyed = p->link_pause ? 0 : (uint8_t)random_below(r, 256);
	for (unsigned int i = 0; i < PRIORITIES && !p->link_pause; i++)
		if (p->pg[t->priority_to_pg[i]].lossless && !one_in(r, 4))
			p->pg[t->priority_to_pg[i]].pfc_priorities |= (uint8_t)(1u << i);
	p->refresh = (1 + random_below(r, 30)) * US;
	if (one_in(r, 4))
		return t;
	t->watchdog_poll = (1 + random_below(r, 5)) * US;
	if (!one_in(r, 8))
		p->watchdog = (struct watchdog_profile){
			.on = true,
			.detect = (5 + random_below(r, 20)) * US,
			.restore = (5 + random_below(r, 20)) * US,
			.action = (uint8_t)random_below(r, 3),
			.flush = one_in(r, 2),
			.ingress = one_in(r, 2),
		};
	return t;
}

// Received: a queue is held exactly while one of its priorities is paused, or the link, and no
// storm says otherwise; its clock is open just then.
static void
check_received(struct node *n, const struct port *p, ps_t now)
{
	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		bool held = p->pause_until[PAUSE_LINK] > now;

		for (unsigned int i = 0; i < PRIORITIES; i++)
			held |= n->current->tc_priorities[tc] >> i & 1 && p->pause_until[i] > now;
		if (p->stormed & 1u << tc) {
			assert_true(port_watchdog(p, tc)->storm);
			held = false;
		}
		assert_int_equal(p->paused >> tc & 1 && p->queue_paused_until[tc] > now, held);
		assert_int_equal(p->queue_cold[tc].held.since != PS_NEVER, p->paused >> tc & 1);
		if (port_watchdog(p, tc)->storm)
			assert_true(p->profile->watchdog.on);
	}
	for (unsigned int i = 0; i < PAUSES; i++) {
		if (p->pause_until[i] > now)
			assert_int_not_equal(p->rx_pause[i].since, PS_NEVER);
		if (i == PAUSE_LINK ? !p->profile->link_pause : p->profile->link_pause)
			assert_true(p->pause_until[i] <= now);
	}
}

// Sent: the far side was told of just what groups hold, which may say it; of the link's holders one
// refreshes.
static void
check_sent(struct node *n, const struct port *p, ps_t now)
{
	bool heard = p->up; // but for what a link that has just come up is told next
	uint8_t told = 0, muted = pfc_muted(n, p);
	unsigned int holders = 0, refreshing = 0;

	for (unsigned int i = 0; i < PRIORITIES; i++) {
		const struct priority_group *g = &p->groups[i];

		heard = heard && p->refresh_at[i] != now;
		assert_true(p->refresh_at[i] >= now); // none was passed over
		if (!g->xoff) {
			assert_int_equal(p->refresh_at[i], PS_NEVER);
			continue;
		}
		if (p->profile->link_pause) {
			assert_int_equal(g->xoff_priorities, 0);
			assert_true(p->profile->pg[i].lossless);
			holders++;
			refreshing += p->refresh_at[i] != PS_NEVER;
			continue;
		}
		assert_int_not_equal(g->xoff_priorities, 0);
		assert_int_equal(g->xoff_priorities & ~p->profile->pg[i].pfc_priorities, 0);
		assert_int_equal(g->xoff_priorities & muted, 0);
		assert_int_equal(told & g->xoff_priorities, 0);
		assert_int_not_equal(p->refresh_at[i], PS_NEVER);
		told |= g->xoff_priorities;
	}
	assert_int_equal(refreshing, holders != 0);
	for (unsigned int i = 0; i < PRIORITIES; i++)
		if (heard)
			assert_int_equal(p->tx_pause[i].since != PS_NEVER, told >> i & 1);
	if (heard)
		assert_int_equal(p->tx_pause[PAUSE_LINK].since != PS_NEVER, holders != 0);
}

static void
check(struct harness *h)
{
	harness_check(h);
	for (unsigned int i = 0; i < PORTS; i++) {
		check_received(h->node, &h->node->ports[i], h->now);
		check_sent(h->node, &h->node->ports[i], h->now);
	}
}

static void
put_pause(struct harness *h, struct random *r, unsigned int port, ps_t at)
{
	uint16_t quanta[PRIORITIES];

	for (unsigned int i = 0; i < PRIORITIES; i++)
		quanta[i] = (uint16_t)(one_in(r, 4) ? 0 : random_below(r, 6000)); // up to 30 us
	if (one_in(r, 3))
		put_link_pause(h, port, quanta[0], at);
	else
		harness_put(h, port, harness_pfc(h, (uint8_t)random_below(r, 256), quanta), at);
}

static void
change(struct harness *h, struct random *r)
{
	struct port *p = &h->node->ports[random_below(r, PORTS)];

	if (one_in(r, 40)) {
		p->out->down = p->up;
		wire_update_special(p->out);
		node_set_link(h->node, p, !p->up, h->now);
	}
	if (one_in(r, 20))
		node_set_tx_off(h->node, p, (uint8_t)random_below(r, 256), h->now);
	if (one_in(r, 20))
		watchdog_restore(h->node, p, random_below(r, PRIORITIES), h->now);
	if (one_in(r, 10))
		harness_adopt(h, random_tables(r));
}

static void
run_seed(uint64_t seed, uint64_t *storms, uint64_t *xoffs)
{
	struct random r = random_stream(seed, 0);
	struct node_log_entry e;
	struct harness h;
	ps_t at;

	harness_open(&h, random_tables(&r));
	for (unsigned int step = 0; step < STEPS; step++) {
		for (unsigned int port = 0; port < PORTS; port++) {
			at = h.now + 1 + random_below(&r, 500000);
			if (one_in(&r, 20)) {
				put_pause(&h, &r, port, at);
				at += random_below(&r, 1000);
			}
			for (unsigned int i = random_below(&r, 20); i != 0; i--)
				harness_put(&h, port,
					    harness_frame(
						    &h,
						    &(struct frame){
							    .to = random_below(&r, PORTS),
							    .dscp = (uint8_t)random_below(&r, 64),
							    .bytes = 60 + random_below(&r, 1000)}),
					    at);
		}
		harness_run(&h, h.now + US);
		check(&h);
		change(&h, &r);
		check(&h);
		for (unsigned int port = 0; port < PORTS; port++)
			harness_drain(&h, port);
		while (node_log_take(h.node->log, &e))
			*storms += e.kind == NODE_LOG_STORM;
	}
	for (unsigned int port = 0; port < PORTS; port++)
		for (unsigned int i = 0; i < PRIORITIES; i++)
			*xoffs += h.node->ports[port].groups[i].xoff_sent;
	assert_int_equal(node_log_lost(h.node->log), 0);
	harness_close(&h);
}

static void
test_random(void **state)
{
	uint64_t storms = 0, xoffs = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++)
		run_seed(seed, &storms, &xoffs);
	// Each of them happened, and often.
	assert_true(storms > 100);
	assert_true(xoffs > 10000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
