// SPDX-License-Identifier: BSD-3-Clause
#include "lft_file.h"

#include "control/base/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 512
#define LIDS_MAX 0xc000 // unicast ones are below
#define PORT_NONE 255

struct lft_reader {
	struct config_lfts *lfts;
	struct arena *arena;
	const char *name;
	struct diag *diag;
	uint32_t line;
	bool only_count; // the first of two passes: how many tables and LIDs there are
	uint32_t tables;
};

static int
fail(struct lft_reader *r, const char *what)
{
	diag_error(r->diag, r->name, (struct diag_pos){r->line, 1}, NULL, "%s", what);
	return -EINVAL;
}

// The last name in quotes or parentheses of a line, without them; "" if there is none.
static void
find_name(char *line, char **out)
{
	char *end = line + strlen(line), *from;

	*out = end;
	while (end > line && strchr("'\"): \t", end[-1]) != NULL)
		*--end = '\0';
	from = end;
	while (from > line && strchr("'\"(", from[-1]) == NULL)
		from--;
	if (from > line)
		*out = from;
}

// A port of a host has the number that its GUID ends with, if the GUID is one of ours (agents.c).
static uint8_t
port_of_guid(const char *line)
{
	const char *found = strstr(line, "portguid 0x");
	uint64_t guid = found != NULL ? strtoull(found + strlen("portguid 0x"), NULL, 16) : 0;

	return guid >> 32 == UINT64_C(0x02726f6f) && (guid & 0xff) != 0 ? (uint8_t)(guid & 0xff)
									: 1;
}

static int
begin_table(struct lft_reader *r, char *line)
{
	struct config_lfts *lfts = r->lfts;
	struct config_lft *table;
	char *name;

	r->tables++;
	if (r->only_count)
		return 0;
	find_name(line, &name);
	if (name[0] == '\0')
		return fail(r, "a table needs the name of its switch, in parentheses");
	table = &lfts->tables[lfts->table_count++];
	table->name = arena_text(r->arena, name, strlen(name));
	table->line = r->line;
	table->ports = arena_alloc(r->arena, lfts->lid_count);
	memset(table->ports, PORT_NONE, lfts->lid_count);
	return 0;
}

static void
note_owner(struct lft_reader *r, uint32_t lid, char *line)
{
	struct config_lft_owner *owner = &r->lfts->owners[lid];
	const bool host = strstr(line, "Channel Adapter") != NULL;
	const uint8_t port = host ? port_of_guid(line) : 0;
	char *name;

	if (owner->name != NULL || (!host && strstr(line, "Switch") == NULL))
		return;
	find_name(line, &name);
	if (name[0] == '\0')
		return;
	owner->name = arena_text(r->arena, name, strlen(name));
	owner->port = port;
}

static int
read_entry(struct lft_reader *r, char *line)
{
	char *end;
	const unsigned long lid = strtoul(line, &end, 16);
	unsigned long port;

	if (lid == 0 || lid >= LIDS_MAX)
		return fail(r, "LID out of range: 0x0001 to 0xbfff");
	if (r->tables == 0)
		return fail(r, "entry before the first `Unicast lids` line");
	if (r->only_count) {
		if (lid >= r->lfts->lid_count)
			r->lfts->lid_count = (uint32_t)lid + 1;
		return 0;
	}
	while (isblank((unsigned char)*end))
		end++;
	if (!isdigit((unsigned char)*end))
		return 0; // UNREACHABLE, and the like
	port = strtoul(end, &end, 10);
	if (port > PORT_NONE)
		return fail(r, "port out of range: 0 to 255");
	r->lfts->tables[r->lfts->table_count - 1].ports[lid] = (uint8_t)port;
	note_owner(r, (uint32_t)lid, end);
	return 0;
}

static int
read_lines(struct lft_reader *r, const char *text, size_t length)
{
	const char *end = text + length;

	r->line = r->tables = 0;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const size_t bytes = (size_t)((newline != NULL ? newline : end) - text);
		char line[LINE_MAX_BYTES];
		size_t kept = bytes < sizeof(line) - 1 ? bytes : sizeof(line) - 1;
		int rc = 0;

		memcpy(line, text, kept);
		line[kept] = '\0';
		r->line++;
		if (strncmp(line, "Unicast lids", strlen("Unicast lids")) == 0)
			rc = begin_table(r, line);
		else if (strncmp(line, "0x", 2) == 0)
			rc = read_entry(r, line);
		if (rc != 0)
			return rc;
		text += bytes + 1;
	}
	return 0;
}

int
lft_file_parse(struct config_lfts *lfts, struct arena *arena, const char *text, size_t length,
	       const char *name, struct diag *diag)
{
	struct lft_reader r = {
		.lfts = lfts, .arena = arena, .name = name, .diag = diag, .only_count = true};
	int rc = read_lines(&r, text, length);

	if (rc != 0)
		return rc;
	if (r.tables == 0 || lfts->lid_count == 0)
		return fail(&r, "there is no forwarding table: use opensm-lfts.dump, or what "
				"`ibroute` prints of every switch");
	if ((uint64_t)r.tables * lfts->lid_count > LFT_FILE_ENTRIES_MAX)
		return fail(&r, "too many tables for the LIDs in this file");
	lfts->tables = arena_alloc(arena, r.tables * sizeof(*lfts->tables));
	lfts->owners = arena_alloc(arena, lfts->lid_count * sizeof(*lfts->owners));
	r.only_count = false;
	return read_lines(&r, text, length);
}

int
lft_file_load(struct config_lfts *lfts, struct arena *arena, const char *config_file,
	      const char *beside, struct diag *diag)
{
	const struct diag_pos none = {0};
	char *path = file_beside(beside, lfts->path.text), *text = NULL;
	size_t length = 0;
	int error = file_read(path, LFT_FILE_BYTES_MAX, &text, &length);

	if (error == 0 && length > LFT_FILE_BYTES_MAX) {
		diag_error(diag, path, none, NULL, "larger than %u bytes", LFT_FILE_BYTES_MAX);
		error = -EINVAL;
	} else if (error == 0) {
		error = lft_file_parse(lfts, arena, text, length, path, diag);
	} else {
		diag_error(diag, config_file, lfts->path.pos, "subnet.lfts",
			   "%s cannot be read: %s", path, strerror(-error));
		error = -EINVAL;
	}
	free(text);
	free(path);
	return error;
}
