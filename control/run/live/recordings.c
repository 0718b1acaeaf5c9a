// SPDX-License-Identifier: BSD-3-Clause
#include "recordings.h"

#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/base/output.h"
#include "control/base/text.h"
#include "control/film/film.h"
#include "films.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILM_NAME "film"
#define PACKETS_NAME "packets.pcapng"
#define SIM_RESULT "result.json"
#define PACKET_SNAP_MAX 16000u // of `roost capture --snap`
#define FINISH_MS 10000        // for the last bytes to get to the disk
#define FINISH_POLL_MS 10
#define LINE_MAX_BYTES 512

// A program that writes a file.
struct recording {
	char *path;   // absolute
	char **words; // of its command line, up to NULL
	pid_t pid;    // 0: not started, or ended
	int from;     // its standard error; -1: closed
	char line[LINE_MAX_BYTES];
	size_t length;
};

struct recordings {
	struct live_fabric *live; // NULL: it is closed
	char *directory;
	struct recording all[2];
	unsigned int count;
};

// ---- what is to be written ----------------------------------------------------------------------

// The keys that only a run in virtual time writes, and the column of a film that has the same.
static const struct {
	const char *key;
	size_t names;
	const char *instead;
} series[] = {
	{"record.queues", offsetof(struct config_record, queues),
	 "`film: on` records the depth of every queue"},
	{"record.flows", offsetof(struct config_record, flows),
	 "`roost show queue-pairs` shows rates of queue pairs"},
	{"record.links", offsetof(struct config_record, links),
	 "`film: on` records the load of every link"},
	{"record.pauses", offsetof(struct config_record, pauses),
	 "`film: on` records the pauses of every port"},
	{"record.pools", offsetof(struct config_record, pools),
	 "`film: on` records the use of every pool"},
};

static void
warn_of_series(const struct config *config, struct diag *diag)
{
	for (size_t i = 0; i < sizeof(series) / sizeof(*series); i++) {
		const struct config_names *names =
			(const void *)((const char *)&config->record + series[i].names);

		if (names->count != 0)
			diag_warning(diag, config->file, names->items[0].pos, series[i].key,
				     "only `roost sim` writes it; live, %s", series[i].instead);
	}
}

static int
check_interval(const struct config *config, struct diag *diag)
{
	const uint64_t ms = PS_PER_US * 1000, dilation = config->fabric.dilation;
	const uint64_t interval = config->record.interval_ps < UINT64_MAX / dilation
					  ? config->record.interval_ps * dilation
					  : UINT64_MAX;
	char least[CONFIG_TEXT], most[CONFIG_TEXT], is[CONFIG_TEXT];

	if (interval % ms == 0 && interval >= FILMS_LEAST_MS * ms && interval <= FILMS_MOST_MS * ms)
		return 0;
	config_duration_text(FILMS_LEAST_MS * ms / dilation, least);
	config_duration_text(FILMS_MOST_MS * ms / dilation, most);
	config_duration_text(interval, is);
	return diag_error(diag, config->file, config->record.interval_pos, "record.interval",
			  "an interval of a live film takes 10ms to 1s of wall time, in whole "
			  "milliseconds, and this one takes %s: with a dilation of %" PRIu64
			  ", write %s to %s",
			  is, dilation, least, most);
}

static int
check_ports(const struct live_fabric *live, struct diag *diag)
{
	const struct config_names *ports = &live->config->record.pcap;
	struct topo_ref ref;
	int rc = 0;

	for (unsigned int i = 0; i < ports->count; i++)
		if (topology_resolve_port(live->topology, &ports->items[i], "record.pcap", &ref,
					  diag) != 0)
			rc = -EINVAL;
	return rc;
}

// Whether the files can be written: said before anything of the fabric is made. A directory that
// was made to find out is removed again.
static int
check_directory(const struct recordings *r, struct diag *diag)
{
	char *result = memory_format("%s/" SIM_RESULT, r->directory);
	const struct output_file *file;
	struct output output = {.directory = NULL};
	int rc = 0;

	if (access(result, F_OK) == 0)
		rc = diag_fail(diag, EEXIST,
			       "%s: it has results of `roost sim` (" SIM_RESULT
			       "): name another directory",
			       r->directory);
	free(result);
	if (rc != 0)
		return rc;
	rc = output_open(&output, r->directory);
	for (unsigned int i = 0; rc == 0 && i < r->count; i++)
		rc = output_add(&output, strrchr(r->all[i].path, '/') + 1, &file);
	if (rc != 0)
		diag_fail(diag, -rc, "%s", diag_first_error(&output.diag));
	output_close(&output);
	return rc;
}

