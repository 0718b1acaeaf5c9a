// SPDX-License-Identifier: BSD-3-Clause
#include "daemon.h"

#include "answer.h"
#include "bring_up.h"
#include "changes.h"
#include "control/api/socket_path.h"
#include "control/base/program.h"
#include "control/config/scalar.h"
#include "control/base/text.h"
#include "learning.h"
#include "live_events.h"
#include "local_addresses.h"
#include "state.h"
#include "notify.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DAEMON_ERR_BYTES 512
#define DAEMON_POLL_MS 200
#define DAEMON_ASK_MS 1000
#define DAEMON_DYING_MS 5000

// What the fabric is brought up from.
struct origin {
	struct live_source source;
	char *text;                // of a revision
	char path[STORE_FILE_MAX]; // of the revision
	char file[STORE_FILE_MAX]; // the fabric's own, absolute; empty: it is not known
	char what[STORE_WHAT_MAX];
};

struct daemon {
	const struct origin *origin;
	void (*ready)(void *context, const char *name);
	void *context;
	FILE *to;
	char *noted; // what live_report.notes has collected
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

int
daemon_ask(const char *path, const char *method, int timeout_ms, json_t **result, char *err,
	   size_t err_size)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	int rc = 0;

	// A process that was just killed listens until the last of it has gone.
	for (int waited = 0; waited < DAEMON_DYING_MS; waited += 20) {
		rc = api_call(path, method, NULL, timeout_ms, result, err, err_size);
		if (rc != -ECONNRESET && rc != -EPIPE)
			break;
		nanosleep(&moment, NULL);
	}
	return rc == -ECONNREFUSED ? -ENOENT : rc;
}

// One fabric of a name at a time; what a killed one left is cleaned up first.
static int
claim_name(const char *path, const struct live_fabric *live, struct live_report *report)
{
	const char *name = live->config->fabric.name.text;
	json_t *hosts;
	int rc = daemon_ask(path, "hosts", DAEMON_ASK_MS, &hosts, report->err, report->err_size);

	json_decref(hosts);
	report->err[0] = '\0';
	// Who does not answer may be coming up.
	if (rc != -ENOENT) {
		snprintf(report->err, report->err_size,
			 "%s is up already; `roost down %s` takes it down", name, name);
		return -EBUSY;
	}
	if (state_clean(path))
		fprintf(report->notes,
			"roost: note: cleaned up after a fabric %s that was not taken down\n",
			name);
	return 0;
}

// Lets the group of `live.readers` ask.
static int
admit_readers(const struct live_fabric *live, struct api_server *server, struct live_report *report)
{
	const struct config_name *readers = &live->config->live.readers;
	const struct group *group;

	if (readers->text == NULL)
		return 0;
	group = getgrnam(readers->text);
	if (group == NULL) {
		diag_error(report->diag, live->config->file, readers->pos, "live.readers",
			   "there is no group %.64s on this machine", readers->text);
		return -EINVAL;
	}
	return api_server_admit_readers(server, group->gr_gid, report->err, report->err_size);
}

static void
serve(struct answer *a, struct notifier *notifier)
{
	while (!a->stop && stop_signal == 0) {
		int wait_ms =
			changes_next_ms(a->changes, live_events_next_ms(a->live, DAEMON_POLL_MS));

		if (api_server_poll(a->server, learning_wait_ms(a->live, wait_ms)) != 0)
			break;
		live_events_apply(a->live);
		changes_poll(a->changes);
		learning_poll(a->live);
		fabric_log_poll(a->live->log, a->live->fabric);
		notify_poll(notifier);
		local_addresses_poll(a->live->local_addresses, a->live);
	}
	api_server_poll(a->server, 0); // the answer to `down`
}

// What the user sees of a fabric that is up; of one that is not, only the reason.
static void
tell_notes(struct live_report *report, const struct daemon *d)
{
	diag_print(report->diag, d->to);
	fflush(report->notes);
	if (d->noted != NULL)
		fputs(d->noted, d->to);
}

// The last revision of a fabric of that name. Returns false when there is none.
static bool
find_revision(const char *name, struct origin *o)
{
	char why[SCALAR_WHY];
	struct store_revision last;
	struct diag diag = {0};
	struct store *store;
	size_t length;
	bool found;

	if (access(name, F_OK) == 0 || errno != ENOENT || scalar_name(name, why) != 0 ||
	    store_open(&store, name, &diag) != 0) {
		diag_free(&diag);
		return false;
	}
	found = store_read(store, store_last(store), &last, &o->text, &length, &diag) == 0;
	store_path(store, store_last(store), o->path);
	store_close(store);
	diag_free(&diag);
	if (!found)
		return false;
	snprintf(o->file, sizeof(o->file), "%s", last.file);
	o->source = (struct live_source){.file = o->path,
					 .text = o->text,
					 .length = length,
					 .beside = o->file[0] != '\0' ? o->file : o->path};
	return true;
}

