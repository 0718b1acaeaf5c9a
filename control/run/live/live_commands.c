// SPDX-License-Identifier: BSD-3-Clause
// `roost up`, `run`, `down`, `exec`: a live fabric from the command line. `up` leaves a daemon
// behind and returns when it serves; its messages until then are the command's.
#include "live_commands.h"

#include "control/api/api.h"
#include "control/base/program.h"
#include "control/io/host/container.h"
#include "control/io/host/netns.h"
#include "first_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALL_TIMEOUT_MS 10000
#define DOWN_WAIT_MS 30000
#define DOWN_TRIES 3

static void
report_ready(void *context, const char *name)
{
	int fd = *(int *)context;
	int null = open("/dev/null", O_RDWR);

	// From here on this process's messages go nowhere: `roost show log` has those that matter.
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
	if (write(fd, name, strlen(name)) < 0)
		raise(SIGTERM);
	close(fd);
}

// If the kernel schedules by session, a thread's nice value has no effect on other sessions; that
// of the session's group has. Without the right to raise it, it stays as it is.
static void
raise_session(void)
{
	static const char nice[] = "-10";
	int fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, nice, strlen(nice)) < 0 && errno != EPERM)
		fprintf(stderr, "roost: note: /proc/self/autogroup: %s\n", strerror(errno));
	close(fd);
}

static int
become_daemon(const struct live_command *command, int fd)
{
	int null = open("/dev/null", O_RDONLY);

	setsid();
	raise_session();
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
	return daemon_run(command, report_ready, &fd, stderr);
}

int
live_up(const struct live_command *command)
{
	char name[CONFIG_NAME_MAX + 1] = "";
	int pipes[2], status = 0;
	ssize_t length;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		fprintf(stderr, "roost up: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	if (pid == 0) {
		close(pipes[0]);
		exit(become_daemon(command, pipes[1]));
	}
	close(pipes[1]);
	length = read(pipes[0], name, sizeof(name) - 1);
	close(pipes[0]);
	if (length > 0) {
		printf("%s is up; `roost show fabric` shows it, `roost down %s` takes it down\n",
		       name, name);
		return EXIT_OK;
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : EXIT_FAILED;
}

static void
say_ready(void *context, const char *name)
{
	(void)context;
	printf("%s runs; Ctrl-C takes it down\n", name);
	fflush(stdout);
}

int
live_run(const struct live_command *command)
{
	int status;

	return first_process_leave(&status) ? daemon_run(command, say_ready, NULL, stderr) : status;
}

// Waits until a process has ended, reaped or not. Returns false if it outlives the wait.
static bool
wait_for_end(pid_t pid)
{
	struct pollfd end = {.fd = pidfd_open(pid, 0), .events = POLLIN};
	bool ended;

	if (end.fd < 0)
		return errno == ESRCH;
	ended = poll(&end, 1, DOWN_WAIT_MS) > 0;
	close(end.fd);
	return ended;
}

// A killed fabric has no socket that answers, but may have left something. Returns as
// instance_clean(), and -EAGAIN if a fabric of that name has come up meanwhile.
static int
clean_dead(const char *path, struct diag *diag)
{
	struct api_lock lock;
	json_t *hosts;
	struct diag ignored = {0};
	int rc = instance_left(path) ? api_lock(&lock, path, API_LOCK_MS, diag) : -ENOENT;

	if (rc != 0)
		return rc == -ENOENT ? 0 : rc;
	rc = instance_call(path, "hosts", CALL_TIMEOUT_MS, &hosts, &ignored);
	json_decref(hosts);
	diag_free(&ignored);
	rc = rc == -ENOENT ? instance_clean(path, true, diag) : -EAGAIN;
	api_unlock(&lock);
	return rc;
}

static int
fail(const char *command, struct diag *diag, int status)
{
	fprintf(stderr, "roost %s: %s\n", command, diag_first_error(diag));
	diag_free(diag);
	return status;
}

// What the fabric ends with its namespaces.
static void
print_ended(const json_t *processes)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)processes, i, one)
	{
		const char *command = json_string_value(json_object_get(one, "command"));
		const char *netns = json_string_value(json_object_get(one, "netns"));

		fprintf(stderr, "roost: note: ended process %d (%s) in namespace %s\n",
			(int)json_integer_value(json_object_get(one, "pid")),
			command != NULL ? command : "?", netns != NULL ? netns : "?");
	}
}

static int
wait_down(const char *path, const json_t *result)
{
	const char *name = strrchr(path, '/') + 1;
	pid_t pid = (pid_t)json_integer_value(json_object_get(result, "pid"));

	if (pid > 0 && wait_for_end(pid)) {
		print_ended(json_object_get(result, "processes"));
		printf("%.*s is down\n", (int)(strrchr(name, '.') - name), name);
		return EXIT_OK;
	}
	fprintf(stderr,
		"roost down: process %d does not end; run `kill -9 %d`, then `roost down` again\n",
		(int)pid, (int)pid);
	return EXIT_FAILED;
}

