// SPDX-License-Identifier: BSD-3-Clause
#include "file.h"

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *
file_beside(const char *config_file, const char *name)
{
	const char *slash = strrchr(config_file, '/');
	size_t folder = slash != NULL ? (size_t)(slash - config_file) + 1 : 0;
	char *path;

	if (name[0] == '/' || folder == 0)
		return memory_text(name);
	path = memory_format("%.*s%s", (int)folder, config_file, name);
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return memory_text(name);
}

char *
file_state_directory(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state != NULL && state[0] == '/')
		return memory_format("%s/roost", state);
	if (home != NULL && home[0] == '/')
		return memory_format("%s/.local/state/roost", home);
	return NULL;
}

static int
make_directory(const char *path, mode_t mode)
{
	char *copy;
	int fd, rc;

	if (mkdir(path, mode) != 0)
		return errno == EEXIST ? 0 : -errno;
	copy = memory_text(path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 || fsync(fd) != 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	free(copy);
	return rc;
}

int
file_make_directories(const char *path, mode_t mode, mode_t above)
{
	char *copy = memory_text(path), *slash = copy;
	int rc = 0;

	while (rc == 0 && (slash = strchr(slash + 1, '/')) != NULL) {
		*slash = '\0';
		rc = make_directory(copy, above);
		*slash = '/';
	}
	free(copy);
	return rc == 0 ? make_directory(path, mode) : rc;
}

// Reads all of an open file, and closes it.
static int
read_stream(FILE *file, size_t max, char **out, size_t *out_length)
{
	size_t length = 0, room = 65536, got;
	char *text = NULL;
	int result = 0;

	do {
		text = memory_resize(text, room, 1, "bytes");
		got = fread(text + length, 1, room - length, file);
		length += got;
		if (length == room)
			room *= 2;
	} while (got > 0 && length <= max);
	if (ferror(file))
		result = errno != 0 ? -errno : -EIO;
	fclose(file);
	if (result < 0) {
		free(text);
		return result;
	}
	*out = text;
	*out_length = length;
	return 0;
}

static bool pipes_refused;

void
file_refuse_pipes(void)
{
	pipes_refused = true;
}

int
file_read(const char *path, size_t max, char **out, size_t *out_length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | (pipes_refused ? O_NONBLOCK : 0));
	struct stat is;
	FILE *file;

	if (fd < 0)
		return -errno;
	if (pipes_refused && (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode))) {
		close(fd);
		return -ENOTSUP;
	}
	file = fdopen(fd, "r");
	if (file == NULL) {
		close(fd);
		return -ENOMEM;
	}
	return read_stream(file, max, out, out_length);
}

int
file_read_at(int directory, const char *name, size_t max, char **out, size_t *out_length)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), rc = 0;
	struct stat is;
	FILE *file;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &is) != 0)
		rc = -errno;
	else if (!S_ISREG(is.st_mode))
		rc = -EINVAL;
	file = rc == 0 ? fdopen(fd, "r") : NULL;
	if (file != NULL)
		return read_stream(file, max, out, out_length);
	close(fd);
	return rc != 0 ? rc : -ENOMEM;
}

int
file_temporary_name(char temporary[static NAME_MAX + 1], const char *name)
{
	return snprintf(temporary, NAME_MAX + 1, ".%s.new", name) <= NAME_MAX ? 0 : -ENAMETOOLONG;
}

int
file_sync(int directory, const char *temporary)
{
	int fd = openat(directory, temporary, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	rc = fsync(fd) == 0 ? 0 : -errno;
	close(fd);
	return rc;
}

static int
write_all(int fd, const struct file_part *part)
{
	for (size_t done = 0; done < part->length;) {
		ssize_t wrote = write(fd, part->text + done, part->length - done);

		if (wrote < 0 && errno != EINTR)
			return -errno;
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	return 0;
}

int
file_prepare(int directory, const char *temporary, const struct file_rights *rights,
	     const struct file_part *parts, unsigned count)
{
	int rc = 0, fd;

	if (unlinkat(directory, temporary, 0) != 0 && errno != ENOENT)
		return -errno;
	fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    rights->mode & 0700);
	if (fd < 0)
		return -errno;
	for (unsigned i = 0; rc == 0 && i < count; i++)
		rc = write_all(fd, &parts[i]);
	// Only root can give a file away.
	if (rc == 0 && fchown(fd, rights->owner, rights->group) != 0 && errno != EPERM)
		rc = -errno;
	if (rc == 0 && (fchmod(fd, rights->mode) != 0 || fsync(fd) != 0))
		rc = -errno;
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc != 0)
		unlinkat(directory, temporary, 0);
	return rc;
}

int
file_commit(int directory, const char *temporary, const char *name)
{
	if (renameat(directory, temporary, directory, name) != 0)
		return -errno;
	return fsync(directory) == 0 ? 0 : -errno;
}

// NAME~ becomes what NAME is, without a moment in which NAME is not there.
static int
keep_old(int directory, const char *name, char *kept, size_t size)
{
	if ((size_t)snprintf(kept, size, "%s~", name) >= size)
		return -ENAMETOOLONG;
	if (unlinkat(directory, kept, 0) != 0 && errno != ENOENT)
		return -errno;
	return linkat(directory, name, directory, kept, 0) == 0 ? 0 : -errno;
}

static int
replace_in(int directory, const char *name, const struct file_part *parts, unsigned count,
	   int *kept)
{
	struct file_rights rights = {0644, FILE_OWN, FILE_OWN};
	char temporary[NAME_MAX + 1], old[NAME_MAX + 1];
	struct stat was;
	int rc = file_temporary_name(temporary, name);

	if (rc != 0)
		return rc;
	*kept = fstatat(directory, name, &was, 0) == 0;
	if (*kept && !S_ISREG(was.st_mode))
		return S_ISDIR(was.st_mode) ? -EISDIR : -EEXIST;
	if (*kept)
		rights = (struct file_rights){was.st_mode & 07777, was.st_uid, was.st_gid};
	rc = file_prepare(directory, temporary, &rights, parts, count);
	if (rc != 0)
		return rc;
	if (*kept)
		rc = keep_old(directory, name, old, sizeof(old));
	if (rc == 0)
		rc = file_commit(directory, temporary, name);
	if (rc != 0)
		unlinkat(directory, temporary, 0);
	return rc;
}

int
file_replace(const char *path, const struct file_part *parts, unsigned count, int *kept)
{
	char *real = realpath(path, NULL), *folder, *name;
	int directory, rc;

	*kept = 0;
	if (real == NULL && errno != ENOENT)
		return -errno;
	folder = memory_text(real != NULL ? real : path);
	name = memory_text(real != NULL ? real : path);
	free(real);
	directory = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = directory < 0 ? -errno : replace_in(directory, basename(name), parts, count, kept);
	if (directory >= 0)
		close(directory);
	free(folder);
	free(name);
	return rc;
}
