// SPDX-License-Identifier: BSD-3-Clause
// The series' files as `roost sim` writes them: a heading, then rows of as many fields, no quotes.
// Whatever else such a file holds is an error at its line.
#include "plot.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CSV_LINE_MAX (1 << 20)

struct csv {
	struct plot_input *in;
	FILE *file;
	char path[PATH_MAX];
	unsigned long number; // of the present line
	char *line;
	size_t line_room;
	char *heading; // whose fields follow
	char **headings;
	char **fields;
	unsigned int columns;
};

static int
refuse(struct csv *c, const char *format, va_list arguments)
{
	int length = snprintf(c->in->err, PLOT_ERR_BYTES, "%.400s:%lu: ", c->path, c->number);

	if (length > 0 && length < PLOT_ERR_BYTES)
		vsnprintf(c->in->err + length, PLOT_ERR_BYTES - (size_t)length, format, arguments);
	return -EINVAL;
}

int
csv_refuse(struct csv *c, const char *format, ...)
{
	va_list arguments;
	int rc;

	va_start(arguments, format);
	rc = refuse(c, format, arguments);
	va_end(arguments);
	return rc;
}

// Reads a line and cuts its newline off: 1, 0 at the end, or -EINVAL.
static int
read_line(struct csv *c)
{
	ssize_t length = getline(&c->line, &c->line_room, c->file);

	c->number++;
	if (length < 0 && ferror(c->file))
		return csv_refuse(c, "%s", strerror(errno));
	if (length < 0)
		return 0;
	if (length > CSV_LINE_MAX)
		return csv_refuse(c, "a line of %zd characters", length);
	if (c->line[length - 1] != '\n')
		return csv_refuse(c, "the file ends within a line");
	c->line[length - 1] = '\0';
	for (ssize_t i = 0; i < length - 1; i++)
		if (!isprint((unsigned char)c->line[i]))
			return csv_refuse(c, "a character that no result has (0x%02x)",
					  (unsigned char)c->line[i]);
	return 1;
}

static unsigned int
count_fields(const char *line)
{
	unsigned int count = 1;

	for (; *line != '\0'; line++)
		count += *line == ',';
	return count;
}

// Cuts a line into `count` fields.
static void
split(char *line, char **fields, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		fields[i] = strsep(&line, ",");
}

static int
read_heading(struct csv *c, const char *header, bool wide)
{
	size_t length = strlen(header);
	int rc = read_line(c);

	if (rc == 0)
		return csv_refuse(c, "the file is empty");
	if (rc < 0)
		return rc;
	if (strncmp(c->line, header, length) != 0 ||
	    (wide ? c->line[length] != ',' : c->line[length] != '\0'))
		return csv_refuse(c, "the heading is not %s%s", header, wide ? ",..." : "");
	c->columns = count_fields(c->line);
	c->heading = strdup(c->line);
	c->headings = calloc(c->columns, sizeof(*c->headings));
	c->fields = calloc(c->columns, sizeof(*c->fields));
	if (c->heading == NULL || c->headings == NULL || c->fields == NULL)
		return -ENOMEM;
	split(c->heading, c->headings, c->columns);
	return 0;
}

static int
open_file(struct csv *c, const char *file)
{
	struct stat st;

	snprintf(c->path, sizeof(c->path), "%s/%s", c->in->dir, file);
	if (stat(c->path, &st) != 0 && errno == ENOENT)
		return -ENOENT;
	if (!S_ISREG(st.st_mode)) {
		snprintf(c->in->err, PLOT_ERR_BYTES, "%.400s: is no regular file", c->path);
		return -EINVAL;
	}
	c->file = fopen(c->path, "r");
	if (c->file != NULL)
		return 0;
	snprintf(c->in->err, PLOT_ERR_BYTES, "%.400s: %s", c->path, strerror(errno));
	return -EINVAL;
}

int
csv_open(struct csv **out, struct plot_input *in, const char *file, const char *header, bool wide)
{
	struct csv *c = calloc(1, sizeof(*c));
	int rc;

	if (c == NULL)
		return -ENOMEM;
	c->in = in;
	rc = open_file(c, file);
	if (rc == 0)
		rc = read_heading(c, header, wide);
	if (rc == 0)
		*out = c;
	else
		csv_close(c);
	return rc;
}

void
csv_close(struct csv *c)
{
	if (c == NULL)
		return;
	if (c->file != NULL)
		fclose(c->file);
	free(c->fields);
	free(c->headings);
	free(c->heading);
	free(c->line);
	free(c);
}

unsigned int
csv_columns(const struct csv *c)
{
	return c->columns;
}

const char *
csv_heading(const struct csv *c, unsigned int column)
{
	return c->headings[column];
}

int
csv_next(struct csv *c)
{
	int rc = read_line(c);
	unsigned int count;

	if (rc <= 0)
		return rc;
	count = count_fields(c->line);
	if (count != c->columns)
		return csv_refuse(c, "%u fields, where the heading has %u", count, c->columns);
	split(c->line, c->fields, c->columns);
	return 1;
}

const char *
csv_text(const struct csv *c, unsigned int column)
{
	return c->fields[column];
}

int
csv_number(struct csv *c, unsigned int column, double *out)
{
	const char *text = c->fields[column];
	char *end;

	*out = strtod(text, &end);
	// isdigit: neither inf nor nan, no sign, no blank.
	if (isdigit((unsigned char)*text) && *end == '\0' && *out < 1e18 &&
	    strpbrk(text, "xXpP") == NULL)
		return 0;
	return csv_refuse(c, "%s: \"%.40s\" is no number", c->headings[column], text);
}