static struct recording *
add(struct recordings *r, const char *name)
{
	struct recording *one = &r->all[r->count++];

	one->path = memory_format("%s/%s", r->directory, name);
	one->from = -1;
	return one;
}

static void
add_word(struct recording *one, unsigned int *count, char *word)
{
	one->words = memory_resize(one->words, *count + 2, sizeof(*one->words), "words");
	one->words[(*count)++] = word;
	one->words[*count] = NULL;
}

static void
plan_film(struct recordings *r)
{
	const struct config *config = r->live->config;
	const uint64_t interval_ms = config->record.interval_ps * config->fabric.dilation /
				     (PS_PER_US * 1000);
	const uint64_t per_second = film_interval_bytes(r->live->topology) * FILMS_MOST_MS /
				    interval_ms;
	struct recording *one = add(r, FILM_NAME);
	char rate[TEXT_VALUE_MAX], limit[CONFIG_TEXT];
	unsigned int count = 0;

	add_word(one, &count, memory_text("roost"));
	add_word(one, &count, memory_text("record"));
	add_word(one, &count, memory_format("--fabric=%s", config->fabric.name.text));
	add_word(one, &count, memory_format("--out=%s", r->directory));
	add_word(one, &count, memory_format("--interval=%" PRIu64 "ms", interval_ms));
	add_word(one, &count,
		 memory_format("--limit=%" PRIu64 "B", config->record.film_limit_bytes));
	fprintf(r->live->notes,
		"roost: note: writing %s: up to about %s a second, and about %s at most "
		"(record.film-limit)\n",
		one->path, text_bytes(rate, per_second),
		config_bytes_text(config->record.film_limit_bytes, limit));
}

static void
plan_packets(struct recordings *r)
{
	const struct config *config = r->live->config;
	const struct config_record *record = &config->record;
	const bool cut = !record->snaplen_full && record->snaplen_bytes <= PACKET_SNAP_MAX;
	struct recording *one = add(r, PACKETS_NAME);
	char of[TEXT_VALUE_MAX + 16] = "all bytes";
	unsigned int count = 0;

	add_word(one, &count, memory_text("roost"));
	add_word(one, &count, memory_text("capture"));
	add_word(one, &count, memory_format("--fabric=%s", config->fabric.name.text));
	add_word(one, &count, memory_format("--write=%s", one->path));
	if (cut) {
		add_word(one, &count, memory_format("--snap=%u", record->snaplen_bytes));
		snprintf(of, sizeof(of), "%u B", record->snaplen_bytes);
	}
	for (unsigned int i = 0; i < record->pcap.count; i++)
		add_word(one, &count, memory_text(record->pcap.items[i].text));
	fprintf(r->live->notes,
		"roost: note: writing %s: %s of each packet of %u port%s, without a limit, until "
		"the fabric ends\n",
		one->path, of, record->pcap.count, record->pcap.count == 1 ? "" : "s");
}

static void
destroy(struct recordings *r)
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

static bool
records_anything(const struct config_record *r)
{
	return r->film || r->queues.count + r->flows.count + r->links.count + r->pauses.count +
					  r->pools.count + r->pcap.count !=
				  0;
}

static char *
absolute(const char *directory)
{
	char *here, *path;

	if (directory[0] == '/')
		return memory_text(directory);
	here = getcwd(NULL, 0);
	path = memory_format("%s/%s", here != NULL ? here : ".", directory);
	free(here);
	return path;
}

int
recordings_plan(struct recordings **out, struct live_fabric *live, const char *directory,
		struct diag *diag)
{
	const struct config *config = live->config;
	const struct config_record *record = &config->record;
	struct recordings *r;
	int rc;

	*out = NULL;
	if (directory == NULL) {
		if (records_anything(record))
			diag_warning(diag, config->file, record->pos, "record",
				     "nothing is written without -o DIR");
		return 0;
	}
	warn_of_series(config, diag);
	if (!record->film && record->pcap.count == 0)
		return diag_error(diag, config->file, record->pos, "record",
				  "names nothing that a live fabric writes to %s: write "
				  "`film: on` with an interval, or `pcap` with ports",
				  directory);
	rc = record->film ? check_interval(config, diag) : 0;
	if (check_ports(live, diag) != 0)
		rc = -EINVAL;
	if (rc != 0)
		return rc;
	r = memory_new(sizeof(*r), "recordings");
	r->live = live;
	r->directory = absolute(directory);
	if (record->film)
		plan_film(r);
	if (record->pcap.count != 0)
		plan_packets(r);
	rc = check_directory(r, diag);
	if (rc == 0)
		*out = r;
	else
		destroy(r);
	return rc;
}

// ---- the programs -------------------------------------------------------------------------------

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
	char bytes[LINE_MAX_BYTES];
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
	destroy(r);
}
