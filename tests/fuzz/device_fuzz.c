// SPDX-License-Identifier: BSD-3-Clause
// Any text as a device: whether its driver is known or one like it is suggested, what is added to
// it fits where it is written, contains what was given, and adds nothing the second time.
//
// Input: two bytes for the room of a packet, one for that of the result, one for what the text
// begins with, then the text.
#include "require.h"

#include "dataplane/device/device.h"
#include "dataplane/device/quirks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 2000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
complete(const struct device_quirks *quirks, const char *spec, unsigned room, size_t bytes)
{
	char *out = malloc(bytes), again[DEVICE_SPEC_MAX];
	int rc = quirks_complete(quirks, spec, room, out, bytes);

	require(out != NULL && (rc == 0 || rc == -ENAMETOOLONG || rc == -ERANGE || rc == -EDOM));
	if (rc == 0) {
		require(memchr(out, '\0', bytes) != NULL);
		require(strncmp(out, spec, strlen(spec)) == 0);
		require(quirks_find(out) == quirks);
		if (quirks_complete(quirks, out, room, again, sizeof(again)) == 0)
			require(strcmp(out, again) == 0);
	}
	free(out);
}

// What it begins with, then the bytes up to a NUL; in memory of exactly this size.
static char *
make_spec(uint8_t begins, const uint8_t *data, size_t size)
{
	static const char *const drivers[] = {
		"",
		"net_af_xdp0,iface=",
		"net_af_packet1,framesz=",
		"net_memif0,bsize=",
		"net_tap0,",
		"net_pcap0,",
		"net_null",
		"0000:00:1f.6",
	};
	const char *driver = drivers[begins % (sizeof(drivers) / sizeof(drivers[0]))];
	char *spec = malloc(strlen(driver) + size + 1);

	require(spec != NULL);
	strcpy(spec, driver);
	memcpy(spec + strlen(driver), data, size);
	spec[strlen(driver) + size] = '\0';
	return spec;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct device_quirks *quirks;
	const char *value, *driver;
	unsigned room;
	size_t length;
	char *spec;

	if (size < 4 || size > TEXT_MAX)
		return 0;
	room = (unsigned)data[0] << 8 | data[1];
	spec = make_spec(data[3], data + 4, size - 4);
	quirks = quirks_find(spec);
	driver = quirks_suggest(spec);
	require(driver == NULL || strncmp(driver, "net_", 4) == 0);
	value = quirks_argument(spec, "iface", &length);
	require(value == NULL || (value > spec && value + length <= spec + strlen(spec)));
	if (quirks != NULL) {
		require(quirks_frame_max(quirks, room) <= room);
		complete(quirks, spec, room, 1 + data[2] * 8u % DEVICE_SPEC_MAX);
	}
	free(spec);
	return 0;
}
