// SPDX-License-Identifier: BSD-3-Clause
// A fabric is up if a process listens on its socket: a daemon that was killed leaves only the file
// behind.
#include "server_internal.h"

#include "control/base/program.h"
#include "control/config/scalar.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".sock"
#define SYSTEM_DIRECTORY "/run/roost" // of root's fabrics
#define NAMES_SHOWN_MAX 256
// For a user who may not ask a fabric.
#define HOW_TO_READ "use sudo, or give a group of yours the right to read (live.readers)"

// The fabrics of a directory that are up.
struct found {
	unsigned int count;
	char names[NAMES_SHOWN_MAX]; // in order, separated by blanks
};

static int
runtime_directory(char directory[static API_PATH_MAX], struct diag *diag)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0) {
		snprintf(directory, API_PATH_MAX, SYSTEM_DIRECTORY);
		return 0;
	}
	if (xdg == NULL || xdg[0] != '/')
		return diag_fail(
			diag, ENOENT,
			"XDG_RUNTIME_DIR is not set: there is no place for a fabric's socket; "
			"export it, with the path of a directory of yours");
	if (snprintf(directory, API_PATH_MAX, "%s/roost", xdg) >= API_PATH_MAX)
		return diag_fail(diag, ENAMETOOLONG, "%s: the path is too long for a socket", xdg);
	return 0;
}

static int
socket_path_in(const char *directory, const char *name, char path[static API_PATH_MAX],
	       struct diag *diag)
{
	char why[SCALAR_WHY];

	if (scalar_name(name, why) != 0)
		return diag_fail(diag, EINVAL, "%s", why);
	if (snprintf(path, API_PATH_MAX, "%s/%s" SUFFIX, directory, name) >= API_PATH_MAX)
		return diag_fail(diag, ENAMETOOLONG, "%s: the path is too long for a socket",
				 directory);
	return 0;
}

int
api_socket_path(const char *name, char path[static API_PATH_MAX], struct diag *diag)
{
	char directory[API_PATH_MAX];
	int status = runtime_directory(directory, diag);

	return status != 0 ? status : socket_path_in(directory, name, path, diag);
}

static int
is_socket_name(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > strlen(SUFFIX) &&
	       strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) == 0;
}

// By the names of fabrics: "a" comes before "a-b", though "a.sock" does not.
static int
compare_names(const struct dirent **a, const struct dirent **b)
{
	const char *left = (*a)->d_name, *right = (*b)->d_name;
	size_t left_length = strlen(left) - strlen(SUFFIX);
	size_t right_length = strlen(right) - strlen(SUFFIX);
	int order = strncmp(left, right, left_length < right_length ? left_length : right_length);

	return order != 0 ? order : (left_length > right_length) - (left_length < right_length);
}

// Calls each() for every fabric of a directory that is up, in the order of their names. Returns 0,
// also if there is no such directory, or -errno with an error in diag.
static int
each_up(const char *directory, void (*each)(void *context, const char *name), void *context,
	struct diag *diag)
{
	struct dirent **entries;
	int found = scandir(directory, &entries, is_socket_name, compare_names);

