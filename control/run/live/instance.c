// SPDX-License-Identifier: BSD-3-Clause
// The switch ends of veths go with the process, however it ends (devices.c); hugepages are unlinked
// as soon as they are mapped (eal.c). So the file has only namespaces and taps.
#include "instance.h"

#include "control/api/api.h"
#include "control/base/file.h"
#include "control/config/scalar.h"
#include "control/io/host/hosts_file.h"
#include "control/io/host/netns.h"
#include "control/io/host/processes.h"
#include "control/io/host/tap.h"
#include "dataplane/device/eal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <time.h>
#include <unistd.h>

#define STATE_BYTES_MAX (4u << 20)
#define ENDING_MS 30000
#define DYING_MS 5000
#define DYING_POLL_MS 20
#define OWN_NETNS "/proc/thread-self/ns/net"

int
instance_call(const char *path, const char *method, int timeout_ms, json_t **result,
	      struct diag *diag)
{
	const struct api_call call = {path, method, .timeout_ms = timeout_ms};
	const struct timespec moment = {.tv_nsec = DYING_POLL_MS * 1000000};

	// The socket of a process that was just killed listens until all of its threads are gone.
	for (int waited = 0;; waited += DYING_POLL_MS) {
		struct diag errors = {0};
		int rc = api_call(&call, result, &errors);

		if ((rc != -ECONNRESET && rc != -EPIPE) || waited == DYING_MS) {
			if (rc != 0)
				diag_fail(diag, -rc, "%s", diag_first_error(&errors));
			diag_free(&errors);
			return rc == -ECONNREFUSED ? -ENOENT : rc;
		}
		diag_free(&errors);
		nanosleep(&moment, NULL);
	}
}

#define RECORD ".state"
#define RECORD_NEW ".state.new" // while it is written: a killed process may leave it

// "/run/roost/demo.state" of "/run/roost/demo.sock".
static void
beside(const char *socket_path, const char *suffix, char path[static PATH_MAX])
{
	const char *dot = strrchr(socket_path, '.');

	snprintf(path, PATH_MAX, "%.*s%s", (int)(dot - socket_path), socket_path, suffix);
}

static bool
is_missing(const char *netns)
{
	int fd = netns_open(netns);

	if (fd >= 0)
		close(fd);
	return fd < 0;
}

uint64_t
instance_process_began(pid_t pid)
{
	char path[64], text[1024];
	unsigned long long began = 0;
	const char *at;
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	// Field 22; the second one, the command, may contain anything but ends with the last ')'.
	at = strrchr(text, ')');
	for (unsigned field = 2; at != NULL && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at != NULL && sscanf(at, "%llu", &began) == 1 ? began : 0;
}

int
instance_record(const struct live_fabric *live, const char *socket_path, struct diag *diag)
{
	char path[PATH_MAX], made[PATH_MAX];
	json_t *namespaces = json_array(), *taps = json_array(), *record;
	int rc = 0;

	beside(socket_path, RECORD, path);
	beside(socket_path, RECORD_NEW, made);
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];

		if (d->netns != NULL && (d->netns_created || is_missing(d->netns)))
			json_array_append_new(namespaces, json_string(d->netns));
		if (d->attach != NULL && d->attach->tap.text != NULL)
			json_array_append_new(taps, json_string(d->interface));
	}
	record = json_pack("{s:s, s:i, s:I, s:o, s:o}", "name", live->name, "pid", (int)getpid(),
			   "began", (json_int_t)instance_process_began(getpid()), "namespaces",
			   namespaces, "taps", taps);
	errno = EIO; // jansson does not always set it
	if (json_dump_file(record, made, JSON_INDENT(1)) != 0 || rename(made, path) != 0)
		rc = diag_fail(diag, errno, "%s: %s", path, strerror(errno));
	json_decref(record);
	return rc;
}

int
instance_parse(struct instance_state *out, const char *text, size_t length)
{
	json_t *record = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	const char *name = json_string_value(json_object_get(record, "name"));
	json_int_t pid = json_integer_value(json_object_get(record, "pid"));
	json_int_t began = json_integer_value(json_object_get(record, "began"));
	char why[SCALAR_WHY];

	*out = (struct instance_state){0};
	if (name == NULL || scalar_name(name, why) != 0 || pid < 1 || pid > INT_MAX || began < 0 ||
	    !json_is_array(json_object_get(record, "namespaces"))) {
		json_decref(record);
		return -EBADMSG;
	}
	snprintf(out->name, sizeof(out->name), "%s", name);
	out->pid = (pid_t)pid;
	out->began = (uint64_t)began;
	out->namespaces = json_incref(json_object_get(record, "namespaces"));
	out->taps = json_incref(json_object_get(record, "taps"));
	json_decref(record);
	return 0;
}

void
instance_free(struct instance_state *state)
{
	json_decref(state->namespaces);
	json_decref(state->taps);
}

// Reads the record beside a socket. Returns 0; -ENOENT; -EBADMSG if it is damaged; or another
// -errno.
static int
read_state(const char *socket_path, struct instance_state *out)
{
	char path[PATH_MAX], *text;
	size_t length;
	int rc;

	beside(socket_path, RECORD, path);
	*out = (struct instance_state){0};
	rc = file_read_at(AT_FDCWD, path, STATE_BYTES_MAX, &text, &length);
	if (rc != 0)
		return rc;
	rc = instance_parse(out, text, length);
	free(text);
	return rc;
}

