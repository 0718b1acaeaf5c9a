// SPDX-License-Identifier: BSD-3-Clause
// Workers take from the same mempool and give back to it meanwhile, so counting it before and after
// tells nothing. Instead, the mempool's operations look for a loan of their thread. They are called
// only where an lcore's cache of packets is filled or emptied; the cache of the control thread is
// emptied at the beginning and at the end, so that nothing is in between.
#include "pool_loan.h"

#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define POOL_LOAN_OPS "roost"

struct pool_loan {
	struct rte_mempool *pool;
	uintptr_t first; // the first element's mbuf
	size_t element_bytes;
	bool *taken; // by element
};

static __thread struct pool_loan loan;
static const struct rte_mempool_ops *usual;

static void
note(const struct rte_mempool *pool, void *const *packets, unsigned count, bool taken)
{
	if (likely(loan.pool != pool))
		return;
	for (unsigned i = 0; i < count; i++)
		loan.taken[((uintptr_t)packets[i] - loan.first) / loan.element_bytes] = taken;
}

static int
take(struct rte_mempool *pool, void **packets, unsigned count)
{
	int error = usual->dequeue(pool, packets, count);

	if (error == 0)
		note(pool, packets, count, true);
	return error;
}

static int
give(struct rte_mempool *pool, void *const *packets, unsigned count)
{
	note(pool, packets, count, false);
	return usual->enqueue(pool, packets, count);
}

// The table of operations is the process's, and nothing can be taken out of it again.
static int
add_operations(void)
{
	struct rte_mempool_ops ops;

	for (unsigned i = 0; usual == NULL && i < rte_mempool_ops_table.num_ops; i++)
		if (strcmp(rte_mempool_ops_table.ops[i].name, rte_mbuf_best_mempool_ops()) == 0)
			usual = &rte_mempool_ops_table.ops[i];
	if (usual == NULL)
		return -ENOENT;
	ops = *usual;
	snprintf(ops.name, sizeof(ops.name), "%s", POOL_LOAN_OPS);
	ops.dequeue = take;
	ops.enqueue = give;
	return rte_mempool_register_ops(&ops) < 0 ? -ENOSPC : 0;
}

int
pool_loan_prepare(struct rte_mempool *pool)
{
	int error = usual == NULL ? add_operations() : 0;

	return error != 0 ? error : rte_mempool_set_ops_byname(pool, POOL_LOAN_OPS, NULL);
}

static void
empty_cache(struct rte_mempool *pool)
{
	rte_mempool_cache_flush(rte_mempool_default_cache(pool, rte_lcore_id()), pool);
}

int
pool_loan_begin(struct rte_mempool *pool)
{
	const struct rte_mempool_objhdr *first = STAILQ_FIRST(&pool->elt_list);
	bool *taken = calloc(pool->populated_size, sizeof(*taken));

	if (taken == NULL)
		return -ENOMEM;
	empty_cache(pool);
	loan = (struct pool_loan){
		.pool = pool,
		.first = (uintptr_t)(first + 1),
		.element_bytes = (size_t)pool->header_size + pool->elt_size + pool->trailer_size,
		.taken = taken,
	};
	return 0;
}

unsigned
pool_loan_end(bool recall)
{
	struct pool_loan ended = loan;
	unsigned count = 0;

	empty_cache(ended.pool);
	loan = (struct pool_loan){.pool = NULL};
	for (unsigned i = 0; i < ended.pool->populated_size; i++) {
		if (!ended.taken[i])
			continue;
		count++;
		if (recall)
			rte_pktmbuf_free((void *)(ended.first + i * ended.element_bytes));
	}
	free(ended.taken);
	return count;
}
