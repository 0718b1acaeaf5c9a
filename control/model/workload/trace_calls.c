// SPDX-License-Identifier: BSD-3-Clause
// What each rank of a trace does, as its lines or nodes say it, and names for numbers.
#include "trace_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_MAX (1u << 22)

int
trace_call_error(const struct trace_calls *calls, const struct trace_call *call, const char *format,
		 ...)
{
	const struct trace_builder *b = calls->b;
	const struct diag_pos pos = {.line = calls->binary ? 0 : (uint32_t)call->at, .column = 1};
	va_list args;
	char *text;

	va_start(args, format);
	text = memory_vformat(format, args);
	va_end(args);
	if (calls->binary)
		diag_error(b->diag, b->texts[call->text].name, pos, NULL, "byte %" PRIu64 ": %s",
			   call->at, text);
	else
		diag_error(b->diag, b->texts[call->text].name, pos, NULL, "%s", text);
	free(text);
	return -EINVAL;
}

uint32_t
trace_add_call(struct trace_calls *c, const struct trace_call *call)
{
	if (c->count == CALLS_MAX) {
		trace_call_error(c, call, "more than %u operations of ranks; cut the trace",
				 CALLS_MAX);
		return TRACE_NONE;
	}
	c->calls = memory_grow(c->calls, c->count, sizeof(*call), "operations of ranks");
	c->calls[c->count] = *call;
	return c->count++;
}

int
trace_add_after(struct trace_calls *c, uint32_t call, uint32_t after)
{
	struct trace_call *waits = &c->calls[call];

	if (c->after_count == TRACE_AFTER_MAX)
		return trace_call_error(c, waits, "more than %u dependencies; cut the trace",
					TRACE_AFTER_MAX);
	c->after = memory_grow(c->after, c->after_count, sizeof(*c->after), "dependencies");
	if (waits->after_count++ == 0)
		waits->first_after = c->after_count;
	c->after[c->after_count++] = after;
	return 0;
}

void
trace_calls_free(struct trace_calls *c)
{
	arena_free(&c->arena);
	free(c->calls);
	free(c->after);
	free(c->groups);
}

// ---- names --------------------------------------------------------------------------------------

struct name {
	uint32_t number;
	const char *text;
};

static int
compare_names(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

uint32_t
trace_number(struct trace_names *names, const char *text)
{
	size_t size = strlen(text) + 1;
	struct name *name = memory_new(sizeof(*name) + size, "name"), **found;

	name->text = memcpy(name + 1, text, size);
	name->number = names->count;
	found = tsearch(name, &names->tree, compare_names);
	if (found == NULL)
		memory_exhausted(1, sizeof(*name), "name");
	if (*found == name)
		return names->count++;
	free(name);
	return (*found)->number;
}

uint32_t
trace_find_number(const struct trace_names *names, const char *text)
{
	const struct name key = {.text = text};
	struct name *const *found = tfind(&key, &names->tree, compare_names);

	return found != NULL ? (*found)->number : TRACE_NONE;
}

void
trace_names_free(struct trace_names *names)
{
	tdestroy(names->tree, free);
}
