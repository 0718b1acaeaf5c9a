// SPDX-License-Identifier: BSD-3-Clause
// What was learned is put in force as any change of tables is: built for all switches concerned,
// published at once, and what was before is freed after one grace period for all of them. Where
// tables cannot be built, memory having run out or their room, the switches stay as they are; that
// is told once, and it is tried again with the next batch.
#include "lab_learn.h"

#include "control/base/clock.h"
#include "control/fabric/learned.h"
#include "control/io/host/netns.h"
#include "control/io/learn/learn.h"
#include "dataplane/glean.h"
#include "lab_events.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETTLE_MS 2000 // how long coming up waits for the first routes

// Builds the tables of every switch among the changes, once each. Returns 0 or -errno.
static int
build_all(const struct lab *lab, const struct learn_change *changes, uint32_t count,
	  struct tables **built, char *err, size_t err_size)
{
	struct config_diag diag = {0};
	int rc = 0;

	for (uint32_t i = 0; i < count && rc == 0; i++) {
		uint32_t node = changes[i].node;

		if (i + 1 < count && changes[i + 1].node == node)
			continue; // VRFs of a switch follow one another
		rc = fabric_build_tables(lab->fabric, node, &lab->fabric->switches[node], &built[i],
					 &diag);
	}
	if (rc != 0)
		snprintf(err, err_size, "%s",
			 diag.errors != 0 ? lab_message(&diag.messages[0]) : strerror(-rc));
	config_diag_free(&diag);
	return rc;
}

static int
publish(void *context, struct learn_change *changes, uint32_t count, char *err, size_t err_size)
{
	struct lab *lab = context;
	struct tables **built = calloc(count, sizeof(struct tables *));
	uint32_t retired = 0;
	int rc;

	if (built == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		fabric_set_learned(lab->fabric, changes[i].node, changes[i].vrf, &changes[i].list);
	rc = build_all(lab, changes, count, built, err, err_size);
	for (uint32_t i = 0; i < count; i++) {
		if (built[i] == NULL)
			continue;
		if (rc == 0)
			built[i] = fabric_set_tables(lab->fabric, changes[i].node, built[i]);
		built[retired++] = built[i];
	}
	if (rc == 0)
		lab_publish_tables(lab, built, retired);
	for (uint32_t i = 0; i < retired && rc != 0; i++)
		tables_destroy(built[i]);
	free(built);
	return rc;
}

static void
tell(void *context, uint32_t node, const char *line)
{
	const struct lab *lab = context;

	fprintf(stderr, "roost: %s: %s\n", lab->topology->nodes[node].name, line);
}

// The namespace that a VRF learns from, or -1 for the present one.
static int
open_namespace(const struct lab *lab, uint32_t node, const struct config_learn *learn, int *out,
	       struct lab_report *report)
{
	char key[CONFIG_NAME_MAX + 16];
	int fd;

	*out = -1;
	if (learn->netns.text == NULL) {
		*out = lab->outer_netns >= 0 ? dup(lab->outer_netns) : -1;
		return 0;
	}
	fd = netns_open(learn->netns.text);
	if (fd >= 0) {
		*out = fd;
		return 0;
	}
	snprintf(key, sizeof(key), "%s.learn.netns", lab->topology->nodes[node].name);
	if (fd == -ENOENT || fd == -EINVAL)
		config_error(report->diag, lab->config->file, learn->netns.pos, key,
			     "there is no namespace %s: `ip netns add %s` makes it",
			     learn->netns.text, learn->netns.text);
	else
		config_error(report->diag, lab->config->file, learn->netns.pos, key,
			     "namespace %s cannot be entered: %s", learn->netns.text,
			     strerror(-fd));
	return -EINVAL;
}

static int
open_vrf(struct lab *lab, uint32_t node, const struct config_learn *learn,
	 struct lab_report *report)
{
	uint16_t vrf;
	int netns, rc;

	if (topology_resolve_vrf(lab->topology, &learn->vrf, "learn.vrf", &vrf, report->diag) != 0)
		return -EINVAL;
	rc = open_namespace(lab, node, learn, &netns, report);
	if (rc == 0)
		rc = fabric_learn(lab->fabric, node, vrf);
	if (rc == 0)
		rc = learn_add(lab->learner, node, vrf, learn, netns, report->err,
			       report->err_size);
	if (netns >= 0)
		close(netns);
	return rc;
}

// Until the first routes are in force, or time is up: a kernel full of routes comes as it can.
static void
settle(struct lab *lab)
{
	const int64_t until_ms = clock_ms() + SETTLE_MS;

	do {
		struct pollfd polled = {.fd = learn_fd(lab->learner), .events = POLLIN};

		(void)poll(&polled, 1, learn_wait_ms(lab->learner));
		lab_learn(lab);
	} while (!learn_settled(lab->learner) && clock_ms() < until_ms);
}

int
lab_open_learning(struct lab *lab, struct lab_report *report)
{
	const struct learn_hooks hooks = {.publish = publish, .tell = tell, .context = lab};
	int rc = 0;

	for (uint32_t n = 0; n < lab->topology->first_host && rc == 0; n++) {
		const struct switch_config *settings = &lab->fabric->switches[n];

		if (settings->learn_count != 0 && lab->learner == NULL)
			rc = learn_create(&lab->learner, lab->topology, &hooks);
		for (unsigned i = 0; i < settings->learn_count && rc == 0; i++)
			rc = open_vrf(lab, n, &settings->learns[i], report);
	}
	if (rc == 0 && lab->learner != NULL)
		settle(lab);
	return rc;
}

void
lab_close_learning(struct lab *lab)
{
	learn_destroy(lab->learner);
	lab->learner = NULL;
}

static void
take_gleans(struct lab *lab)
{
	for (uint32_t i = 0; i < learn_count(lab->learner); i++) {
		uint32_t node = learn_look(lab->learner, i).node;
		struct glean_entry entry;

		for (unsigned k = 0;
		     k < GLEAN_ENTRIES && glean_take(lab->fabric->nodes[node]->glean, &entry);
		     k++) {
			struct learn_address address = {.version = entry.version};

			memcpy(address.bytes, entry.address, entry.version == 4 ? 4 : 16);
			learn_glean(lab->learner, node, entry.vrf, &address);
		}
	}
}

void
lab_learn(struct lab *lab)
{
	if (lab->learner == NULL)
		return;
	take_gleans(lab);
	learn_turn(lab->learner);
}

int
lab_learn_fd(const struct lab *lab)
{
	return lab->learner == NULL ? -1 : learn_fd(lab->learner);
}

int
lab_learn_wait_ms(const struct lab *lab, int most)
{
	int wait = lab->learner == NULL ? most : learn_wait_ms(lab->learner);

	return wait < most ? wait : most;
}
