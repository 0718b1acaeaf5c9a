// SPDX-License-Identifier: BSD-3-Clause
#include "output.h"

#include "control/base/directory.h"
#include "control/fabric/result.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OUTPUT_COUNTERS "counters.json"
#define OUTPUT_DROPS "drops.pcapng"

static void
output_path(char path[static PATH_MAX], const struct replay_output *o, const char *name,
	    const char *suffix)
{
	snprintf(path, PATH_MAX, "%s/%s%s", o->directory, name, suffix);
}

// Before any of them is touched.
static int
check_files(const char *directory, const struct topo_node *place, char *err, size_t err_size)
{
	int rc = directory_check_file(directory, OUTPUT_COUNTERS, err, err_size);

	for (uint16_t i = 0; rc == 0 && i < place->port_count; i++) {
		char name[TOPOLOGY_PORT_NAME_MAX + 8];

		snprintf(name, sizeof(name), "%s.pcapng", place->ports[i].name);
		rc = directory_check_file(directory, name, err, err_size);
	}
	return rc != 0 ? rc : directory_check_file(directory, OUTPUT_DROPS, err, err_size);
}

int
replay_output_open(struct replay_output *o, const char *directory, struct node *n,
		   const struct topo_node *place, char *err, size_t err_size)
{
	bool made = access(directory, F_OK) != 0;
	char path[PATH_MAX];
	int rc = directory_make(directory, err, err_size);

	if (rc == 0)
		rc = check_files(directory, place, err, err_size);
	if (rc != 0)
		return rc;
	*o = (struct replay_output){.directory = directory, .place = place, .made = made};
	rc = recorder_create(&o->recorder, 0);
	if (rc != 0)
		return rc;
	o->port_names = calloc(place->port_count, sizeof(*o->port_names));
	if (o->port_names == NULL)
		return -ENOMEM;
	for (uint16_t i = 0; rc == 0 && i < place->port_count; i++) {
		const char *name = place->ports[i].name;

		o->port_names[i] = name;
		output_path(path, o, name, ".pcapng");
		rc = recorder_add_port(o->recorder, n, i, RECORDER_SENT, path, name, err, err_size);
	}
	if (rc != 0)
		return rc;
	output_path(path, o, OUTPUT_DROPS, "");
	return recorder_add_drops(o->recorder, n, o->port_names, path, err, err_size);
}

int
replay_output_counters(const struct replay_output *o, const json_t *document, char *err,
		       size_t err_size)
{
	char path[PATH_MAX];

	output_path(path, o, OUTPUT_COUNTERS, "");
	return report_write(document, path, err, err_size);
}

// What has been written of a run that failed would pass for an outcome.
static void
output_remove(const struct replay_output *o)
{
	char path[PATH_MAX];

	for (uint16_t i = 0; i < o->place->port_count; i++) {
		output_path(path, o, o->place->ports[i].name, ".pcapng");
		unlink(path);
	}
	output_path(path, o, OUTPUT_DROPS, "");
	unlink(path);
	output_path(path, o, OUTPUT_COUNTERS, "");
	unlink(path);
	if (o->made)
		rmdir(o->directory);
}

int
replay_output_close(struct replay_output *o, bool failed, char *err, size_t err_size)
{
	int rc = recorder_close(o->recorder, true, err, err_size);

	if (o->directory != NULL && (failed || rc != 0))
		output_remove(o);
	free(o->port_names);
	*o = (struct replay_output){0};
	return rc;
}
