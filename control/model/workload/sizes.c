// SPDX-License-Identifier: BSD-3-Clause
// A size is drawn by inverting the distribution at a uniform share. Sizes are whole bytes: of a
// segment from a to b bytes those above a, up to b, are equally likely, so that the share of sizes
// up to n is exactly what the lines between points say, for every whole n. That keeps steps such as
// from 4095 to 4096 bytes what they mean.
#include "sizes.h"

#include "dataplane/roce/arrivals.h"
#include "control/base/file.h"
#include "built_in.h"
#include "words_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX UINT64_C(1000000000000000)
#define PERCENT_DIGITS 7 // SIZES_ONE is 100 of these units

static int
add_point(struct sizes *sizes, const struct sizes_point *point)
{
	if (sizes->count == sizes->capacity) {
		uint32_t capacity = sizes->capacity != 0 ? 2 * sizes->capacity : 64;
		struct sizes_point *grown = realloc(sizes->points, capacity * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		sizes->points = grown;
		sizes->capacity = capacity;
	}
	sizes->points[sizes->count++] = *point;
	return 0;
}

static int
read_point(const struct words_reader *r, const struct sizes *sizes,
	   const struct config_name words[2], unsigned count, struct sizes_point *out)
{
	const struct sizes_point *last = sizes->count != 0 ? &sizes->points[sizes->count - 1]
							   : NULL;
	const char *why = NULL;

	if (count != 2) {
		diag_error(r->diag, r->name, words[0].pos, NULL,
			   "%u word%s; a line is `bytes cumulative_percent`", count,
			   count == 1 ? "" : "s");
		return -EINVAL;
	}
	if (words_number(r, &words[0], "bytes", 0, BYTES_MAX, &out->bytes) != 0 ||
	    words_decimal(r, &words[1], "percent", " %", PERCENT_DIGITS, SIZES_ONE, &out->share) !=
		    0)
		return -EINVAL;
	if (last != NULL && out->bytes < last->bytes)
		why = "bytes fall: points stand in the order of their sizes";
	else if (last != NULL && out->share < last->share)
		why = "percent falls: it is of all sizes up to this one";
	else if (out->bytes == 0 && out->share != 0)
		why = "a flow has at least one byte";
	if (why == NULL)
		return 0;
	diag_error(r->diag, r->name, words[0].pos, NULL, "%s", why);
	return -EINVAL;
}

static int
read_points(struct words_reader *r, struct sizes *sizes)
{
	unsigned before = r->diag->errors, count;
	struct config_name words[2] = {0};

	while ((count = words_next(r, words, 2)) != 0) {
		struct sizes_point point;

		if (read_point(r, sizes, words, count, &point) == 0 &&
		    add_point(sizes, &point) != 0)
			return -ENOMEM;
	}
	if (r->diag->errors == before &&
	    (sizes->count == 0 || sizes->points[sizes->count - 1].share != SIZES_ONE))
		diag_error(r->diag, r->name,
			   (struct diag_pos){.line = r->line != 0 ? r->line : 1, .column = 1},
			   "percent", "the last point must be at 100");
	return r->diag->errors != before ? -EINVAL : 0;
}

int
sizes_parse(struct sizes *out, const char *text, size_t length, const char *name, struct diag *diag)
{
	char *copy = malloc(length + 1);
	struct words_reader r = {.name = name, .diag = diag, .at = copy, .end = copy + length};
	struct sizes sizes = {0};
	int error;

	if (copy == NULL)
		return -ENOMEM;
	if (length > 0)
		memcpy(copy, text, length);
	error = read_points(&r, &sizes);
	free(copy);
	if (error != 0)
		sizes_free(&sizes);
	else
		*out = sizes;
	return error;
}

static const struct sizes_text *
find_built_in(const char *name)
{
	for (unsigned i = 0; i < sizes_text_count; i++)
		if (strcmp(sizes_texts[i].name, name) == 0)
			return &sizes_texts[i];
	return NULL;
}

// No file, and no name of one built in.
static void
report_missing(const char *config_file, const struct config_name *name, int error,
	       struct diag *diag)
{
	char names[200] = "";
	size_t used = 0;

	for (unsigned i = 0; i < sizes_text_count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 i != 0 ? ", " : "", sizes_texts[i].name);
	diag_error(diag, config_file, name->pos, "workload.sizes",
		   "%s cannot be read: %s; built in are %s", name->text, strerror(-error), names);
}

int
sizes_load(struct sizes *out, const char *config_file, const char *beside,
	   const struct config_name *name, struct diag *diag)
{
	const struct sizes_text *built_in = find_built_in(name->text);
	char *path = file_beside(beside, name->text), *text = NULL;
	size_t length;
	int error = path == NULL ? -ENOMEM : words_load(path, &text, &length);

	if (error == 0)
		error = sizes_parse(out, text, length, path, diag);
	else if (error == -ENOENT && built_in != NULL)
		error = sizes_parse(out, built_in->text, built_in->length, name->text, diag);
	else if (error != -ENOMEM) {
		report_missing(config_file, name, error, diag);
		error = -EINVAL;
	}
	free(text);
	free(path);
	return error;
}

void
sizes_free(struct sizes *sizes)
{
	free(sizes->points);
	*sizes = (struct sizes){0};
}

uint64_t
sizes_at(const struct sizes *sizes, uint64_t share)
{
	const struct sizes_point *points = sizes->points;
	uint32_t low = 0, high = sizes->count - 1;
	uint64_t bytes, part, whole;

	while (low < high) { // the first point that more than `share` lies up to
		uint32_t middle = low + (high - low) / 2;

		if (points[middle].share << SIZES_FRACTION_BITS > share)
			high = middle;
		else
			low = middle + 1;
	}
	if (low == 0 || points[low].bytes == points[low - 1].bytes)
		return points[low].bytes;
	bytes = points[low].bytes - points[low - 1].bytes;
	part = share - (points[low - 1].share << SIZES_FRACTION_BITS);
	whole = (points[low].share - points[low - 1].share) << SIZES_FRACTION_BITS;
	return points[low - 1].bytes + 1 + (uint64_t)((sizes_sum)bytes * part / whole);
}

uint64_t
sizes_draw(const struct sizes *sizes, struct random *random)
{
	return sizes_at(sizes, uniform_below(random, SIZES_ONE << SIZES_FRACTION_BITS));
}

sizes_sum
sizes_mean(const struct sizes *sizes)
{
	const struct sizes_point *points = sizes->points;
	sizes_sum sum = (sizes_sum)2 * points[0].bytes * points[0].share;

	for (uint32_t i = 1; i < sizes->count; i++) {
		uint64_t a = points[i - 1].bytes, b = points[i].bytes;

		sum += (sizes_sum)(points[i].share - points[i - 1].share) * (a + b + (b > a));
	}
	return sum;
}
