// SPDX-License-Identifier: BSD-3-Clause
// Any JSON as the documents that a comparison takes its figures from: it is ranked and printed, and
// a figure that is none leaves its cell empty.
//
// Input: a byte for the number of files; then what is changed in the document of each, ended by
// four bytes of 255.
#include "edited_text.h"

#include "control/base/memory.h"
#include "control/run/compare/compare.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// clang-format off
static const char sample[] =
	"{\"summary\": {\"completed\": 2, \"drops\": 1, \"drops_lossless\": 0, \"pfc_tx\": 3, "
	"\"ecn_marked\": 4, \"retransmitted\": 1, \"out_of_order\": 2, \"uplink_imbalance\": 1.5, "
	"\"slowdown_p99\": 2.5, \"goodput_gbps\": 90.5}, "
	"\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {\"pause_rx_ns\": 7, \"pfc_rx_pause_ns\": [1, 2]}}}}, "
	"\"flows\": [{\"item\": \"a\", \"tenant\": \"red\", \"fct_ps\": 5000}, "
	"{\"item\": \"b\", \"tenant\": \"blue\", \"fct_ps\": null}, {\"item\": \"a\", \"fct_ps\": 6000}], "
	"\"collectives\": [{\"name\": \"c\", \"kind\": \"all-reduce\", \"bytes\": 9, \"step_ps\": 100, "
	"\"busbw_gbps\": 40.5}, {\"name\": \"d\", \"kind\": \"step\", \"bytes\": 9, \"step_ps\": 100}]}";
// clang-format on

static FILE *nowhere;

// The part of the input that is about one document.
static size_t
part_of(const uint8_t *data, size_t size)
{
	size_t at = 0;

	while (at + 4 <= size && memcmp(data + at, "\xff\xff\xff\xff", 4) != 0)
		at += 4;
	return at;
}

static void
read_document(struct comparison *c, unsigned int run, const uint8_t *data, size_t size)
{
	size_t length;
	char *text = edited_text(sample, data, size, &length);
	json_t *document = json_loadb(text, length, JSON_DECODE_ANY, NULL);

	compare_read(c, run, document);
	json_decref(document);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	struct comparison c = {.seeds = 1};

	if (size < 2 || size > 2000)
		return 0;
	if (nowhere == NULL)
		nowhere = fopen("/dev/null", "w");
	c.count = 2 + data[0] % 3;
	for (unsigned int i = 0; i < c.count; i++)
		c.runs[i].file = c.runs[i].name = names[i];
	data++;
	size--;
	compare_add_rows(&c);
	for (unsigned int i = 0; i < c.count; i++) {
		size_t part = part_of(data, size), taken = part + 4 < size ? part + 4 : size;

		read_document(&c, i, data, part);
		data += taken;
		size -= taken;
	}
	compare_finish(&c);
	compare_print(&c, nowhere);
	(void)compare_print_json(&c, nowhere);
	free(compare_verdict(&c));
	compare_free_rows(&c);
	return 0;
}
