// SPDX-License-Identifier: BSD-3-Clause
// Printing answers as tables. A table has a row for each place that its path leads to.
#include "show_view.h"

#include "control/base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 16
#define NS_PER_S 1e9

// ---- values ------------------------------------------------------------------------------------

static uint64_t
positive(const json_t *value)
{
	return json_integer_value(value) > 0 ? (uint64_t)json_integer_value(value) : 0;
}

const char *
show_text(const json_t *value)
{
	return json_is_string(value) ? json_string_value(value) : "";
}

uint64_t
show_number(const json_t *of, const char *key)
{
	return positive(json_object_get(of, key));
}

uint64_t
show_number_at(const json_t *of, const char *key, size_t index)
{
	return positive(json_array_get(json_object_get(of, key), index));
}

const char *
show_string(const json_t *of, const char *key)
{
	return show_text(json_object_get(of, key));
}

bool
show_flag(const json_t *of, const char *key)
{
	return json_is_true(json_object_get(of, key));
}

uintmax_t
show_list_ports(const json_t *answer, const char *part, const char *key, char **ports)
{
	const char *node_name, *port_name, *between = "";
	json_t *node, *port;
	uintmax_t total = 0;
	size_t size;
	FILE *list = memory_stream_open(ports, &size);

	json_object_foreach(json_object_get(answer, "nodes"), node_name, node)
		json_object_foreach(json_object_get(node, "ports"), port_name, port)
	{
		uintmax_t count = show_number(json_object_get(port, part), key);

		if (count == 0)
			continue;
		fprintf(list, "%s%s.%s (%ju)", between, node_name, port_name, count);
		between = ", ";
		total += count;
	}
	fclose(list);
	return total;
}

void
show_append_set(struct text_table *t, uint64_t bits)
{
	const char *between = "";

	if (bits == 0)
		text_table_append(t, "-");
	for (unsigned int first = 0, last; first < 64; first = last + 1) {
		last = first;
		if (!(bits >> first & 1))
			continue;
		while (last < 63 && bits >> (last + 1) & 1)
			last++;
		text_table_append(t, "%s%u", between, first);
		if (last != first)
			text_table_append(t, "%s%u", last == first + 1 ? "," : "-", last);
		between = ",";
	}
}

uint64_t
show_bits(const json_t *numbers)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < json_array_size(numbers); i++) {
		json_int_t one = json_integer_value(json_array_get(numbers, i));

		if (one >= 0 && one < 64)
			bits |= UINT64_C(1) << one;
	}
	return bits;
}

static uint64_t
sum_of(const json_t *of)
{
	const char *key;
	json_t *member;
	uint64_t sum = 0;

	json_object_foreach((json_t *)(uintptr_t)of, key, member) sum += positive(member);
	return sum;
}

// ---- cells -------------------------------------------------------------------------------------

// "@3" of a path: what the third `*` stands for.
static unsigned int
bound(const struct show_row *row, const char *part)
{
	unsigned int at = *part == '@' ? (unsigned int)(part[1] - '1') : SHOW_DEPTH_MAX;

	return at < row->depth ? at : SHOW_DEPTH_MAX;
}

static const json_t *
find(const struct show_row *row, const char *path)
{
	const json_t *at = row->value;

	for (const char *part = path; *part != '\0';) {
		size_t length = strcspn(part, "/");
		unsigned int star = bound(row, part);
		char name[SHOW_NAME_MAX];

		snprintf(name, sizeof(name), "%.*s", (int)length, part);
		if (star != SHOW_DEPTH_MAX && part == path)
			at = row->members[star];
		else if (star != SHOW_DEPTH_MAX && json_is_array(at))
			at = json_array_get(at, strtoul(row->names[star], NULL, 10));
		else
			at = json_object_get(at, star != SHOW_DEPTH_MAX ? row->names[star] : name);
		part += length + (part[length] == '/');
	}
	return at;
}

static void
name_cell(struct text_table *t, const struct show_row *row, const char *key)
{
	const char *first = row->names[key[0] - '1'];

	if (key[1] != '\0')
		text_table_cell(t, "%s.%s", first, row->names[key[1] - '1']);
	else
		text_table_cell(t, "%s", first);
}

static void
us_cell(struct text_table *t, uint64_t ns)
{
	text_table_cell(t, "%" PRIu64 ".%03u", ns / 1000, (unsigned int)(ns % 1000));
}

