// SPDX-License-Identifier: BSD-3-Clause
#include "instance.h"

#include "answer.h"
#include "bfd_agent.h"
#include "capabilities.h"
#include "capture_stream.h"
#include "collect.h"
#include "control/base/file.h"
#include "control/base/memory.h"
#include "control/base/program.h"
#include "control/config/scalar.h"
#include "control/base/text.h"
#include "films.h"
#include "lldp_agent.h"
#include "notify.h"
#include "probes.h"
#include "recordings.h"
#include "system_calls.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAEMON_POLL_MS 200
#define DAEMON_CALL_MS 1000

// Where the fabric's configuration comes from.
struct origin {
	struct live_source source;
	char *text;                // of a revision
	char path[STORE_FILE_MAX]; // of the revision
	char file[STORE_FILE_MAX]; // the fabric's own, absolute; empty: unknown
	char part[STORE_PART_MAX]; // that the revision is of
	char what[STORE_WHAT_MAX];
	struct diag passed_over; // warnings of later revisions, which are damaged
};

struct daemon {
	const struct origin *origin;
	const char *out; // the directory of what `record:` names, or NULL
	void (*ready)(void *context, const char *name);
	void *context;
	FILE *to;
	char *noted; // what live_fabric.notes has collected
};

static volatile sig_atomic_t stop_signal;

static void
note_signal(int number)
{
	stop_signal = number;
}

