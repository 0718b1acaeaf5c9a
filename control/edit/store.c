// SPDX-License-Identifier: BSD-3-Clause
// A revision is a file, N.yaml: a few lines of comment that say when, who and what (header.h), and
// the whole configuration. The last one is the fabric's. Nothing is ever changed in place: a
// revision is written under another name, brought to disk, and renamed; the rename is the instant
// from which it is there, so a reader at any time, and a restart after a crash at any time,
// finds the last revision as it was or the new one. What a crash can leave is the file under the
// other name, which the next writer removes, and revisions beyond those kept, which the next commit
// removes.
#include "store.h"

#include "control/config/scalar.h"
#include "store_internal.h"
#include "control/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY ".new"

struct store {
	int directory;
	uint32_t last;
	char path[STORE_FILE_MAX];
};

static int fail(int error, char *err, size_t err_size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

// "PLACE: why not". Returns error.
static int
fail(int error, char *err, size_t err_size, const char *format, ...)
{
	va_list args;
	size_t used;

	va_start(args, format);
	vsnprintf(err, err_size, format, args);
	va_end(args);
	used = strlen(err);
	snprintf(err + used, err_size - used, ": %s", strerror(-error));
	return error;
}

// Where the directories of all fabrics are.
static int
state_directory(char path[static STORE_FILE_MAX], char *err, size_t err_size)
{
	const char *given = getenv("ROOST_STATE"), *xdg = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	int length = STORE_FILE_MAX;

	if (given != NULL && given[0] != '\0')
		length = snprintf(path, STORE_FILE_MAX, "%s", given);
	else if (geteuid() == 0)
		length = snprintf(path, STORE_FILE_MAX, "/var/lib/roost");
	else if (xdg != NULL && xdg[0] == '/')
		length = snprintf(path, STORE_FILE_MAX, "%s/roost", xdg);
	else if (home != NULL && home[0] == '/')
		length = snprintf(path, STORE_FILE_MAX, "%s/.local/state/roost", home);
	else {
		snprintf(err, err_size,
			 "neither XDG_STATE_HOME nor HOME is set: there is no place for revisions");
		return -ENOENT;
	}
	if (length >= STORE_FILE_MAX - CONFIG_NAME_MAX - NUMBERS_NAME - 2) {
		snprintf(err, err_size, "the path of the place for revisions is too long");
		return -ENAMETOOLONG;
	}
	return 0;
}

int
store_directory(const char *name, char path[static STORE_FILE_MAX], char *err, size_t err_size)
{
	char why[SCALAR_WHY];
	size_t used;
	int rc;

	if (scalar_name(name, why) != 0) {
		snprintf(err, err_size, "%s", why);
		return -EINVAL;
	}
	rc = state_directory(path, err, err_size);
	if (rc != 0)
		return rc;
	used = strlen(path);
	snprintf(path + used, STORE_FILE_MAX - used, "/%s", name);
	return 0;
}

static int
find_last(struct store *store)
{
	uint32_t *numbers;
	unsigned count;
	int rc = numbers_list(store->directory, &numbers, &count);

	if (rc == 0 && count != 0)
		store->last = numbers[count - 1];
	free(numbers);
	return rc;
}

// Has the name of a path on disk: its directory.
static int
sync_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char above[STORE_FILE_MAX];
	int fd, rc;

	snprintf(above, sizeof(above), "%.*s", slash != NULL ? (int)(slash - path) + 1 : 1,
		 slash != NULL ? path : ".");
	fd = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = fsync(fd) != 0 ? -errno : 0;
	close(fd);
	return rc;
}

static int
make_directory(const char *path, mode_t mode)
{
	if (mkdir(path, mode) != 0)
		return errno == EEXIST ? 0 : -errno;
	return sync_name(path);
}

// Makes a path and what is above it. Only the fabric's owner may look into the last.
static int
make_directories(const char *path)
{
	char copy[STORE_FILE_MAX];
	int rc;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		rc = make_directory(copy, 0755);
		if (rc != 0)
			return rc;
		*slash = '/';
	}
	return make_directory(copy, 0700);
}