static void
value_cell(struct text_table *t, const json_t *value, enum show_format format)
{
	char text[TEXT_VALUE_MAX];
	uint64_t number = positive(value);

	switch (format) {
	case SHOW_COUNT:
		text_table_cell(t, "%" PRIu64, number);
		break;
	case SHOW_KNOWN:
		if (json_is_integer(value) && json_integer_value(value) >= 0)
			text_table_cell(t, "%" PRIu64, number);
		else
			text_table_cell(t, "-");
		break;
	case SHOW_BYTES:
		text_table_cell(t, "%s", text_bytes(text, number));
		break;
	case SHOW_RATE:
		text_table_cell(t, "%s", number != 0 ? text_rate(text, number) : "device");
		break;
	case SHOW_LIMIT:
		text_table_cell(t, "%s", number != 0 ? text_rate(text, number) : "-");
		break;
	case SHOW_DELAY:
		text_table_cell(t, "%s", text_duration(text, number));
		break;
	case SHOW_DURATION:
		text_table_cell(t, "%s", text_duration(text, number * PS_PER_NS));
		break;
	case SHOW_US:
		us_cell(t, number);
		break;
	case SHOW_INSTANT:
		if (json_is_integer(value) && json_integer_value(value) >= 0)
			us_cell(t, number);
		else
			text_table_cell(t, "-");
		break;
	case SHOW_SUM:
		text_table_cell(t, "%" PRIu64, sum_of(value));
		break;
	case SHOW_ON:
		text_table_cell(t, json_is_true(value) ? "on" : "off");
		break;
	case SHOW_YES:
		text_table_cell(t, json_is_true(value) ? "yes" : "no");
		break;
	case SHOW_SET:
		text_table_cell(t, "%s", "");
		show_append_set(t, show_bits(value));
		break;
	default:
		text_table_cell(t, "%s",
				format == SHOW_FILLED && *show_text(value) == '\0'
					? "-"
					: show_text(value));
	}
}

void
show_cell(struct text_table *t, const struct show_row *row, const char *key,
	  enum show_format format)
{
	if (format == SHOW_NAME || format == SHOW_INDEX)
		name_cell(t, row, key);
	else
		value_cell(t, find(row, key), format);
}

// Adds a counter's rate to its cell, if the answer has it: bytes as bit/s, times as their share.
static void
append_rate(struct text_table *t, const struct show_row *row, const char *key,
	    enum show_format format)
{
	const json_t *rate = find(row, key);
	char text[TEXT_VALUE_MAX];

	if (!(json_real_value(rate) > 0))
		return;
	if (format == SHOW_BYTES)
		text_table_append(t, " (%sb/s)",
				  text_rate(text, (uint64_t)(json_real_value(rate) * 8)));
	else if (format == SHOW_US)
		text_table_append(t, " (%.3g %%)", json_real_value(rate) * 100 / NS_PER_S);
	else
		text_table_append(t, " (%.0f/s)", json_real_value(rate));
}

// ---- tables ------------------------------------------------------------------------------------

static const char *
key_of(const struct show_column *c)
{
	return c->key != NULL ? c->key : c->heading;
}

static enum show_format
format_of(const struct show_table *table, const struct show_column *c)
{
	const struct counter *counter;

	if (c->format != SHOW_COUNTER)
		return c->format;
	if (c->cell != NULL || table->add != NULL)
		return SHOW_TEXT;
	counter = counter_find(table->scope, key_of(c));
	assert(counter != NULL);
	if (strcmp(counter->unit, "ns") == 0)
		return counter->kind == COUNTER_INSTANT ? SHOW_INSTANT : SHOW_US;
	return strcmp(counter->unit, "bytes") == 0 ? SHOW_BYTES : SHOW_COUNT;
}

static void
add_row(struct text_table *t, const struct show_table *table, const struct show_row *row)
{
	if (table->skip != NULL && table->skip(row))
		return;
	if (table->add != NULL) {
		table->add(t, row);
		return;
	}
	for (const struct show_column *c = table->columns; c->heading != NULL; c++) {
		char of_priority[SHOW_NAME_MAX], rate[SHOW_NAME_MAX];
		const char *key = key_of(c);

		if (c->cell != NULL) {
			c->cell(t, row);
			continue;
		}
		snprintf(rate, sizeof(rate), "%s" SHOW_PER_S, key);
		if (c->format == SHOW_COUNTER && table->scope == COUNTER_OF_PRIORITY) {
			snprintf(rate, sizeof(rate), "@2/%s" SHOW_PER_S "/@3", key);
			snprintf(of_priority, sizeof(of_priority), "@2/%s/@3", key);
			key = of_priority;
		}
		show_cell(t, row, key, format_of(table, c));
		if (c->format == SHOW_COUNTER)
			append_rate(t, row, rate, format_of(table, c));
	}
}

