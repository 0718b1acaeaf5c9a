// SPDX-License-Identifier: BSD-3-Clause
// The programs: how they start, what they say and how they end.
#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/base/text.h"
#include "recordings_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FINISH_MS 10000 // for the last bytes to get to the disk
#define FINISH_POLL_MS 10

void
recordings_destroy(struct recordings *r)
{
	for (unsigned int i = 0; i < r->count; i++) {
		for (char **word = r->all[i].words; word != NULL && *word != NULL; word++)
			free(*word);
		free(r->all[i].words);
		free(r->all[i].path);
		if (r->all[i].from >= 0)
			close(r->all[i].from);
	}
	free(r->directory);
	free(r);
}

static void
say(struct recordings *r, const char *text)
{
	if (r->live == NULL)
		fprintf(stderr, "%s\n", text);
	else
		fabric_log_note(r->live->log, live_clock(&r->live->drive), FABRIC_LOG_RECORD, text);
}

static void
say_about(struct recordings *r, const struct recording *one, const char *what)
{
	char *text = memory_format("%s: %s", one->path, what);

	utf8_repair(text);
	say(r, text);
	free(text);
}

// In a session of its own: an interrupt of the fabric's terminal is not meant for it, and it does
// not share the priority of the fabric. Returns 0 or an error number.
static int
spawn(struct recording *one, int to)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, to, STDERR_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
	error = posix_spawn(&one->pid, "/proc/self/exe", &actions, &attributes, one->words,
			    environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

static void
start(struct recordings *r, struct recording *one)
{
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		say_about(r, one, strerror(errno));
		return;
	}
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	error = spawn(one, ends[1]);
	close(ends[1]);
	one->from = ends[0];
	if (error != 0) {
		one->pid = 0;
		say_about(r, one, strerror(error));
	}
}

void
recordings_start(struct recordings *r)
{
	if (r == NULL)
		return;
	if (mkdir(r->directory, 0777) != 0 && errno != EEXIST)
		say_about(r, &r->all[0], strerror(errno));
	for (unsigned int i = 0; i < r->count; i++)
		start(r, &r->all[i]);
}

static void
take_lines(struct recordings *r, struct recording *one)
{
	char bytes[RECORDING_LINE_BYTES];
	ssize_t count;

	while (one->from >= 0 && (count = read(one->from, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < count; i++) {
			if (bytes[i] != '\n' && one->length < sizeof(one->line) - 1) {
				one->line[one->length++] = bytes[i];
				continue;
			}
			one->line[one->length] = '\0';
			one->length = 0;
			utf8_repair(one->line);
			say(r, one->line);
		}
}

static bool
has_ended(struct recordings *r, struct recording *one)
{
	char what[64];
	int status = 0; // unknown where SIGCHLD is ignored

	if (one->pid == 0)
		return true;
	if (waitpid(one->pid, &status, WNOHANG) == 0) {
		take_lines(r, one);
		return false;
	}
	one->pid = 0;
	take_lines(r, one); // of an error, if it has failed
	if (WIFSIGNALED(status)) {
		snprintf(what, sizeof(what), "ends here: its process was killed by signal %d",
			 WTERMSIG(status));
		say_about(r, one, what);
	}
	return true;
}

void
recordings_poll(struct recordings *r)
{
	for (unsigned int i = 0; r != NULL && i < r->count; i++)
		(void)has_ended(r, &r->all[i]);
}

json_t *
recordings_list(const struct recordings *r)
{
	json_t *out = r != NULL ? json_array() : NULL;

	for (unsigned int i = 0; r != NULL && i < r->count; i++) {
		const struct recording *one = &r->all[i];
		json_t *entry = json_pack("{s:s}", "state", one->pid != 0 ? "running" : "ended");

		json_object_set_new(entry, "file", json_string(one->path));
		if (one->pid != 0)
			json_object_set_new(entry, "pid", json_integer(one->pid));
		json_array_append_new(out, entry);
	}
	return out;
}

static bool
all_have_ended(struct recordings *r)
{
	bool ended = true;

	for (unsigned int i = 0; i < r->count; i++)
		ended &= has_ended(r, &r->all[i]);
	return ended;
}

void
recordings_finish(struct recordings *r)
{
	const struct timespec moment = {.tv_nsec = FINISH_POLL_MS * 1000000};
	const int64_t until = clock_ms() + FINISH_MS;

	if (r == NULL)
		return;
	r->live = NULL;
	while (!all_have_ended(r) && clock_ms() < until)
		nanosleep(&moment, NULL);
	for (unsigned int i = 0; i < r->count; i++)
		if (r->all[i].pid != 0)
			kill(r->all[i].pid, SIGKILL); // it hangs: the disk does not answer
	recordings_destroy(r);
}
