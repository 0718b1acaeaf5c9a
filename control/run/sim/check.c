// SPDX-License-Identifier: BSD-3-Clause
// `roost check`: whether a file can be run. Everything that a run needs is made and nothing is run.
#include "check.h"

#include "control/advice/advice.h"
#include "control/base/program.h"
#include "control/model/routes/routes.h"
#include "control/run/device_ports.h"
#include "experiment.h"

#include <errno.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_TEXT_MAX 512

// One line about what the file describes. Room is for all of it; what does not fit is cut.
struct check_text {
	char text[CHECK_TEXT_MAX];
	size_t length;
};

static void __attribute__((format(printf, 2, 3))) put(struct check_text *t, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(t->text + t->length, sizeof(t->text) - t->length, format, args);
	va_end(args);
	if (length > 0)
		t->length += (size_t)length;
	if (t->length >= sizeof(t->text))
		t->length = sizeof(t->text) - 1;
}

// "4 leaves, "; nothing if there are none.
static void
put_count(struct check_text *t, uint64_t count, const char *one, const char *many)
{
	if (count != 0)
		put(t, "%s%" PRIu64 " %s", t->length != 0 ? ", " : "", count,
		    count == 1 ? one : many);
}

// What leaves can receive from hosts over what they can send to spines. Nothing where no leaf has
// both.
static void
put_oversubscription(struct check_text *t, const struct topology *topology)
{
	double down = 0, up = 0, ratio;

	for (uint32_t i = 0; i < topology->link_count; i++) {
		const struct topo_link *link = &topology->links[i];
		enum config_role a = topology->nodes[link->a.node].role;
		enum config_role b = topology->nodes[link->b.node].role;

		if (a != CONFIG_ROLE_LEAF && b != CONFIG_ROLE_LEAF)
			continue;
		if (link->host)
			down += (double)link->rate_bps;
		else if (a != b)
			up += (double)link->rate_bps;
	}
	if (down == 0 || up == 0)
		return;
	ratio = down / up;
	if (ratio >= 1)
		put(t, ", oversubscription %.3g:1", ratio);
	else
		put(t, ", oversubscription 1:%.3g", 1 / ratio);
}

static void
put_fabric(struct check_text *t, const struct topology *topology, const struct workload *w)
{
	uint32_t flows = 0;

	put_count(t, topology->leaf_count, "leaf", "leaves");
	put_count(t, topology->spine_count, "spine", "spines");
	put_count(t, topology->super_count, "super-spine", "super-spines");
	put_count(t, topology->host_count, "host", "hosts");
	if (topology->config->attach_count != 0)
		put(t, " (%u attached)", topology->config->attach_count);
	put_oversubscription(t, topology);
	for (uint32_t i = 0; i < w->flow_count; i++)
		flows += !w->flows[i].inside;
	put_count(t, flows, "flow", "flows");
	put_count(t, w->stream_count, "stream", "streams");
}

// What a live fabric would open, as far as the file shows.
static int
check_devices(struct topology *topology, struct diag *diag)
{
	struct device_port *ports;
	uint32_t count;
	int rc;

	topology_apply_attach(topology);
	rc = device_ports_list(&ports, &count, topology, diag);
	if (rc == 0)
		rc = device_ports_check(ports, count, topology, diag);
	free(ports);
	return rc;
}

// One switch: its tables are what can be wrong.
static int
check_single(const struct config *config, struct topology *topology, struct diag *diag)
{
	struct packet_pool *pool = NULL;
	struct fabric_options options = {.pools = &pool, .seed = config->fabric.seed};
	struct fabric *f = NULL;
	struct run *run = NULL;
	int rc = packet_pool_create(&pool, PACKET_FRAME_MIN);

	if (rc == 0)
		rc = fabric_create(&f, (struct config *)(uintptr_t)config, topology, &options,
				   diag);
	if (rc == 0)
		advice_give(f, diag);
	if (rc == 0)
		rc = run_create(&run, f, 0, 0, diag);
	run_destroy(run);
	fabric_destroy(f);
	packet_pool_destroy(pool);
	return rc;
}

static int
check_lone_switch(const struct config *config, struct diag *diag, struct check_text *t)
{
	struct topology *topology = NULL;
	int rc = topology_create(&topology, config, diag);

	if (rc == 0)
		rc = topology_check_names(topology, diag);
	if (rc == 0)
		rc = check_single(config, topology, diag);
	if (rc == 0)
		rc = routes_check_events(topology, diag);
	if (rc == 0)
		rc = check_devices(topology, diag);
	if (rc == 0) {
		put(t, "1 switch");
		put_count(t, topology->nodes[0].port_count, "port", "ports");
	}
	topology_destroy(topology);
	return rc;
}

static int
check_fabric(const char *file, struct diag *diag, struct check_text *t)
{
	struct experiment_options options = {.file = file, .until = PS_NEVER};
	struct experiment e;
	int rc = experiment_create(&e, &options, diag);

	if (rc == 0)
		rc = check_devices(e.topology, diag);
	if (rc == 0)
		put_fabric(t, e.topology, e.workload);
	experiment_destroy(&e);
	return rc;
}

static int
check_file(const char *file, struct diag *diag, struct check_text *t)
{
	struct config *config = NULL;
	int rc = config_load(&config, file, diag);

	if (rc != 0)
		return rc;
	if (config->fabric.topology == CONFIG_TOPOLOGY_SINGLE) {
		rc = check_lone_switch(config, diag, t);
		config_free(config);
		return rc;
	}
	config_free(config);
	diag_free(diag); // the experiment loads the file again
	*diag = (struct diag){0};
	return check_fabric(file, diag, t);
}

int
run_check(const char *file)
{
	struct diag diag = {0};
	struct check_text text = {.length = 0};
	int rc = check_file(file, &diag, &text);

	diag_print(&diag, stderr);
	if (rc != 0 && diag.errors == 0)
		fprintf(stderr, "roost check: %s: %s\n", file, strerror(-rc));
	diag_free(&diag);
	if (rc != 0)
		return rc == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
	printf("%s: ok: %s\n", file, text.text);
	return EXIT_OK;
}
