// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the record of a fabric that was killed: what is taken from it names a fabric and a
// process that can be, and a namespace is no path.
//
// Input: a byte, 0 for a record with changes; then those, or the bytes.
#include "require.h"
#include "edited_text.h"

#include "control/config/scalar.h"
#include "control/io/host/netns.h"
#include "control/run/live/instance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
parse(const char *text, size_t length)
{
	struct instance_state state;
	char why[SCALAR_WHY];
	json_t *netns;
	size_t i;

	if (instance_parse(&state, text, length) == 0) {
		require(scalar_name(state.name, why) == 0);
		require(state.pid > 0);
		json_array_foreach(state.namespaces, i, netns)
		{
			const char *name = json_string_value(netns);
			int fd = name != NULL ? netns_open(name) : -ENOENT;

			require(fd < 0 || strchr(name, '/') == NULL);
			if (fd >= 0)
				close(fd);
		}
	}
	instance_free(&state);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char sample[] = "{\"name\": \"demo\", \"pid\": 4711, \"began\": 12345,\n"
				     " \"namespaces\": [\"roost-h1\", \"roost-h2\"]}\n";
	size_t length;
	char *text;

	if (size == 0 || size > 4000)
		return 0;
	if (data[0] != 0) {
		parse((const char *)data + 1, size - 1);
		return 0;
	}
	text = edited_text(sample, data + 1, size - 1, &length);
	parse(text, length);
	free(text);
	return 0;
}
