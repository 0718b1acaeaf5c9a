// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as an LLDP frame, and a frame of a switch with some of its bytes changed: nothing is
// read behind the frame, what is read is fit for JSON and terminals, and what it is made into again
// says the same.
//
// Input: a byte, 0 for a frame that is changed; then pairs of where and what, or the frame.
#include "require.h"

#include "control/io/lldp/lldp.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_text(const char *text)
{
	json_t *json = json_string(text);

	require(json != NULL);
	for (const char *at = text; *at != '\0'; at++)
		require((unsigned char)*at >= 0x20 && *at != 0x7f);
	json_decref(json);
}

static size_t
make_sample(uint8_t frame[static LLDP_FRAME_MAX])
{
	static const uint8_t mac[6] = {2, 1, 0, 0, 0, 1};
	struct lldp_pdu pdu = {
		.chassis = {.subtype = LLDP_CHASSIS_MAC, .length = 6},
		.port = {.subtype = LLDP_PORT_INTERFACE, .length = 4, .bytes = "swp1"},
		.ttl = 120,
		.port_description = "to h1",
		.system_name = "leaf1",
		.system_description = "Roost",
		.capabilities = 0x14,
		.enabled = 0x10,
		.has_ip4 = true,
		.has_ip6 = true,
		.ets = {.present = true, .classes = 8},
		.pfc = {.present = true, .classes = 8, .enabled = 8},
		.applications = {{3, LLDP_UDP, 4791}},
		.application_count = 1,
	};

	return lldp_build(&pdu, mac, frame);
}

static void
check(const uint8_t *bytes, size_t length)
{
	static const uint8_t mac[6] = {2, 1, 0, 0, 0, 1};
	uint8_t *frame = malloc(length + 1), again[LLDP_FRAME_MAX];
	struct lldp_pdu pdu, back;
	char text[LLDP_TEXT_MAX];
	size_t size;

	require(frame != NULL);
	memcpy(frame + 1, bytes, length); // exactly as long as it is, for the sanitizer
	if (lldp_parse(frame + 1, length, &pdu) == 0) {
		check_text(lldp_chassis_text(&pdu.chassis, text));
		check_text(lldp_port_text(&pdu.port, text));
		check_text(pdu.port_description);
		check_text(pdu.system_name);
		check_text(pdu.system_description);
		require(pdu.application_count <= LLDP_APPLICATIONS_MAX);
		size = lldp_build(&pdu, mac, again);
		require(size <= LLDP_FRAME_MAX && lldp_parse(again, size, &back) == 0);
		require(lldp_same_sender(&pdu, &back) && pdu.ttl == back.ttl);
		require(strcmp(pdu.system_name, back.system_name) == 0);
		require(pdu.pfc.enabled == back.pfc.enabled);
		require(memcmp(&pdu.ets, &back.ets, sizeof(pdu.ets)) == 0);
	}
	free(frame);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t frame[LLDP_FRAME_MAX];
	size_t length;

	if (size == 0 || size > 4000)
		return 0;
	if (data[0] != 0) {
		check(data + 1, size - 1);
		return 0;
	}
	length = make_sample(frame);
	for (size_t i = 1; i + 1 < size; i += 2)
		frame[data[i] % length] = data[i + 1];
	check(frame, length);
	return 0;
}