void
instance_forget(const char *socket_path)
{
	struct instance_state state;
	char path[PATH_MAX];

	beside(socket_path, RECORD, path);
	if (read_state(socket_path, &state) == 0 && state.pid == getpid())
		unlink(path);
	instance_free(&state);
}

// Waits until the process of a record has ended; `end`: has it end. Returns false if it does not.
static bool
wait_for_process(const struct instance_state *state, bool end)
{
	struct pollfd process = {.fd = pidfd_open(state->pid, 0), .events = POLLIN};
	bool ended = true;

	if (process.fd < 0)
		return true;
	// The descriptor holds on to the process: if its beginning is the recorded one now, it is
	// that process from now on.
	if (instance_process_began(state->pid) == state->began) {
		if (end)
			pidfd_send_signal(process.fd, SIGTERM, NULL, 0);
		ended = poll(&process, 1, end ? ENDING_MS : DYING_MS) > 0;
	}
	close(process.fd);
	return ended;
}

static void
remove_netns(const char *netns, const char *fabric)
{
	hosts_file_remove(netns, fabric);
	(void)netns_delete_own(netns, fabric);
}

// The processes in a killed fabric's namespaces.
struct left {
	struct process *list;
	unsigned count;
};

static void
add_processes(struct left *left, int netns_fd, const char *where, const char *netns)
{
	unsigned i = left->count;

	(void)processes_add(netns_fd, &left->list, &left->count);
	for (; i < left->count; i++)
		fprintf(stderr, "roost: note: ended process %d (%s) %s%s\n", (int)left->list[i].pid,
			left->list[i].command, where, netns);
}

static bool
is_listed(const struct left *left, pid_t pid)
{
	for (unsigned i = 0; i < left->count; i++)
		if (left->list[i].pid == pid)
			return true;
	return false;
}

// Processes of a host that was detached have a second to end. By then the name of their namespace
// is gone, but it still has the mark of the fabric (netns_create()).
static void
add_nameless(struct left *left, const char *fabric)
{
	DIR *directory = opendir("/proc");
	const struct dirent *entry;
	struct netns_id own;

	if (directory == NULL || netns_identify(OWN_NETNS, &own) != 0) {
		if (directory != NULL)
			closedir(directory);
		return;
	}
	while ((entry = readdir(directory)) != NULL) {
		pid_t pid = (pid_t)atoi(entry->d_name);
		char path[64];
		int fd;

		if (pid <= 0 || is_listed(left, pid))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
		fd = netns_has_moved(path, &own) == 1 ? netns_open_own(path, fabric) : -1;
		if (fd < 0)
			continue;
		add_processes(left, fd, "of a host that was detached", "");
		close(fd);
	}
	closedir(directory);
}

// Ends them, as `down` of a fabric that runs does.
static void
end_processes(const struct instance_state *state)
{
	struct left left = {0};
	json_t *one;
	size_t i;

	json_array_foreach(state->namespaces, i, one)
	{
		const char *netns = json_string_value(one);
		int fd = netns != NULL ? netns_open_own(netns, state->name) : -EINVAL;

		if (fd < 0)
			continue;
		add_processes(&left, fd, "in namespace ", netns);
		close(fd);
	}
	add_nameless(&left, state->name);
	processes_end(left.list, left.count);
	processes_free(left.list, left.count);
}

// Removes what is not a file.
static void
remove_made(const struct instance_state *state)
{
	json_t *one;
	size_t i;

	end_processes(state);
	json_array_foreach(state->namespaces, i, one)
	{
		if (json_is_string(one))
			remove_netns(json_string_value(one), state->name);
	}
	json_array_foreach(state->taps, i, one)
	{
		if (json_is_string(one))
			(void)tap_delete(json_string_value(one), state->name);
	}
	eal_clean_killed(state->name);
}

bool
instance_left(const char *socket_path)
{
	static const char *const suffixes[] = {".sock", RECORD, RECORD_NEW, ".lock"};
	char path[PATH_MAX];
	bool left = false;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		beside(socket_path, suffixes[i], path);
		left |= access(path, F_OK) == 0;
	}
	return left;
}

int
instance_clean(const char *socket_path, bool end, struct diag *diag)
{
	char path[PATH_MAX], made[PATH_MAX];
	struct instance_state state;
	int rc = read_state(socket_path, &state);
	bool found = rc == 0 || access(socket_path, F_OK) == 0; // a process that ends removes both

	beside(socket_path, RECORD, path);
	beside(socket_path, RECORD_NEW, made);
	if (rc == 0 && !wait_for_process(&state, end)) {
		rc = diag_fail(diag, EBUSY,
			       "process %d still runs %s, but does not serve its socket; `roost "
			       "down %s` ends it",
			       (int)state.pid, state.name, state.name);
		instance_free(&state);
		return rc;
	}
	rc = api_socket_remove_stale(socket_path);
	if (rc != 0) {
		instance_free(&state);
		return diag_fail(diag, -rc, "%s: %s", socket_path,
				 rc == -EADDRINUSE
					 ? "it is not a socket, or another process serves it"
					 : strerror(-rc));
	}
	if (state.pid != 0)
		remove_made(&state);
	else if (access(path, F_OK) == 0)
		diag_warning(diag, path, (struct diag_pos){0}, NULL,
			     "it is damaged: namespaces of hosts may be left; `ip netns` lists "
			     "them");
	instance_free(&state);
	found |= unlink(path) == 0;
	found |= unlink(made) == 0;
	return found;
}
