// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as what a fabric sends of a capture: as base64 and as blocks, whose packets are
// described; and as the program of a filter, which ends on every packet.
#include "control/base/base64.h"
#include "control/io/capture/blocks.h"
#include "control/io/capture/filter.h"
#include "control/io/capture/packet_json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_blocks(const uint8_t *data, size_t size)
{
	struct blocks *blocks = blocks_create();
	struct block b;

	while (blocks_next(blocks, &data, &size, &b) == 1) {
		json_t *packet = json_object();

		if (b.kind == BLOCK_PACKET)
			packet_json_add(packet, b.data, b.data_len);
		if (strlen(b.interface) >= 64 || strlen(b.comment) >= sizeof(b.comment))
			abort();
		json_decref(packet);
	}
	blocks_destroy(blocks);
}

static void
read_program(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct diag diag = {0};
	struct filter *f;
	size_t count;

	free(base64_decode(text, &count));
	if (filter_read(&f, text, &diag) == 0) {
		(void)filter_passes(f, data, (uint32_t)size, (uint32_t)size);
		filter_destroy(f);
	}
	diag_free(&diag);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *packet = json_object();

	read_blocks(data, size);
	read_program(data, size);
	packet_json_add(packet, data, (uint32_t)size);
	json_decref(packet);
	return 0;
}
