// SPDX-License-Identifier: BSD-3-Clause
// A size is drawn by inverting the distribution at a uniform share. Sizes are whole bytes: of a
// segment from a to b bytes those above a, up to b, are equally likely, so that the share of sizes
// up to n is exactly what the lines between points say, for every whole n. That keeps steps such as
// from 4095 to 4096 bytes what they mean.
#include "sizes.h"

#include "dataplane/roce/arrivals.h"
#include "control/base/file.h"
#include "control/base/memory.h"
#include "words_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX UINT64_C(1000000000000000)
#define PERCENT_DIGITS 7 // SIZES_ONE is 100 of these units

static int
read_point(const struct words_reader *r, const struct sizes *sizes,
	   const struct config_name words[2], struct sizes_point *out)
{
	static const struct words_range bytes = {"bytes", .max = BYTES_MAX};
	static const struct words_range percent = {"percent", .max = SIZES_ONE,
						   .digits = PERCENT_DIGITS, .unit = " %"};
	const struct sizes_point *last = sizes->count != 0 ? &sizes->points[sizes->count - 1]
							   : NULL;
	const char *why = NULL;

	if (words_number(r, &words[0], &bytes, &out->bytes) != 0 ||
	    words_number(r, &words[1], &percent, &out->share) != 0)
		return -EINVAL;
	if (last != NULL && out->bytes < last->bytes)
		why = "bytes fall: sort the points by size";
	else if (last != NULL && out->share < last->share)
		why = "percent falls: it is cumulative";
	else if (out->bytes == 0 && out->share != 0)
		why = "a flow has at least one byte";
	if (why != NULL)
		return diag_error(r->diag, r->name, words[0].pos, NULL, "%s", why);
	return 0;
}

int
sizes_parse(struct sizes *out, const char *text, size_t length, const char *name, struct diag *diag)
{
	char *copy = memory_text_part(text, length);
	struct words_reader r = {.name = name, .diag = diag, .at = copy, .end = copy + length};
	unsigned before = diag->errors;
	struct config_name words[2];
	struct sizes sizes = {0};
	struct sizes_point point;

	while (words_line(&r, words, 2, "bytes cumulative_percent")) {
		if (read_point(&r, &sizes, words, &point) != 0)
			continue;
		sizes.points = memory_grow(sizes.points, sizes.count, sizeof(point), "sizes");
		sizes.points[sizes.count++] = point;
	}
	if (diag->errors == before &&
	    (sizes.count == 0 || sizes.points[sizes.count - 1].share != SIZES_ONE))
		diag_error(diag, name,
			   (struct diag_pos){.line = r.line != 0 ? r.line : 1, .column = 1},
			   "percent", "the last point must be at 100");
	free(copy);
	*out = sizes;
	if (diag->errors == before)
		return 0;
	sizes_free(out);
	return -EINVAL;
}

// No file, and no name of one built in.
static int
report_missing(const char *config_file, const struct config_name *name, int error,
	       struct diag *diag)
{
	char names[200] = "";
	size_t used = 0;

	for (unsigned i = 0; embedded_sizes[i].name != NULL && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 i != 0 ? ", " : "", embedded_sizes[i].name);
	return diag_error(diag, config_file, name->pos, "workload.sizes",
			  "%s cannot be read: %s; built in are %s", name->text, strerror(-error),
			  names);
}

int
sizes_load(struct sizes *out, const char *config_file, const char *beside,
	   const struct config_name *name, struct diag *diag)
{
	const struct embedded_file *built_in = embedded_sizes;
	char *path = file_beside(beside, name->text), *text = NULL;
	size_t length;
	int error = words_load(path, &text, &length);

	while (built_in->name != NULL && strcmp(built_in->name, name->text) != 0)
		built_in++;
	if (error == 0)
		error = sizes_parse(out, text, length, path, diag);
	else if (error == -ENOENT && built_in->name != NULL)
		error = sizes_parse(out, built_in->text, built_in->length, name->text, diag);
	else
		error = report_missing(config_file, name, error, diag);
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
