// SPDX-License-Identifier: BSD-3-Clause
// The walk hands over what the JSON of a node says, each value once, without those that say
// nothing.
#include "tests/unit/control/show/report_fixture.h"

#include "control/fabric/counters.h"

#define NOW (100 * PS_PER_US)

struct walked {
	json_t *document; // of the node
	unsigned int count;
};

static json_t *
value_in(const json_t *document, const struct counter_value *v)
{
	json_t *at = (json_t *)(uintptr_t)document;
	bool of_priority = v->index >= 0 && v->group == NULL;

	if (v->port != NULL)
		at = json_object_get(json_object_get(at, "ports"), v->port);
	if (v->group != NULL)
		at = json_object_get(at, v->group);
	if (v->of != NULL)
		at = json_object_get(at, v->of);
	if (v->index >= 0 && !of_priority)
		at = json_array_get(at, (size_t)v->index);
	at = json_object_get(at, v->name);
	return of_priority ? json_array_get(at, (size_t)v->index) : at;
}

static void
check_value(void *context, const struct counter_value *v)
{
	struct walked *w = context;
	const json_t *expected = value_in(w->document, v);

	if (expected == NULL)
		fail_msg("%s of %s is not in the document", v->name, v->port);
	assert_int_equal(v->value, json_is_boolean(expected) ? json_boolean_value(expected)
							     : json_integer_value(expected));
	w->count++;
}

// Values of a document that say something.
static unsigned int
count_values(const json_t *of)
{
	unsigned int count = 0;
	const char *key;
	json_t *one;
	size_t i;

	if (json_is_object(of))
		json_object_foreach((json_t *)(uintptr_t)of, key, one)
			count += strcmp(key, "unlimited") == 0 ? 0 : count_values(one);
	else if (json_is_array(of))
		json_array_foreach(of, i, one) count += count_values(one);
	else
		count = json_is_true(of) ||
			(json_integer_value(of) != 0 && json_integer_value(of) != -1);
	return count;
}

static unsigned int
check_node(const struct report_node *n)
{
	struct walked w = {.document = counters_node(n, COUNTERS_ALL, NOW)};

	counters_walk(n, NOW, check_value, &w);
	assert_int_equal(w.count, count_values(w.document));
	json_decref(w.document);
	return w.count;
}

static void
test_values_of_the_document(void **state)
{
	struct fixture *f = *state;
	struct port *p = &f->leaf->ports[1];
	unsigned int before = check_node(&f->nodes[0]);

	p->tx_packets = 7;
	p->pfc_tx[3] = 2;
	p->pfc_tx[7] = 1;
	p->drops[DROP_TTL_EXPIRED] = 4;
	p->answers[0] = 5;
	p->groups[3].packets = 11;
	p->queues[0].depth_max = 3;
	p->queue_cold[5].trimmed = 1;
	f->leaf->buffer.pools[POOL_HEADROOM].used = 9;
	f->leaf->buffer.tenants[0].packets = 8;
	// depth_max has a persistent twin, and shared_max follows both.
	assert_int_equal(check_node(&f->nodes[0]), before + 13);
}

static void
test_instants(void **state)
{
	struct fixture *f = *state;
	unsigned int before = check_node(&f->nodes[1]);

	f->nic->ports[0].rx_pause[3].last_start = 5 * PS_PER_US;
	f->nic->ports[0].rx_pause[3].last_end = 6 * PS_PER_US;
	assert_int_equal(check_node(&f->nodes[1]), before + 2);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(test_values_of_the_document),
		T(test_instants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