static int
open_store(struct store **out, const char *name, bool to_write, char *err, size_t err_size)
{
	struct store *store = calloc(1, sizeof(*store));
	int rc = 0;

	*out = NULL;
	if (store == NULL)
		return fail(-ENOMEM, err, err_size, "%s", name);
	store->directory = -1;
	rc = store_directory(name, store->path, err, err_size);
	if (rc != 0) {
		store_close(store);
		return rc;
	}
	if (to_write)
		rc = make_directories(store->path);
	if (rc == 0) {
		store->directory = open(store->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		rc = store->directory < 0 ? -errno : 0;
	}
	if (rc == 0 && to_write && flock(store->directory, LOCK_EX | LOCK_NB) != 0)
		rc = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (rc == 0 && to_write && unlinkat(store->directory, TEMPORARY, 0) != 0 && errno != ENOENT)
		rc = -errno;
	if (rc == 0)
		rc = find_last(store);
	if (rc != 0) {
		fail(rc, err, err_size, "%s", store->path);
		store_close(store);
		return rc;
	}
	*out = store;
	return 0;
}

int
store_open(struct store **out, const char *name, char *err, size_t err_size)
{
	int rc = open_store(out, name, false, err, err_size);

	if (rc == 0 && (*out)->last == 0) {
		store_close(*out);
		*out = NULL;
		rc = -ENOENT;
	}
	if (rc == -ENOENT)
		snprintf(err, err_size, "there are no revisions of a fabric %s", name);
	return rc;
}

int
store_open_to_write(struct store **out, const char *name, char *err, size_t err_size)
{
	return open_store(out, name, true, err, err_size);
}

void
store_close(struct store *store)
{
	if (store == NULL)
		return;
	if (store->directory >= 0)
		close(store->directory);
	free(store);
}

// What is left of this in a directory where something fails is tried again by the next commit.
static void
drop_old(const struct store *store)
{
	uint32_t *numbers;
	unsigned count;

	if (numbers_list(store->directory, &numbers, &count) != 0)
		return;
	for (unsigned i = 0; i + STORE_KEPT < count; i++) {
		char name[NUMBERS_NAME];

		numbers_name(numbers[i], name);
		unlinkat(store->directory, name, 0);
	}
	free(numbers);
}

int
store_commit(struct store *store, struct store_revision *revision, const char *text, size_t length,
	     char *err, size_t err_size)
{
	char header[HEADER_MAX], name[NUMBERS_NAME];
	struct file_part parts[2] = {{.text = header}, {text, length}};
	int rc;

	if (store->last == UINT32_MAX || length > STORE_TEXT_MAX)
		return fail(-EFBIG, err, err_size, "%s", store->path);
	revision->number = store->last + 1;
	parts[0].length = header_write(revision, header);
	numbers_name(revision->number, name);
	rc = file_prepare(store->directory, TEMPORARY, 0600, parts, 2);
	if (rc == 0) {
		rc = file_commit(store->directory, TEMPORARY, name);
		// A rename that may not have reached the disk is taken back: what is not done must
		// not be found.
		if (rc != 0) {
			unlinkat(store->directory, TEMPORARY, 0);
			unlinkat(store->directory, name, 0);
		}
	}
	if (rc != 0)
		return fail(rc, err, err_size, "%s/%s", store->path, name);
	store->last = revision->number;
	drop_old(store);
	return 0;
}

uint32_t
store_last(const struct store *store)
{
	return store->last;
}

void
store_path(const struct store *store, uint32_t number, char path[static STORE_FILE_MAX])
{
	char name[NUMBERS_NAME];
	size_t used = strlen(store->path);

	numbers_name(number, name);
	memcpy(path, store->path, used);
	snprintf(path + used, STORE_FILE_MAX - used, "/%s", name);
}

// Reads the beginning of a revision and checks that it is of that revision.
static int
read_header(const struct store *store, uint32_t number, struct store_revision *out)
{
	char name[NUMBERS_NAME], text[HEADER_MAX];
	ssize_t got;
	int fd;

	numbers_name(number, name);
	fd = openat(store->directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text));
	close(fd);
	if (got < 0)
		return -errno;
	return header_read(out, text, (size_t)got) > 0 && out->number == number ? 0 : -EBADMSG;
}

int
store_list(const struct store *store, struct store_revision **out, unsigned *count, char *err,
	   size_t err_size)
{
	struct store_revision *list;
	uint32_t *numbers;
	unsigned found;
	int rc = numbers_list(store->directory, &numbers, &found);

	*out = NULL;
	*count = 0;
	if (rc != 0)
		return fail(rc, err, err_size, "%s", store->path);
	list = calloc(found + 1u, sizeof(*list));
	if (list == NULL) {
		free(numbers);
		return fail(-ENOMEM, err, err_size, "%s", store->path);
	}
	for (unsigned i = 0; i < found; i++)
		*count += read_header(store, numbers[i], &list[*count]) == 0;
	free(numbers);
	*out = list;
	return 0;
}

// What stands in comments may be no text that a reader of YAML takes: a path is any bytes.
static void
blank(char *header, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (header[i] != '\n')
			header[i] = ' ';
}

int
store_read(const struct store *store, uint32_t number, struct store_revision *out, char **text,
	   size_t *length, char *err, size_t err_size)
{
	char path[STORE_FILE_MAX];
	ssize_t header;
	int rc;

	store_path(store, number, path);
	rc = file_read(path, STORE_TEXT_MAX + HEADER_MAX, text, length);
	if (rc == -ENOENT) {
		snprintf(err, err_size, "there is no revision %" PRIu32, number);
		return rc;
	}
	if (rc != 0)
		return fail(rc, err, err_size, "%s", path);
	header = header_read(out, *text, *length);
	if (header > 0 && out->number == number) {
		blank(*text, (size_t)header);
		return 0;
	}
	free(*text);
	*text = NULL;
	return fail(-EBADMSG, err, err_size, "%s", path);
}
