// SPDX-License-Identifier: BSD-3-Clause
#include "daemon.h"

#include "answer.h"
#include "control/api/socket_path.h"
#include "control/commands.h"
#include "state.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define DAEMON_ERR_BYTES 512
#define DAEMON_POLL_MS 200

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
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

static bool
is_served(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool served;

	if (fd < 0)
		return false;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	served = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
	close(fd);
	return served;
}

// One fabric of a name at a time; what a killed one left is cleaned up first.
static int
claim_name(const char *path, const struct lab *lab, struct lab_report *report)
{
	const char *name = lab->config->fabric.name.text;

	if (is_served(path)) {
		snprintf(report->err, report->err_size, "%s is up already; `roost down %s` takes it down", name, name);
		return -EBUSY;
	}
	if (state_clean(path))
		fprintf(report->notes, "roost: note: cleaned up after a fabric %s that was not taken down\n", name);
	return 0;
}

static void
serve(struct answer *a, struct api_server *server)
{
	while (!a->stop && stop_signal == 0)
		if (api_server_poll(server, DAEMON_POLL_MS) != 0)
			break;
	api_server_poll(server, 0); // the answer to `down`
}

static int
live(struct lab *lab, const char *file, void (*ready)(void *context, const char *name), void *context,
     struct lab_report *report)
{
	struct answer answer = {.lab = lab};
	struct api_server *server = NULL;
	char path[API_PATH_MAX] = "";
	bool stateful = false;
	int rc = lab_load(lab, file, report);

	if (rc == 0)
		rc = api_socket_path(lab->config->fabric.name.text, path, report->err, report->err_size);
	if (rc == 0)
		rc = claim_name(path, lab, report);
	if (rc != 0)
		return rc;
	rc = api_server_create(&server, path, answer_methods, answer_method_count, &answer, report->err,
			       report->err_size);
	// Before anything is made: it may be killed while it comes up.
	if (rc == 0) {
		rc = state_write(lab, path, report->err, report->err_size);
		stateful = rc == 0;
	}
	if (rc == 0)
		rc = lab_open(lab, report);
	if (rc == 0)
		rc = copy_create(&answer.copy, lab);
	if (rc == 0) {
		ready(context, lab->config->fabric.name.text);
		serve(&answer, server);
	}
	lab_close(lab);
	*lab = (struct lab){.outer_netns = -1};
	copy_destroy(answer.copy);
	if (stateful)
		state_remove(path);
	api_server_destroy(server);
	return rc;
}

int
daemon_run(const char *file, void (*ready)(void *context, const char *name), void *context, FILE *to)
{
	char err[DAEMON_ERR_BYTES] = "";
	struct config_diag diag = {0};
	struct lab_report report = {.diag = &diag, .err = err, .err_size = sizeof(err), .notes = to};
	struct lab *lab = calloc(1, sizeof(*lab));
	int rc;

	if (lab == NULL)
		return CLI_FAILED;
	lab->outer_netns = -1;
	catch_signals();
	rc = live(lab, file, ready, context, &report);
	if (lab->config != NULL)
		lab_close(lab);
	free(lab);
	config_diag_print(&diag, to);
	if (rc != 0 && err[0] != '\0')
		fprintf(to, "roost: %s\n", err);
	else if (rc != 0 && diag.errors == 0)
		fprintf(to, "roost: %s\n", strerror(-rc));
	rc = rc == 0 ? CLI_OK : diag.errors != 0 ? CLI_USAGE : CLI_FAILED;
	config_diag_free(&diag);
	return rc;
}
