// SPDX-License-Identifier: BSD-3-Clause
// roost migrate: give the keys of a file of an earlier version their present names.
#include "cli.h"

#include "control/base/file.h"
#include "control/base/memory.h"
#include "control/edit/rewrite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct migration {
	const char *file; // that is read
	const char *out;  // that is written
	struct rewrite rewrite;
	char *kept; // where what `out` was is now; NULL: it is new
};

static json_t *
describe_change(const struct format_change *change)
{
	const struct format_row *row = change->row;
	json_t *one = json_pack("{s:i,s:i,s:s}", "line", (int)change->pos.line, "column",
				(int)change->pos.column, "key", change->path);

	if (row->kind == FORMAT_DEFAULT) {
		json_object_set_new(one, "note", json_string(row->now));
	} else {
		json_object_set_new(one, "from", json_string(row->was));
		json_object_set_new(one, "to", json_string(row->now));
	}
	return one;
}

static void
print_json(const struct migration *m)
{
	const struct format_changes *changes = &m->rewrite.changes;
	json_t *renamed = json_array(), *notes = json_array();
	json_t *answer = json_pack("{s:s,s:b,s:b}", "file", m->out, "changed",
				   m->rewrite.text != NULL, "version-added", m->rewrite.marked);

	for (unsigned i = 0; i < changes->count; i++)
		json_array_append_new(changes->items[i].row->kind == FORMAT_DEFAULT ? notes
										    : renamed,
				      describe_change(&changes->items[i]));
	json_object_set_new(answer, "changes", renamed);
	json_object_set_new(answer, "notes", notes);
	if (m->kept != NULL)
		json_object_set_new(answer, "kept", json_string(m->kept));
	cli_print_json(answer);
	json_decref(answer);
}

static void
print_text(const struct migration *m)
{
	for (unsigned i = 0; i < m->rewrite.changes.count; i++) {
		const struct format_change *change = &m->rewrite.changes.items[i];
		const struct format_row *row = change->row;

		printf("%s:%u:%u: %s: ", m->file, change->pos.line, change->pos.column,
		       change->path);
		if (row->kind == FORMAT_DEFAULT)
			printf("note: %s\n", row->now);
		else
			printf("%s is %s now\n", row->was, row->now);
	}
	if (m->rewrite.text == NULL)
		printf("%s: nothing to change\n", m->file);
	if (m->rewrite.text != NULL || m->out != m->file)
		printf("wrote %s%s%s%s\n", m->out,
		       m->rewrite.marked ? ", with version: " FORMAT_VERSION_TEXT : "",
		       m->kept != NULL ? "; the old file is " : "", m->kept != NULL ? m->kept : "");
}

static bool
is_link(const char *path)
{
	struct stat is;

	return lstat(path, &is) == 0 && S_ISLNK(is.st_mode);
}

// A file that is already as it should be stays as it is, but OUT is written all the same.
static int
write_file(struct migration *m, const char *text, size_t length)
{
	const struct file_part part = {text, length};
	int kept = 0, rc;

	if (m->rewrite.text == NULL && m->out == m->file)
		return 0;
	// Renaming needs only the directory's permission, but who has write-protected a file wants
	// to keep it.
	if (access(m->out, F_OK) == 0 && access(m->out, W_OK) != 0)
		return -errno;
	rc = file_replace(m->out, &part, 1, &kept);
	if (kept != 0) {
		char *real = realpath(m->out, NULL); // beside what a symbolic link points to

		m->kept = memory_format("%s~", real != NULL && is_link(m->out) ? real : m->out);
		free(real);
	}
	return rc;
}

static int
migrate_text(struct migration *m, const struct cli_args *args, const char *text, size_t length)
{
	const struct rewrite *r = &m->rewrite;
	struct diag diag = {0};
	int rc = rewrite_text(&m->rewrite, text, length, m->file, &diag);

	diag_print(&diag, stderr);
	diag_free(&diag);
	if (rc != 0)
		return EXIT_USAGE;
	rc = write_file(m, r->text != NULL ? r->text : text, r->text != NULL ? r->length : length);
	if (rc != 0) {
		fprintf(stderr, "%s: %s: cannot be written: %s\n", args->title, m->out,
			strerror(-rc));
		return EXIT_FAILED;
	}
	if (cli_wants_json(args))
		print_json(m);
	else
		print_text(m);
	return EXIT_OK;
}

static int
migrate(const struct cli_args *args)
{
	struct migration m = {.file = cli_text(args, "FILE"), .out = cli_text(args, "OUT")};
	size_t length;
	char *text;
	int status, rc = file_read(m.file, YAML_TREE_BYTES_MAX, &text, &length);

	if (rc != 0) {
		fprintf(stderr, "%s: %s: cannot be read: %s\n", args->title, m.file, strerror(-rc));
		return EXIT_USAGE;
	}
	if (m.out == NULL)
		m.out = m.file;
	status = migrate_text(&m, args, text, length);
	rewrite_free(&m.rewrite);
	free(m.kept);
	free(text);
	return status;
}

const struct cli_command command_migrate = {
	.name = "migrate",
	.help = "rewrite a file of an earlier version with the present names of keys",
	.details =
		"Comments and layout stay. Without OUT, FILE itself is replaced, and the old "
		"file is kept as FILE~.\n"
		"Lists each key that was renamed, and each key whose default has changed since.\n",
	.forms = {{{{CLI_FILE}, {CLI_FILE, "OUT", .optional = true}}}},
	.options = {CLI_OUTPUT_OPTION},
	.run = migrate,
};
