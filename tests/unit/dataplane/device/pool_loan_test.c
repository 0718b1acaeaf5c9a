// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/device/pool_loan.h"

#include "dataplane/device/eal.h"
#include "dataplane/device/pool.h"

#include <rte_lcore.h>
#include <rte_mbuf.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define PACKETS 4096
#define TAKEN 2048 // by net_af_xdp for its ring
#define FEW 100    // within an lcore's cache
#define ROUNDS 20

static struct rte_mempool *pool;

static unsigned
take(struct rte_mbuf **m, unsigned count)
{
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, m, count), 0);
	return count;
}

static void
takes_back_what_a_failed_driver_forgot(void **state)
{
	static struct rte_mbuf *m[TAKEN];

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		assert_int_equal(pool_loan_begin(pool), 0);
		take(m, TAKEN);
		assert_int_equal(pool_loan_end(true), TAKEN);
		assert_int_equal(rte_mempool_avail_count(pool), PACKETS);
	}
}

static void
leaves_a_driver_what_it_has(void **state)
{
	static struct rte_mbuf *m[TAKEN];

	(void)state;
	assert_int_equal(pool_loan_begin(pool), 0);
	take(m, TAKEN);
	assert_int_equal(pool_loan_end(false), TAKEN);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS - TAKEN);
	rte_pktmbuf_free_bulk(m, TAKEN);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS);
}

// They go by the cache of the control thread's lcore.
static void
counts_few_packets_too(void **state)
{
	struct rte_mbuf *before[FEW], *m[FEW];

	(void)state;
	take(before, FEW);
	rte_pktmbuf_free_bulk(before, FEW);
	take(before, FEW);
	assert_int_equal(pool_loan_begin(pool), 0);
	take(m, FEW);
	rte_pktmbuf_free_bulk(m, FEW / 2);
	assert_int_equal(pool_loan_end(true), FEW / 2);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS - FEW);
	rte_pktmbuf_free_bulk(before, FEW);
}

static void *
take_as_worker(void *m)
{
	take(m, FEW);
	return NULL;
}

static void
leaves_workers_what_they_took(void **state)
{
	struct rte_mbuf *m[FEW], *own[FEW];
	pthread_t worker;

	(void)state;
	assert_int_equal(pool_loan_begin(pool), 0);
	take(own, FEW);
	assert_int_equal(pthread_create(&worker, NULL, take_as_worker, m), 0);
	assert_int_equal(pthread_join(worker, NULL), 0);
	assert_int_equal(pool_loan_end(true), FEW);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS - FEW);
	rte_pktmbuf_free_bulk(m, FEW);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS);
}

static int
start(void **state)
{
	char err[256], prefix[64];
	const struct eal_options eal = {
		.prefix = prefix, .hugepages = EAL_HUGEPAGES_OFF, .memory_mb = 64};
	const struct pool_options options = {
		.name = "loans",
		.packets = PACKETS,
		.private_bytes = PACKET_META_BYTES,
		.room = 2048,
		.one_chunk = true,
	};

	(void)state;
	snprintf(prefix, sizeof(prefix), "roost-pool-loan-test-%d", (int)getpid());
	return eal_start(&eal, err, sizeof(err)) != 0 ||
	       pool_create(&pool, &options, err, sizeof(err)) != 0;
}

static int
stop(void **state)
{
	(void)state;
	pool_destroy(pool);
	eal_stop();
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_back_what_a_failed_driver_forgot),
		cmocka_unit_test(leaves_a_driver_what_it_has),
		cmocka_unit_test(counts_few_packets_too),
		cmocka_unit_test(leaves_workers_what_they_took),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
