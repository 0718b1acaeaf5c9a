// SPDX-License-Identifier: BSD-3-Clause
// Any figures as the results that a comparison takes its own from: they are ranked and printed, and
// a figure that is none leaves its cell empty.
//
// Input: a byte for the number of files; then records of 20 bytes, each a flow or a collective of
// one file.
#include "control/run/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES 20
#define RECORDS_MAX 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;

struct results {
	struct report_result of[4];
	struct report_flow flows[4][RECORDS_MAX];
	struct report_collective collectives[4][RECORDS_MAX];
};

static uint64_t
number(const uint8_t *data)
{
	uint64_t value;

	memcpy(&value, data, sizeof(value));
	return value;
}

static const char *
name_of(uint8_t byte)
{
	static const char *const names[] = {"a", "b",   "red",  "\xe4\xb8\xad",
					    "",  "a.b", "step", "\n"};

	return names[byte % 8];
}

// Bytes: the file and kind, a name, another with flags, a count, two numbers.
static void
add_record(struct results *r, unsigned int file, const uint8_t *data)
{
	struct report_result *to = &r->of[file];
	bool open = data[2] & 128;

	if (data[0] & 128) {
		r->collectives[file][to->collective_count++] = (struct report_collective){
			.name = name_of(data[1]),
			.id = name_of(data[1]),
			.kind = data[2] % (REPORT_STEP + 1),
			.ranks = data[3],
			.bytes = number(data + 4),
			.step = open ? PS_NEVER : number(data + 12),
		};
		return;
	}
	r->flows[file][to->flow_count++] = (struct report_flow){
		.item = name_of(data[1]),
		.tenant = data[2] & 64 ? name_of(data[2]) : NULL,
		.src = "h1",
		.dst = "h2",
		.bytes = number(data + 4),
		.fct = open ? PS_NEVER : number(data + 12),
		.ideal = data[3],
		.retransmitted = number(data + 4),
	};
}

static void
read_results(struct results *r, unsigned int files, const uint8_t *data, size_t size)
{
	for (unsigned int i = 0; i < files; i++)
		r->of[i] = (struct report_result){.flows = r->flows[i],
						  .collectives = r->collectives[i]};
	for (unsigned int i = 0; i < RECORDS_MAX && size >= RECORD_BYTES; i++) {
		add_record(r, data[0] % files, data);
		r->of[data[0] % files].out_of_order += number(data + 12);
		data += RECORD_BYTES;
		size -= RECORD_BYTES;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	static struct results results;
	struct comparison c = {.seeds = 1};

	if (size < 2)
		return 0;
	if (nowhere == NULL)
		nowhere = fopen("/dev/null", "w");
	c.count = 2 + data[0] % 3;
	for (unsigned int i = 0; i < c.count; i++)
		c.runs[i].file = c.runs[i].name = names[i];
	read_results(&results, c.count, data + 1, size - 1);
	compare_add_rows(&c);
	for (unsigned int i = 0; i < c.count; i++)
		compare_read(&c, i, &results.of[i]);
	compare_finish(&c);
	compare_print(&c, nowhere);
	(void)compare_print_json(&c, nowhere);
	free(compare_verdict(&c));
	compare_free_rows(&c);
	return 0;
}