static void
catch_signals(void)
{
	struct sigaction action = {.sa_handler = note_signal};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGQUIT, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

// One fabric of a name at a time; what a killed one left is cleaned up first. Under the lock.
static int
claim_name(const char *path, const struct live_fabric *live, struct diag *diag)
{
	const char *name = live->name;
	struct diag ignored = {0};
	json_t *hosts;
	int rc = instance_call(path, "hosts", DAEMON_CALL_MS, &hosts, &ignored);

	json_decref(hosts);
	diag_free(&ignored);
	// One that does not answer may be coming up.
	if (rc != -ENOENT)
		return diag_fail(diag, EBUSY, "%s is up already; `roost down %s` takes it down",
				 name, name);
	rc = instance_clean(path, false, diag);
	if (rc == 1)
		fprintf(live->notes,
			"roost: note: cleaned up after a fabric %s that was not taken down\n",
			name);
	return rc < 0 ? rc : 0;
}

// Lets the group of `live.readers` call methods that only read.
static int
admit_readers(const struct live_fabric *live, struct api_server *server, struct diag *diag)
{
	const struct config_name *readers = &live->config->live.readers;
	const struct group *group;

	if (readers->text == NULL)
		return 0;
	group = getgrnam(readers->text);
	if (group != NULL)
		return api_server_admit_readers(server, group->gr_gid, diag);
	return diag_error(diag, live->config->file, readers->pos, "live.readers",
			  "there is no group %.64s on this machine", readers->text);
}

static void
serve(struct answer *a, struct notifier *notifier)
{
	while (!a->stop && stop_signal == 0) {
		int wait_ms =
			changes_next_ms(a->changes, live_events_next_ms(a->live, DAEMON_POLL_MS));

		wait_ms = capture_streams_wait_ms(a->capture_streams, wait_ms);
		wait_ms = films_wait_ms(a->films, wait_ms);
		wait_ms = bfd_agent_wait_ms(a->live, learning_wait_ms(a->live, wait_ms));
		if (api_server_poll(a->server, wait_ms) != 0)
			break;
		capture_streams_poll(a->capture_streams);
		probes_poll(a->probes);
		answer_lft_forget(a, false);
		bfd_agent_poll(a->live);
		live_events_apply(a->live);
		changes_poll(a->changes);
		learning_poll(a->live);
		fabric_log_poll(a->live->log, a->live->fabric);
		notify_poll(notifier);
		films_poll(a->films);
		recordings_poll(a->recordings);
		local_addresses_poll(a->live);
		device_links_poll(a->live);
		host_processes_poll(a->live);
		lldp_agent_poll(a->live);
	}
	api_server_poll(a->server, 0); // the answer to `down`
	probes_destroy(a->probes);
	answer_lft_forget(a, true);
	capture_streams_destroy(a->capture_streams);
}

// Once the fabric is up: if it fails, the user sees the reason only.
static void
print_notes(const struct live_fabric *live, const struct daemon *d, const struct diag *diag)
{
	diag_print(&d->origin->passed_over, d->to);
	diag_print(diag, d->to);
	fflush(live->notes);
	fputs(d->noted, d->to);
}

// Finds the last revision of a fabric of that name that can be read. Returns 0; -ENOENT if there is
// none, or `name` is a file; or another -errno with the errors in diag.
static int
find_revision(const char *name, struct origin *o, struct diag *diag)
{
	char why[SCALAR_WHY];
	struct diag errors = {0};
	struct store_revision last;
	struct store *store;
	size_t length;
	int rc;

	if (access(name, F_OK) == 0 || errno != ENOENT || scalar_name(name, why) != 0)
		return -ENOENT;
	rc = store_open(&store, name, &errors);
	if (rc == 0) {
		rc = store_read_last(store, &last, &o->text, &length, &errors);
		if (rc == 0)
			store_path(store, last.number, o->path);
		store_close(store);
	}
	for (unsigned i = 0; rc == 0 && i < errors.count; i++)
		diag_warning(&o->passed_over, o->path, (struct diag_pos){0}, NULL,
			     "using this revision, because a later one cannot be read: %s",
			     errors.messages[i].text);
	if (rc != 0 && rc != -ENOENT)
		diag_fail(diag, -rc, "%s: none of its revisions can be read: %s", name,
			  diag_first_error(&errors));
	diag_free(&errors);
	if (rc != 0)
		return rc;
	snprintf(o->file, sizeof(o->file), "%s", last.file);
	memcpy(o->part, last.part, sizeof(o->part));
	o->source = (struct live_source){.file = o->path,
					 .text = o->text,
					 .length = length,
					 .beside = o->file[0] != '\0' ? o->file : o->path,
					 .revision = last.number,
					 .part = o->part[0] != '\0' ? o->part : NULL};
	return 0;
}

// A revision is of one part, or of all of the fabric.
static int
check_part(const char *name, const struct origin *o, const char *part, struct diag *diag)
{
	if (part == NULL || strcmp(o->part, part) == 0)
		return 0;
	return diag_fail(diag, EINVAL, "%s ran %s%.64s: name a file to run part %.64s of it", name,
			 o->part[0] != '\0' ? "part " : "all of its fabric", o->part, part);
}

// A file, or the name of a fabric that has been up. Returns as find_revision(), but 0 for a file;
// -EINVAL if it ran something else than the part.
static int
find_origin(const struct live_command *command, struct origin *o, struct diag *diag)
{
	const char *file = command->file;
	char *absolute, why[SCALAR_WHY];
	int rc;

	snprintf(o->what, sizeof(o->what), "up %s", basename(file));
	utf8_end(o->what, strlen(o->what));
	rc = find_revision(file, o, diag);
	if (rc != -ENOENT)
		return rc != 0 ? rc : check_part(file, o, command->part, diag);
	if (access(file, F_OK) != 0 && errno == ENOENT && scalar_name(file, why) == 0)
		return diag_fail(
			diag, ENOENT,
			"%s: there is no such file, and no fabric of that name has been up", file);
	o->source.file = file;
	o->source.part = command->part;
	absolute = realpath(file, NULL);
	if (absolute != NULL && strlen(absolute) < sizeof(o->file))
		strcpy(o->file, absolute);
	free(absolute);
	return 0;
}

// From here on the name is this process's: its socket listens, and what it would leave if it were
// killed is recorded. No other process examines either, or cleans up, in between.
static int
claim(struct answer *a, const char *path, struct diag *diag)
{
	struct api_lock lock;
	int rc = api_lock(&lock, path, API_LOCK_MS, diag);

	if (rc != 0)
		return rc;
	rc = claim_name(path, a->live, diag);
	if (rc == 0)
		rc = api_server_create(&a->server, path, answer_methods, a, diag);
	if (rc == 0) {
		rc = instance_record(a->live, path, diag);
		if (rc != 0)
			api_server_destroy(a->server);
	}
	api_unlock(&lock);
	return rc;
}

static bool
has_pci(const struct live_fabric *live)
{
	for (uint32_t i = 0; i < live->device_count; i++)
		if (device_port_is_on_pci(&live->devices[i]))
			return true;
	return false;
}

// From here on the process can do only what a fabric needs. Before any other thread is started.
static int
limit_privileges(const struct live_fabric *live, struct diag *diag)
{
	const bool pci = has_pci(live);
	int error, rc = capabilities_drop(pci, diag);

	if (rc != 0)
		return rc;
	error = system_calls_limit(pci);
	if (error != 0)
		fprintf(live->notes,
			"roost: note: the kernel refuses the filter of system calls: %s\n",
			strerror(-error));
	return 0;
}

// The name is claimed; everything that is made from here on is removed again.
static int
run_claimed(struct answer *a, const struct daemon *d, const char *path, struct diag *diag)
{
	const struct changes_author author = {getuid(), d->origin->what};
	const char *file = d->origin->file[0] != '\0' ? d->origin->file : NULL;
	struct live_fabric *live = a->live;
	struct notifier *notifier;
	int rc = admit_readers(live, a->server, diag);

	if (rc == 0)
		rc = limit_privileges(live, diag);
	if (rc == 0)
		rc = live_fabric_open(live, diag);
	if (rc == 0) {
		a->copy = node_snapshot_create(live);
		a->changes = changes_create(live, file, &author);
		notifier = notify_create(live, a->copy, a->server);
		a->captures = capture_hub_create(live);
		a->capture_streams = capture_streams_create(a->captures, a->server);
		a->probes = probes_create(a->captures, a->server);
		a->films = films_create(live, a->server);
		print_notes(live, d, diag);
		api_server_watch(a->server, learning_fd(live));
		api_server_watch(a->server, bfd_agent_fd(live));
		file_refuse_pipes();
		d->ready(d->context, live->name);
		recordings_start(a->recordings);
		serve(a, notifier);
		capture_hub_destroy(a->captures);
		films_destroy(a->films);
		notify_destroy(notifier);
		changes_destroy(a->changes);
	}
	live_fabric_close(live);
	node_snapshot_destroy(a->copy);
	settings_cache_destroy(a->settings);
	instance_forget(path);
	return rc;
}

static void
note_parts(const struct live_fabric *live)
{
	const struct config_fabric *f = &live->config->fabric;

	if (live->part == NULL && f->part_count != 0)
		fprintf(live->notes,
			"roost: note: this process runs all %u parts of the fabric; `--part %s` "
			"runs one of them\n",
			f->part_count, f->parts[0].name.text);
}

static int
run_fabric(struct live_fabric *live, const struct daemon *d, struct diag *diag)
{
	struct answer answer = {.live = live};
	char path[API_PATH_MAX];
	int rc = live_fabric_load(live, &d->origin->source, diag);

	if (rc == 0)
		note_parts(live);
	if (rc == 0)
		rc = recordings_plan(&answer.recordings, live, d->out, diag);
	if (rc == 0)
		rc = api_socket_path(live->name, path, diag);
	if (rc == 0)
		rc = claim(&answer, path, diag);
	if (rc == 0) {
		rc = run_claimed(&answer, d, path, diag);
		api_server_destroy(answer.server);
	}
	recordings_finish(answer.recordings);
	return rc;
}

// Errors of the file are listed as `roost check` lists them. An error of the machine ends the
// attempt, so there is only one.
static int
print_failure(int rc, struct diag *diag, FILE *to)
{
	bool in_file = false;

	if (diag->errors == 0)
		diag_fail(diag, -rc, "%s", strerror(-rc));
	for (unsigned i = 0; i < diag->count; i++) {
		const struct diag_message *m = &diag->messages[i];

		in_file |= !m->warning && m->words != m->text;
	}
	if (in_file) {
		diag_print(diag, to);
		return EXIT_USAGE;
	}
	for (unsigned i = 0; i < diag->count; i++)
		fprintf(to, "%s: %s\n", diag->messages[i].warning ? "warning" : "roost",
			diag->messages[i].text);
	return EXIT_FAILED;
}

int
daemon_run(const struct live_command *command, void (*ready)(void *context, const char *name),
	   void *context, FILE *to)
{
	struct origin origin = {0};
	struct daemon d = {.origin = &origin,
			   .out = command->out,
			   .ready = ready,
			   .context = context,
			   .to = to};
	size_t noted_bytes;
	struct diag diag = {0};
	struct live_fabric *live;
	int rc;

	catch_signals();
	rc = find_origin(command, &origin, &diag);
	if (rc != 0) {
		fprintf(to, "roost: %s\n", diag_first_error(&diag));
		diag_free(&diag);
		return rc == -ENOENT || rc == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	}
	live = memory_new(sizeof(*live), "live fabric");
	*live = LIVE_FABRIC_NONE(memory_stream_open(&d.noted, &noted_bytes));
	rc = run_fabric(live, &d, &diag);
	live_fabric_close(live);
	rc = rc == 0 ? EXIT_OK : print_failure(rc, &diag, to);
	diag_free(&diag);
	diag_free(&origin.passed_over);
	fclose(live->notes);
	free(d.noted);
	free(origin.text);
	free(live);
	return rc;
}
