// SPDX-License-Identifier: BSD-3-Clause
#include "output.h"

#include "file.h"
#include "gzip.h"
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Makes a directory unless it exists. Returns 0 or -errno.
static int
make_directory(const char *path)
{
	struct stat is;

	if (mkdir(path, 0777) == 0 ||
	    (errno == EEXIST && stat(path, &is) == 0 && S_ISDIR(is.st_mode)))
		return 0;
	return errno == EEXIST ? -ENOTDIR : -errno;
}

static void
discard(void *o)
{
	output_discard(o);
}

int
output_open(struct output *o, const char *directory)
{
	bool made = access(directory, F_OK) != 0;
	int rc;

	*o = (struct output){0};
	memory_at_exhaustion(discard, o);
	rc = make_directory(directory);
	if (rc != 0)
		return diag_fail(&o->diag, -rc, "%s: %s", directory, strerror(-rc));
	o->directory = directory;
	o->made = made;
	return 0;
}

static struct output_file *
add(struct output *o, const char *name)
{
	struct output_file *file = memory_new(sizeof(*file), "output file");

	o->files = memory_grow(o->files, o->count, sizeof(struct output_file *), "output files");
	o->files[o->count++] = file;
	file->name = memory_text(name);
	file->path = memory_format("%s/%s", o->directory, name);
	return file;
}

int
output_fail(struct output *o, const struct output_file *file, int error)
{
	return diag_fail(&o->diag, -error, "%s: %s", file->path, strerror(-error));
}

// Renaming needs only the directory's permission, but who has write-protected a file wants to keep
// it.
static int
check_replaceable(struct output *o, const struct output_file *file)
{
	struct stat is;
	int rc = 0;

	if (stat(file->path, &is) == 0)
		rc = S_ISDIR(is.st_mode) ? -EISDIR : access(file->path, W_OK) != 0 ? -errno : 0;
	else if (errno != ENOENT || access(o->directory, W_OK | X_OK) != 0)
		rc = -errno;
	return rc == 0 ? 0 : output_fail(o, file, rc);
}

int
output_add(struct output *o, const char *name, const struct output_file **file)
{
	struct output_file *added = add(o, name);
	char temporary[NAME_MAX + 1];
	int rc = file_temporary_name(temporary, name);

	*file = added;
	if (rc != 0)
		return output_fail(o, added, rc);
	added->temporary = memory_format("%s/%s", o->directory, temporary);
	return check_replaceable(o, added);
}

int
output_add_removal(struct output *o, const char *name)
{
	return check_replaceable(o, add(o, name));
}

int
output_add_table(struct output *o, const char *name, struct output_table *table)
{
	char *compressed = memory_format("%s.gz", name);
	int rc = output_add_removal(o, o->gzip ? name : compressed);

	*table = (struct output_table){0};
	if (rc == 0)
		rc = output_add(o, o->gzip ? compressed : name, &table->file);
	free(compressed);
	if (rc != 0)
		return rc;
	table->to = o->gzip ? gzip_open(table->file->temporary)
			    : fopen(table->file->temporary, "we");
	return table->to != NULL ? 0 : output_fail(o, table->file, -errno);
}

int
output_add_table_removal(struct output *o, const char *name)
{
	char *compressed = memory_format("%s.gz", name);
	int rc = output_add_removal(o, name);

	if (rc == 0)
		rc = output_add_removal(o, compressed);
	free(compressed);
	return rc;
}

void
output_check_table(struct output_table *table)
{
	if (table->error == 0 && ferror(table->to))
		table->error = errno != 0 ? -errno : -EIO;
}

int
output_close_table(struct output *o, struct output_table *table)
{
	int rc;

	if (table->to == NULL)
		return 0;
	output_check_table(table);
	rc = table->error;
	if (fclose(table->to) != 0 && rc == 0)
		rc = -errno;
	table->to = NULL;
	return rc == 0 ? 0 : output_fail(o, table->file, rc);
}

static int
sync_all(struct output *o, int directory)
{
	for (unsigned int i = 0; i < o->count; i++) {
		const struct output_file *file = o->files[i];
		int rc = file->temporary != NULL ? file_sync(directory, basename(file->temporary))
						 : 0;

		if (rc != 0)
			return output_fail(o, file, rc);
	}
	return 0;
}

static int
move(struct output *o, int directory, struct output_file *file)
{
	char *committed;
	int rc = 0;

	if (file->temporary != NULL)
		rc = file_commit(directory, basename(file->temporary), file->name);
	else if (unlinkat(directory, file->name, 0) != 0 && errno != ENOENT)
		rc = -errno;
	if (rc != 0)
		return output_fail(o, file, rc);
	committed = file->temporary;
	file->temporary = NULL; // first: a signal may have it discarded
	free(committed);
	return 0;
}

int
output_commit(struct output *o)
{
	int directory = open(o->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	if (directory < 0)
		return diag_fail(&o->diag, errno, "%s: %s", o->directory, strerror(errno));
	rc = sync_all(o, directory);
	for (unsigned int i = 0; rc == 0 && i < o->count; i++)
		rc = move(o, directory, o->files[i]);
	close(directory);
	return rc;
}

void
output_discard(const struct output *o)
{
	for (unsigned int i = 0; i < o->count; i++)
		if (o->files[i]->temporary != NULL)
			unlink(o->files[i]->temporary);
	if (o->made)
		rmdir(o->directory); // fails, as it should, if there is anything
}

void
output_close(struct output *o)
{
	output_discard(o);
	for (unsigned int i = 0; i < o->count; i++) {
		struct output_file *file = o->files[i];

		free(file->temporary);
		free(file->path);
		free(file->name);
		free(file);
	}
	free(o->files);
	diag_free(&o->diag);
	*o = (struct output){0};
	memory_at_exhaustion(NULL, NULL);
}
