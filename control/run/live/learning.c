// SPDX-License-Identifier: BSD-3-Clause
// Learned routes take effect as any change of tables: the tables of all switches concerned are
// built, published at once, and the previous ones freed after one grace period for all. If one
// cannot be built, because the routes do not fit, the switches stay as they are; that is reported
// once, and tried again with the next batch.
#include "live_fabric.h"

#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/fabric/fabric.h"
#include "control/io/host/netns.h"
#include "control/io/learn/learn.h"
#include "dataplane/base/glean.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETTLE_MS 2000 // how long coming up waits for the first routes

// Builds the tables of every switch among the changes, once each. Returns 0 or -errno.
static int
build_all(const struct live_fabric *live, const struct learn_change *changes, uint32_t count,
	  struct tables **built, struct diag *diag)
{
	int rc = 0;

	for (uint32_t i = 0; i < count && rc == 0; i++) {
		uint32_t node = changes[i].node;

		if (i + 1 < count && changes[i + 1].node == node)
			continue; // VRFs of a switch follow one another
		rc = fabric_build_tables(live->fabric, node, &live->fabric->switches[node],
					 &built[i], diag);
	}
	return rc;
}

static int
publish(void *context, struct learn_change *changes, uint32_t count, struct diag *diag)
{
	struct live_fabric *live = context;
	struct tables **built = memory_array(count, sizeof(struct tables *), "switches");
	uint32_t retired = 0;
	int rc;

	for (uint32_t i = 0; i < count; i++)
		fabric_set_learned(live->fabric, changes[i].node, changes[i].vrf, &changes[i].list);
	rc = build_all(live, changes, count, built, diag);
	for (uint32_t i = 0; i < count; i++) {
		if (built[i] == NULL)
			continue;
		if (rc == 0)
			built[i] = fabric_set_tables(live->fabric, changes[i].node, built[i]);
		built[retired++] = built[i];
	}
	if (rc == 0)
		live_events_publish_tables(live, built, retired);
	for (uint32_t i = 0; i < retired && rc != 0; i++)
		tables_destroy(built[i]);
	free(built);
	return rc;
}

// Also on standard error, which a fabric in the background does not have.
static void
tell(void *context, uint32_t node, const char *line)
{
	const struct live_fabric *live = context;
	char text[320];

	snprintf(text, sizeof(text), "%s: %s", live->topology->nodes[node].name, line);
	fabric_log_note(live->log, live_clock(&live->drive), FABRIC_LOG_ROUTES, text);
}

// The namespace that a VRF learns from, or -1 for the present one.
static int
open_namespace(const struct live_fabric *live, uint32_t node, const struct config_learn *learn,
	       int *out, struct diag *diag)
{
	char key[CONFIG_NAME_MAX + 16];
	int fd;

	*out = -1;
	if (learn->netns.text == NULL) {
		*out = live->outer_netns >= 0 ? dup(live->outer_netns) : -1;
		return 0;
	}
	fd = netns_open(learn->netns.text);
	if (fd >= 0) {
		*out = fd;
		return 0;
	}
	snprintf(key, sizeof(key), "%s.learn.netns", live->topology->nodes[node].name);
	if (fd == -ENOENT || fd == -EINVAL)
		return diag_error(diag, live->config->file, learn->netns.pos, key,
				  "there is no namespace %s: `ip netns add %s` makes it",
				  learn->netns.text, learn->netns.text);
	return diag_error(diag, live->config->file, learn->netns.pos, key,
			  "namespace %s cannot be entered: %s", learn->netns.text, strerror(-fd));
}

static int
open_vrf(struct live_fabric *live, uint32_t node, const struct config_learn *learn,
	 struct diag *diag)
{
	struct learn_options options = {.node = node, .config = learn};
	int rc;

	if (topology_resolve_vrf(live->topology, &learn->vrf, "learn.vrf", &options.vrf, diag) != 0)
		return -EINVAL;
	rc = open_namespace(live, node, learn, &options.netns_fd, diag);
	if (rc == 0)
		fabric_learn(live->fabric, node, options.vrf);
	if (rc == 0)
		rc = learn_add(live->learner, &options, diag);
	if (options.netns_fd >= 0)
		close(options.netns_fd);
	return rc;
}

// Until the first routes are in force, or for SETTLE_MS: a full routing table takes longer.
static void
settle(struct live_fabric *live)
{
	const int64_t until_ms = clock_ms() + SETTLE_MS;

	do {
		struct pollfd polled = {.fd = learn_fd(live->learner), .events = POLLIN};

		(void)poll(&polled, 1, learn_wait_ms(live->learner));
		learning_poll(live);
	} while (!learn_settled(live->learner) && clock_ms() < until_ms);
}

int
learning_open(struct live_fabric *live, struct diag *diag)
{
	const struct learn_hooks hooks = {.publish = publish, .notify = tell, .context = live};
	int rc = 0;

	for (uint32_t n = 0; n < live->topology->first_host && rc == 0; n++) {
		const struct switch_config *settings = &live->fabric->switches[n];

		if (settings->learn_count != 0 && live->learner == NULL)
			rc = learn_create(&live->learner, live->topology, &hooks);
		for (unsigned i = 0; i < settings->learn_count && rc == 0; i++)
			rc = open_vrf(live, n, &settings->learns[i], diag);
	}
	if (rc == 0 && live->learner != NULL)
		settle(live);
	return rc;
}

void
learning_close(struct live_fabric *live)
{
	learn_destroy(live->learner);
	live->learner = NULL;
}

static void
take_gleans(struct live_fabric *live)
{
	for (uint32_t i = 0; i < learn_count(live->learner); i++) {
		uint32_t node = learn_look(live->learner, i).node;
		struct glean_entry entry;

		for (unsigned k = 0;
		     k < GLEAN_ENTRIES && glean_take(live->fabric->nodes[node]->glean, &entry);
		     k++) {
			struct learn_address address = {.version = entry.version};

			memcpy(address.bytes, entry.address, entry.version == 4 ? 4 : 16);
			learn_glean(live->learner, node, entry.vrf, &address);
		}
	}
}

void
learning_poll(struct live_fabric *live)
{
	if (live->learner == NULL)
		return;
	take_gleans(live);
	learn_turn(live->learner);
}

int
learning_fd(const struct live_fabric *live)
{
	return live->learner == NULL ? -1 : learn_fd(live->learner);
}

int
learning_wait_ms(const struct live_fabric *live, int most)
{
	int wait = live->learner == NULL ? most : learn_wait_ms(live->learner);

	return wait < most ? wait : most;
}