// Returns an exit status, or -EAGAIN if the fabric has come up in between.
static int
try_down(const char *name)
{
	char path[API_PATH_MAX];
	struct diag diag = {0}, dead = {0};
	json_t *result;
	int rc = api_socket_find(name, path, &diag), cleaned;
	int status = rc != 0 ? api_socket_exit_status(rc) : EXIT_FAILED;

	if (rc == 0)
		rc = instance_call(path, "down", CALL_TIMEOUT_MS, &result, &diag);
	if (rc == 0) {
		status = wait_down(path, result);
		json_decref(result);
		return status;
	}
	if (rc != -ENOENT || name == NULL || api_socket_path(name, path, &dead) != 0) {
		diag_free(&dead);
		return fail("down", &diag, status);
	}
	cleaned = clean_dead(path, &dead);
	if (cleaned > 0) {
		printf("%s was not running any more; cleaned up after it\n", name);
		diag_print(&dead, stderr);
	} else if (cleaned < 0 && cleaned != -EAGAIN) {
		fail("down", &dead, status);
	} else if (cleaned == 0) {
		fail("down", &diag, status);
	}
	diag_free(&diag);
	diag_free(&dead);
	return cleaned > 0 ? EXIT_OK : cleaned == -EAGAIN ? -EAGAIN : status;
}

int
live_down(const char *name)
{
	int status = -EAGAIN;

	for (int i = 0; i < DOWN_TRIES && status == -EAGAIN; i++)
		status = try_down(name);
	if (status != -EAGAIN)
		return status;
	fprintf(stderr, "roost down: %s has come up again each time that it was taken down\n",
		name);
	return EXIT_FAILED;
}

#define NETNS_NAME_BYTES 160

// What to open for a host's network namespace, as `hosts` describes it; NULL if it has none, or
// with an error in diag.
static const char *
find_netns(const json_t *host, char text[static NETNS_NAME_BYTES], struct diag *diag)
{
	const char *container = json_string_value(json_object_get(host, "container"));
	json_int_t pid = json_integer_value(json_object_get(host, "pid"));
	int fd;

	if (pid != 0) {
		snprintf(text, NETNS_NAME_BYTES, "/proc/%d/ns/net", (int)pid);
		return text;
	}
	if (container == NULL)
		return json_string_value(json_object_get(host, "netns"));
	fd = container_open_netns(container, diag);
	if (fd < 0)
		return NULL;
	snprintf(text, NETNS_NAME_BYTES, "/proc/self/fd/%d", fd);
	return text;
}

static bool
has_netns(const json_t *host)
{
	return json_is_string(json_object_get(host, "netns")) ||
	       json_object_get(host, "pid") != NULL || json_object_get(host, "container") != NULL;
}

static int
exec_in(const char *host, const json_t *hosts, char **command)
{
	struct diag diag = {0};
	char text[NETNS_NAME_BYTES];
	const char *netns = find_netns(json_object_get(hosts, host), text, &diag);
	const char *known;
	json_t *value;

	if (netns == NULL && diag.errors == 0) {
		unsigned count = 0;

		fprintf(stderr, "roost exec: %s is not a host with a namespace; there ", host);
		json_object_foreach((json_t *)(uintptr_t)hosts, known, value)
		{
			if (has_netns(value))
				fprintf(stderr, "%s%s", count++ == 0 ? "are: " : " ", known);
		}
		fputs(count == 0 ? "is none\n" : "\n", stderr);
		return EXIT_USAGE;
	}
	if (netns != NULL)
		host_exec(netns, command, &diag);
	return fail("exec", &diag, EXIT_FAILED);
}

int
live_exec(const char *fabric, const char *host, char **command)
{
	char path[API_PATH_MAX];
	const struct api_call call = {path, "hosts", .timeout_ms = CALL_TIMEOUT_MS};
	struct diag diag = {0};
	json_t *hosts;
	int status;

	if (geteuid() != 0) {
		fputs("roost exec: needs root, for network namespaces: sudo roost exec ...\n",
		      stderr);
		return EXIT_FAILED;
	}
	status = api_socket_exit_status(api_socket_find(fabric, path, &diag));
	if (status == EXIT_OK && api_call(&call, &hosts, &diag) != 0)
		status = EXIT_FAILED;
	if (status != EXIT_OK)
		return fail("exec", &diag, status);
	status = exec_in(host, hosts, command);
	json_decref(hosts);
	return status;
}