	if (found < 0)
		return errno == ENOENT
			       ? 0
			       : diag_fail(diag, errno, "%s: %s%s", directory, strerror(errno),
					   errno == EACCES ? ": " HOW_TO_READ : "");
	for (int i = 0; i < found; i++) {
		char *name = entries[i]->d_name, path[API_PATH_MAX];
		struct diag ignored = {0};

		name[strlen(name) - strlen(SUFFIX)] = '\0';
		if (socket_path_in(directory, name, path, &ignored) == 0 &&
		    listener_probe(path) == 0)
			each(context, name);
		diag_free(&ignored);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

static void
add_found(void *context, const char *name)
{
	struct found *f = context;
	size_t used = strlen(f->names);

	snprintf(f->names + used, sizeof(f->names) - used, "%s%s", used != 0 ? " " : "", name);
	f->count++;
}

static int
find_named(const char *directory, const char *name, char path[static API_PATH_MAX],
	   struct diag *diag)
{
	struct found up = {0};
	int status = socket_path_in(directory, name, path, diag);

	if (status != 0)
		return status;
	status = listener_probe(path);
	if (status == -EACCES)
		return diag_fail(diag, EACCES, "fabric %s belongs to somebody else: " HOW_TO_READ,
				 name);
	if (status == 0 || each_up(directory, add_found, &up, diag) != 0)
		return status == 0 ? 0 : -ENOENT;
	return diag_fail(diag, ENOENT, "fabric %s is not up%s%s", name,
			 up.count != 0 ? "; up: " : "", up.names);
}

void
api_socket_list(void (*each)(void *context, const char *name), void *context)
{
	char directory[API_PATH_MAX];
	struct diag ignored = {0};

	if (runtime_directory(directory, &ignored) == 0)
		each_up(directory, each, context, &ignored);
	diag_free(&ignored);
}

struct each_socket {
	const char *directory;
	void (*each)(void *context, const char *name, const char *path);
	void *context;
};

static void
pass_socket(void *context, const char *name)
{
	const struct each_socket *e = context;
	char path[API_PATH_MAX];
	struct diag ignored = {0};

	if (socket_path_in(e->directory, name, path, &ignored) == 0)
		e->each(e->context, name, path);
	diag_free(&ignored);
}

void
api_socket_each(void (*each)(void *context, const char *name, const char *path), void *context)
{
	char own[API_PATH_MAX];
	struct diag ignored = {0};
	struct each_socket e = {own, each, context};

	if (runtime_directory(own, &ignored) == 0)
		each_up(e.directory, pass_socket, &e, &ignored);
	e.directory = SYSTEM_DIRECTORY;
	if (geteuid() != 0)
		each_up(e.directory, pass_socket, &e, &ignored);
	diag_free(&ignored);
}

int
api_socket_find_in(const char *directory, const char *name, char path[static API_PATH_MAX],
		   struct diag *diag)
{
	struct found up = {0};
	int status;

	if (name != NULL)
		return find_named(directory, name, path, diag);
	status = each_up(directory, add_found, &up, diag);
	if (status != 0)
		return status;
	if (up.count == 1)
		return socket_path_in(directory, up.names, path, diag);
	if (up.count == 0)
		return diag_fail(diag, ENOENT, "no fabric is up: \"roost up FILE\" brings one up");
	return diag_fail(diag, EEXIST, "several fabrics are up (%s): pick one with -f NAME",
			 up.names);
}

const char *
api_socket_name(const char *given)
{
	const char *variable = getenv("ROOST_FABRIC");

	if (given != NULL)
		return given;
	return variable != NULL && variable[0] != '\0' ? variable : NULL;
}

static void
fail_for_user(const char *name, struct diag *diag)
{
	static const char *const roots = "for one of root's: sudo roost ...";

	if (name != NULL)
		diag_fail(diag, ENOENT, "no fabric %s of yours is up; %s", name, roots);
	else
		diag_fail(diag, ENOENT,
			  "no fabric of yours is up: \"roost up FILE\" brings one up; %s", roots);
}

// A user who has no such fabric may be a reader of root's.
int
api_socket_find(const char *name, char path[static API_PATH_MAX], struct diag *diag)
{
	char directory[API_PATH_MAX];
	struct diag own = {0}, roots = {0};
	const struct diag *errors = &own;
	int status = runtime_directory(directory, &own), theirs = -ENOENT;

	if (status == 0)
		status = api_socket_find_in(directory, name, path, &own);
	if (status == -ENOENT && geteuid() != 0)
		theirs = api_socket_find_in(SYSTEM_DIRECTORY, name, path, &roots);
	if (theirs == 0 || theirs == -EEXIST || theirs == -EACCES) {
		status = theirs;
		errors = &roots;
	}
	if (status == -ENOENT && geteuid() != 0)
		fail_for_user(name, diag);
	else if (status != 0)
		diag_fail(diag, -status, "%s", diag_first_error(errors));
	diag_free(&own);
	diag_free(&roots);
	return status;
}

int
api_socket_exit_status(int rc)
{
	if (rc == 0)
		return EXIT_OK;
	return rc == -EINVAL || rc == -EEXIST ? EXIT_USAGE : EXIT_FAILED;
}