// A file, or the name of a fabric that has been up.
static void
find_origin(const char *file, struct origin *o)
{
	char *absolute;

	snprintf(o->what, sizeof(o->what), "up %s",
		 strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file);
	utf8_end(o->what, strlen(o->what));
	if (find_revision(file, o))
		return;
	o->source.file = file;
	absolute = realpath(file, NULL);
	if (absolute != NULL && strlen(absolute) < sizeof(o->file))
		strcpy(o->file, absolute);
	free(absolute);
}

// A word that could be the name of a fabric, and is neither that of one that has been up nor a
// file's.
static bool
is_unknown(const char *file, const struct origin *origin)
{
	char why[SCALAR_WHY];

	return origin->text == NULL && access(file, F_OK) != 0 && errno == ENOENT &&
	       scalar_name(file, why) == 0;
}

static int
run_fabric(struct live_fabric *live, const struct daemon *d, struct live_report *report)
{
	const struct changes_author author = {getuid(), d->origin->what};
	struct answer answer = {.live = live};
	struct api_server *server = NULL;
	struct notifier *notifier = NULL;
	char path[API_PATH_MAX] = "";
	bool stateful = false;
	int rc = live_fabric_load(live, &d->origin->source, report);

	if (rc == 0)
		rc = api_socket_path(live->config->fabric.name.text, path, report->err,
				     report->err_size);
	if (rc == 0)
		rc = claim_name(path, live, report);
	if (rc != 0)
		return rc;
	rc = api_server_create(&server, path, answer_methods, answer_method_count, &answer,
			       report->err, report->err_size);
	answer.server = server;
	if (rc == 0)
		rc = admit_readers(live, server, report);
	// Before anything is made: it may be killed while it comes up.
	if (rc == 0) {
		rc = state_write(live, path, report->err, report->err_size);
		stateful = rc == 0;
	}
	if (rc == 0)
		rc = live_fabric_open(live, report);
	if (rc == 0) {
		answer.copy = node_snapshot_create(live);
		notifier = notify_create(live, answer.copy, server);
		rc = changes_create(&answer.changes, live,
				    d->origin->file[0] != '\0' ? d->origin->file : NULL, &author,
				    report);
	}
	if (rc == 0) {
		tell_notes(report, d);
		api_server_watch(server, learning_fd(live));
		d->ready(d->context, live->config->fabric.name.text);
		serve(&answer, notifier);
	}
	notify_destroy(notifier);
	changes_destroy(answer.changes);
	live_fabric_close(live);
	*live = (struct live_fabric){.outer_netns = -1};
	node_snapshot_destroy(answer.copy);
	settings_cache_destroy(answer.settings);
	if (stateful)
		state_remove(path);
	api_server_destroy(server);
	return rc;
}

static int
tell_failure(int rc, const struct live_report *report, FILE *to)
{
	diag_print(report->diag, to);
	if (report->err[0] != '\0')
		fprintf(to, "roost: %s\n", report->err);
	else if (report->diag->errors == 0)
		fprintf(to, "roost: %s\n", strerror(-rc));
	return report->diag->errors != 0 ? EXIT_USAGE : EXIT_FAILED;
}

int
daemon_run(const char *file, void (*ready)(void *context, const char *name), void *context,
	   FILE *to)
{
	struct origin origin = {0};
	struct daemon d = {.origin = &origin, .ready = ready, .context = context, .to = to};
	char err[DAEMON_ERR_BYTES] = "";
	size_t noted_bytes;
	struct diag diag = {0};
	struct live_report report = {.diag = &diag, .err = err, .err_size = sizeof(err)};
	struct live_fabric *live = calloc(1, sizeof(*live));
	int rc = EXIT_FAILED;

	report.notes = open_memstream(&d.noted, &noted_bytes);
	if (live == NULL || report.notes == NULL)
		goto out;
	live->outer_netns = -1;
	catch_signals();
	find_origin(file, &origin);
	if (is_unknown(file, &origin)) {
		fprintf(to,
			"roost: %s: there is no such file, and no fabric of that name has been "
			"up\n",
			file);
		rc = EXIT_USAGE;
		goto out;
	}
	rc = run_fabric(live, &d, &report);
	if (live->config != NULL)
		live_fabric_close(live);
	rc = rc == 0 ? EXIT_OK : tell_failure(rc, &report, to);
	diag_free(&diag);
out:
	if (report.notes != NULL)
		fclose(report.notes);
	free(d.noted);
	free(origin.text);
	free(live);
	return rc;
}
