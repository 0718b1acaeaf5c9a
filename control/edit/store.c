// SPDX-License-Identifier: BSD-3-Clause
// A revision is a file, N.yaml: a few lines of comment that say when, who and what
// (store_internal.h), and the full configuration. The last one is the fabric's. Nothing is changed
// in place: a revision is written under another name, synced to disk, and renamed. So a reader at
// any time, and a restart after a crash at any time, finds either the last revision or the new one.
// A crash can leave the file under the other name, which the next writer removes, and more
// revisions than are kept, which the next commit removes.
#include "store.h"

#include "control/base/file.h"
#include "control/base/memory.h"
#include "control/config/scalar.h"
#include "store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
	char *path;
};

// "PATH: why not". Returns error, a -errno.
static int
fail(int error, const char *path, struct diag *diag)
{
	return diag_fail(diag, -error, "%s: %s", path, strerror(-error));
}

// Finds the directory of a fabric. *out is for free().
static int
find_directory(const char *name, char **out, struct diag *diag)
{
	const char *all = getenv("ROOST_STATE");
	char why[SCALAR_WHY], *own = NULL;

	if (scalar_name(name, why) != 0)
		return diag_fail(diag, EINVAL, "%s", why);
	if ((all == NULL || all[0] == '\0') && geteuid() == 0)
		all = "/var/lib/roost";
	else if (all == NULL || all[0] == '\0')
		all = own = file_state_directory();
	if (all == NULL)
		return diag_fail(diag, ENOENT,
				 "no directory for revisions: set XDG_STATE_HOME or HOME");
	*out = memory_format("%s/%s", all, name);
	free(own);
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

static int
open_directory(struct store *store, bool to_write)
{
	// Only the fabric's owner may read its directory.
	int rc = to_write ? file_make_directories(store->path, 0700, 0755) : 0;

	if (rc != 0)
		return rc;
	store->directory = open(store->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (store->directory < 0)
		return -errno;
	if (to_write && flock(store->directory, LOCK_EX | LOCK_NB) != 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (to_write && unlinkat(store->directory, TEMPORARY, 0) != 0 && errno != ENOENT)
		return -errno;
	return find_last(store);
}

static int
open_store(struct store **out, const char *name, bool to_write, struct diag *diag)
{
	struct store *store = memory_new(sizeof(*store), "revisions");
	int rc = find_directory(name, &store->path, diag);

	*out = NULL;
	store->directory = -1;
	if (rc == 0) {
		rc = strlen(store->path) + NUMBERS_NAME < STORE_FILE_MAX
			     ? open_directory(store, to_write)
			     : -ENAMETOOLONG;
		if (!to_write && (rc == -ENOENT || (rc == 0 && store->last == 0)))
			rc = diag_fail(diag, ENOENT, "there are no revisions of a fabric %s", name);
		else if (rc != 0)
			fail(rc, store->path, diag);
	}
	if (rc != 0)
		store_close(store);
	else
		*out = store;
	return rc;
}

int
store_open(struct store **out, const char *name, struct diag *diag)
{
	return open_store(out, name, false, diag);
}

int
store_open_to_write(struct store **out, const char *name, struct diag *diag)
{
	return open_store(out, name, true, diag);
}

void
store_close(struct store *store)
{
	if (store == NULL)
		return;
	if (store->directory >= 0)
		close(store->directory);
	free(store->path);
	free(store);
}

// Removes the oldest revisions. What cannot be removed now, the next commit tries again.
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
	     struct diag *diag)
{
	char header[HEADER_MAX], name[NUMBERS_NAME];
	struct file_part parts[2] = {{.text = header}, {text, length}};
	int rc;

	if (store->last == UINT32_MAX || length > STORE_TEXT_MAX)
		return fail(-EFBIG, store->path, diag);
	revision->number = store->last + 1;
	revision->bytes = length;
	parts[0].length = header_write(revision, header);
	numbers_name(revision->number, name);
	rc = file_prepare(store->directory, TEMPORARY,
			  &(struct file_rights){0600, FILE_OWN, FILE_OWN}, parts, 2);
	if (rc == 0) {
		rc = file_commit(store->directory, TEMPORARY, name);
		// A rename that may not have reached the disk is taken back: a commit that failed
		// must not be found.
		if (rc != 0) {
			unlinkat(store->directory, TEMPORARY, 0);
			unlinkat(store->directory, name, 0);
		}
	}
	if (rc != 0)
		return diag_fail(diag, -rc, "%s/%s: %s", store->path, name, strerror(-rc));
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

	numbers_name(number, name);
	snprintf(path, STORE_FILE_MAX, "%s/%s", store->path, name);
}

// Reads the beginning of a revision and checks that it is of that revision.
static int
read_header(const struct store *store, uint32_t number, struct store_revision *out)
{
	char name[NUMBERS_NAME], text[HEADER_MAX];
	struct stat is;
	ssize_t got;
	int fd;

	numbers_name(number, name);
	fd = openat(store->directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	got = fstat(fd, &is) == 0 && S_ISREG(is.st_mode) ? read(fd, text, sizeof(text)) : -1;
	close(fd);
	return got > 0 && header_read(out, text, (size_t)got) > 0 && out->number == number
		       ? 0
		       : -EBADMSG;
}

int
store_list(const struct store *store, struct store_revision **out, unsigned *count,
	   struct diag *diag)
{
	uint32_t *numbers;
	unsigned found;
	int rc = numbers_list(store->directory, &numbers, &found);

	*out = NULL;
	*count = 0;
	if (rc != 0)
		return fail(rc, store->path, diag);
	*out = memory_array(found, sizeof(**out), "revisions");
	for (unsigned i = 0; i < found; i++)
		*count += read_header(store, numbers[i], &(*out)[*count]) == 0;
	free(numbers);
	return 0;
}

// A reader of YAML may refuse the comments: a path can contain any bytes.
static void
blank(char *header, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (header[i] != '\n')
			header[i] = ' ';
}

// Whether a text is all of the revision that it should be. Returns the length of its comments, or
// -EBADMSG.
static ssize_t
check_text(const char *text, size_t length, int64_t number, struct store_revision *out)
{
	ssize_t header = header_read(out, text, length);
	size_t rest = header > 0 ? length - (size_t)header : 0;

	if (rest == 0 || rest < out->bytes || out->number != number)
		return -EBADMSG;
	// The text itself has no comments: this is the beginning of the line with its length.
	return out->bytes == 0 && text[header] == '#' ? -EBADMSG : header;
}

int
store_read(const struct store *store, int64_t number, struct store_revision *out, char **text,
	   size_t *length, struct diag *diag)
{
	bool valid = number > 0 && number <= UINT32_MAX;
	char name[NUMBERS_NAME], path[STORE_FILE_MAX];
	ssize_t header;
	int rc = -ENOENT;

	if (valid) {
		store_path(store, (uint32_t)number, path);
		numbers_name((uint32_t)number, name);
		rc = file_read_at(store->directory, name, STORE_TEXT_MAX + HEADER_MAX, text,
				  length);
	}
	if (rc == -ENOENT)
		return diag_fail(diag, ENOENT, "there is no revision %" PRId64, number);
	if (rc == -EINVAL || rc == -ELOOP)
		return diag_fail(diag, -rc, "%s: it is not a regular file", path);
	if (rc != 0)
		return fail(rc, path, diag);
	header = check_text(*text, *length, number, out);
	if (header > 0) {
		blank(*text, (size_t)header);
		return 0;
	}
	free(*text);
	*text = NULL;
	return diag_fail(diag, EBADMSG, "%s: the revision is damaged, or was cut short", path);
}

int
store_read_last(const struct store *store, struct store_revision *out, char **text, size_t *length,
		struct diag *diag)
{
	uint32_t *numbers;
	unsigned count;
	int rc = numbers_list(store->directory, &numbers, &count), last = -ENOENT;

	*text = NULL;
	if (rc != 0)
		return fail(rc, store->path, diag);
	while (count-- > 0) {
		rc = store_read(store, numbers[count], out, text, length, diag);
		if (rc == 0)
			break;
		last = last == -ENOENT ? rc : last;
	}
	free(numbers);
	return rc == 0 && *text != NULL ? 0 : last;
}