static void add_rows(struct text_table *t, const struct show_table *table, const char *path,
		     const json_t *at, struct show_row *row);

// All members of an object, or elements of an array.
static void
add_members(struct text_table *t, const struct show_table *table, const char *path,
	    const json_t *of, struct show_row *row)
{
	size_t count = json_array_size(of);
	size_t first = table->last != 0 && count > table->last ? count - table->last : 0;
	unsigned int star = row->depth++;
	const char *name;
	json_t *member;

	json_object_foreach((json_t *)(uintptr_t)of, name, member)
	{
		row->names[star] = name;
		row->members[star] = member;
		add_rows(t, table, path, member, row);
	}
	for (size_t i = first; i < count; i++) {
		snprintf(row->indices[star], sizeof(row->indices[star]), "%zu", i);
		row->names[star] = row->indices[star];
		row->members[star] = json_array_get(of, i);
		add_rows(t, table, path, row->members[star], row);
	}
	row->depth--;
}

static void
add_rows(struct text_table *t, const struct show_table *table, const char *path, const json_t *at,
	 struct show_row *row)
{
	size_t length = strcspn(path, "/");
	const char *rest = path + length + (path[length] == '/');
	char name[SHOW_NAME_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)length, path);
	if (*path == '\0') {
		row->value = at;
		add_row(t, table, row);
	} else if (strcmp(name, "*") == 0) {
		add_members(t, table, rest, at, row);
	} else if (json_object_get(at, name) != NULL) {
		add_rows(t, table, rest, json_object_get(at, name), row);
	}
}

bool
show_print_table(const struct show_table *table, const json_t *of, const char *before,
		 const char *indent, FILE *to)
{
	struct text_column columns[COLUMNS_MAX];
	struct show_row row = {.of = of};
	unsigned int count = 0;
	struct text_table *t;
	bool printed;

	for (; table->columns[count].heading != NULL; count++)
		columns[count] = (struct text_column){
			table->columns[count].heading,
			format_of(table, &table->columns[count]) <= SHOW_NAME ? TEXT_LEFT
									      : TEXT_RIGHT};
	t = text_table_create(columns, count);
	add_rows(t, table, table->rows, of, &row);
	printed = text_table_rows(t) != 0 || table->empty != NULL;
	if (printed)
		fprintf(to, "%s%s", before, table->title != NULL ? table->title : "");
	if (text_table_rows(t) != 0)
		text_table_print(t, indent, to);
	else if (table->empty != NULL)
		fprintf(to, "%s%s\n", indent, table->empty);
	text_table_destroy(t);
	return printed;
}

void
show_print_name(const char *name, const json_t *part, FILE *to)
{
	(void)part;
	fprintf(to, "%s\n", name);
}

static void
print_tables(const struct show_view *view, const json_t *of, const char *indent, FILE *to)
{
	bool printed = false;

	for (const struct show_table *t = view->tables; t->rows != NULL; t++)
		printed |= show_print_table(t, of, printed ? "\n" : "", indent, to);
}

static void
print_part(const struct show_view *view, const char *name, const json_t *part, const char **between,
	   FILE *to)
{
	fputs(*between, to);
	view->heading(name, part, to);
	print_tables(view, part, "  ", to);
	*between = "\n";
}

void
show_print_view(const struct show_view *view, const json_t *answer, FILE *to)
{
	const char *name, *port_name, *between = "";
	json_t *node, *port;

	if (view->print != NULL)
		view->print(answer, to);
	else if (view->heading == NULL)
		print_tables(view, answer, "", to);
	else
		json_object_foreach(json_object_get(answer, "nodes"), name, node)
		{
			if (view->port == NULL)
				print_part(view, name, node, &between, to);
			json_object_foreach(json_object_get(node, "ports"), port_name, port)
			{
				char full[SHOW_NAME_MAX];

				snprintf(full, sizeof(full), "%s.%s", name, port_name);
				print_part(view, full, port, &between, to);
			}
		}
}
