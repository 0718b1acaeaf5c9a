// SPDX-License-Identifier: BSD-3-Clause
// IEEE 802.1AB section 9.2.7.7 says which errors discard the LLDPDU and which only a TLV. If a TLV
// that is allowed once is there several times, the first counts.
#include "lldp_internal.h"

#include "control/base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct tlv {
	enum lldp_type type;
	size_t length;
	const uint8_t *value;
};

static uint16_t
get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

// Takes the TLV at *at. Returns false if it does not end before `end`.
static bool
take(const uint8_t **at, const uint8_t *end, struct tlv *out)
{
	if ((size_t)(end - *at) < LLDP_HEADER_BYTES)
		return false;
	out->type = **at >> 1;
	out->length = get16(*at) & LLDP_LENGTH_MAX;
	out->value = *at + LLDP_HEADER_BYTES;
	if ((size_t)(end - out->value) < out->length)
		return false;
	*at = out->value + out->length;
	return true;
}

static bool
take_id(const uint8_t **at, const uint8_t *end, enum lldp_type type, struct lldp_id *out)
{
	struct tlv tlv;

	if (!take(at, end, &tlv) || tlv.type != type || tlv.length < 2 ||
	    tlv.length > 1 + LLDP_ID_MAX || tlv.value[0] == 0)
		return false;
	out->subtype = tlv.value[0];
	out->length = (uint8_t)(tlv.length - 1);
	memcpy(out->bytes, tlv.value + 1, out->length);
	return true;
}

// Text from outside: may contain any bytes.
static void
put_text(char text[static LLDP_TEXT_MAX], const uint8_t *bytes, size_t length)
{
	length = length < LLDP_TEXT_MAX ? length : LLDP_TEXT_MAX - 1;
	while (length != 0 && bytes[length - 1] == '\0')
		length--;
	for (size_t i = 0; i < length; i++)
		text[i] = bytes[i] == '\0' ? '?' : (char)bytes[i];
	text[length] = '\0';
	utf8_repair(text);
	text_hide_controls(text);
}

static void
read_text(char text[static LLDP_TEXT_MAX], const struct tlv *tlv)
{
	if (text[0] == '\0' && tlv->length < LLDP_TEXT_MAX)
		put_text(text, tlv->value, tlv->length);
}

static void
read_capabilities(struct lldp_pdu *out, const struct tlv *tlv)
{
	if (tlv->length != 4 || out->capabilities != 0)
		return;
	out->capabilities = get16(tlv->value);
	out->enabled = get16(tlv->value + 2) & out->capabilities;
}

static void
read_management(struct lldp_pdu *out, const struct tlv *tlv)
{
	const uint8_t *v = tlv->value;
	size_t bytes = tlv->length != 0 ? v[0] : 0; // of family and address

	if (bytes < 2 || tlv->length < 1 + bytes + LLDP_NUMBERING_BYTES)
		return;
	if (v[1] == LLDP_FAMILY_IP4 && bytes == 1 + sizeof(out->ip4) && !out->has_ip4) {
		memcpy(out->ip4, v + 2, sizeof(out->ip4));
		out->has_ip4 = true;
	} else if (v[1] == LLDP_FAMILY_IP6 && bytes == 1 + sizeof(out->ip6) && !out->has_ip6) {
		memcpy(out->ip6, v + 2, sizeof(out->ip6));
		out->has_ip6 = true;
	}
}

static void
read_ets(struct lldp_ets *out, const uint8_t *v, size_t length)
{
	struct lldp_ets ets = {.present = true};

	if (length != LLDP_ETS_BYTES || out->present)
		return;
	ets.willing = v[0] >> 7;
	ets.credit_shaper = v[0] >> 6 & 1;
	ets.classes = (v[0] & 7) != 0 ? v[0] & 7 : LLDP_CLASSES;
	for (unsigned p = 0; p < LLDP_CLASSES; p++) {
		ets.priority_to_class[p] = v[1 + p / 2] >> (p % 2 == 0 ? 4 : 0) & 15;
		if (ets.priority_to_class[p] >= LLDP_CLASSES)
			return;
	}
	memcpy(ets.bandwidth, v + 5, LLDP_CLASSES);
	memcpy(ets.algorithm, v + 5 + LLDP_CLASSES, LLDP_CLASSES);
	*out = ets;
}

static void
read_pfc(struct lldp_pfc *out, const uint8_t *v, size_t length)
{
	if (length != LLDP_PFC_BYTES || out->present)
		return;
	*out = (struct lldp_pfc){.present = true,
				 .willing = v[0] >> 7,
				 .bypass = v[0] >> 6 & 1,
				 .classes = v[0] & 15,
				 .enabled = v[1]};
}

static void
read_applications(struct lldp_pdu *out, const uint8_t *v, size_t length)
{
	if (length == 0 || (length - 1) % LLDP_APPLICATION_BYTES != 0 ||
	    out->application_count != 0)
		return;
	for (size_t at = 1; at < length && out->application_count < LLDP_APPLICATIONS_MAX;
	     at += LLDP_APPLICATION_BYTES)
		out->applications[out->application_count++] = (struct lldp_application){
			.priority = v[at] >> 5,
			.selector = v[at] & 7,
			.protocol = get16(v + at + 1),
		};
}

static void
read_organisation(struct lldp_pdu *out, const struct tlv *tlv)
{
	const uint8_t *v = tlv->value;
	size_t length;

	if (tlv->length < LLDP_ORGANISATION_BYTES ||
	    (uint32_t)(v[0] << 16 | v[1] << 8 | v[2]) != LLDP_OUI_8021)
		return;
	length = tlv->length - LLDP_ORGANISATION_BYTES;
	switch (v[3]) {
	case LLDP_DCBX_ETS:
		read_ets(&out->ets, v + LLDP_ORGANISATION_BYTES, length);
		break;
	case LLDP_DCBX_PFC:
		read_pfc(&out->pfc, v + LLDP_ORGANISATION_BYTES, length);
		break;
	case LLDP_DCBX_APPLICATIONS:
		read_applications(out, v + LLDP_ORGANISATION_BYTES, length);
		break;
	default:
		break;
	}
}

// Returns false for a TLV that is not allowed after the mandatory ones.
static bool
read_optional(struct lldp_pdu *out, const struct tlv *tlv)
{
	switch (tlv->type) {
	case LLDP_TYPE_CHASSIS:
	case LLDP_TYPE_PORT:
	case LLDP_TYPE_TTL:
		return false;
	case LLDP_TYPE_PORT_DESCRIPTION:
		read_text(out->port_description, tlv);
		break;
	case LLDP_TYPE_SYSTEM_NAME:
		read_text(out->system_name, tlv);
		break;
	case LLDP_TYPE_SYSTEM_DESCRIPTION:
		read_text(out->system_description, tlv);
		break;
	case LLDP_TYPE_CAPABILITIES:
		read_capabilities(out, tlv);
		break;
	case LLDP_TYPE_MANAGEMENT:
		read_management(out, tlv);
		break;
	case LLDP_TYPE_ORGANISATION:
		read_organisation(out, tlv);
		break;
	default:
		break;
	}
	return true;
}

int
lldp_parse(const uint8_t *frame, size_t length, struct lldp_pdu *out)
{
	const uint8_t *at, *end = frame + length;
	struct tlv tlv;

	memset(out, 0, sizeof(*out));
	if (length < LLDP_ETHERNET_BYTES || get16(frame + 12) != LLDP_ETHERTYPE_LLDP)
		return -EBADMSG;
	at = frame + LLDP_ETHERNET_BYTES;
	if (!take_id(&at, end, LLDP_TYPE_CHASSIS, &out->chassis) ||
	    !take_id(&at, end, LLDP_TYPE_PORT, &out->port) || !take(&at, end, &tlv) ||
	    tlv.type != LLDP_TYPE_TTL || tlv.length < 2)
		return -EBADMSG;
	out->ttl = get16(tlv.value);
	while (out->ttl != 0 && at != end) {
		if (!take(&at, end, &tlv) ||
		    (tlv.type != LLDP_TYPE_END && !read_optional(out, &tlv)))
			return -EBADMSG;
		if (tlv.type == LLDP_TYPE_END)
			break;
	}
	return 0;
}

// ---- identifiers --------------------------------------------------------------------------------

static const char *
id_text(const struct lldp_id *id, unsigned mac, unsigned address, char text[static LLDP_TEXT_MAX])
{
	const uint8_t *b = id->bytes;

	if (id->subtype == mac && id->length == 6) {
		snprintf(text, LLDP_TEXT_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2],
			 b[3], b[4], b[5]);
	} else if (id->subtype == address && id->length == 5 && b[0] == LLDP_FAMILY_IP4) {
		inet_ntop(AF_INET, b + 1, text, LLDP_TEXT_MAX);
	} else if (id->subtype == address && id->length == 17 && b[0] == LLDP_FAMILY_IP6) {
		inet_ntop(AF_INET6, b + 1, text, LLDP_TEXT_MAX);
	} else {
		put_text(text, b, id->length);
	}
	return text;
}

const char *
lldp_chassis_text(const struct lldp_id *id, char text[static LLDP_TEXT_MAX])
{
	return id_text(id, LLDP_CHASSIS_MAC, LLDP_CHASSIS_ADDRESS, text);
}

const char *
lldp_port_text(const struct lldp_id *id, char text[static LLDP_TEXT_MAX])
{
	return id_text(id, LLDP_PORT_MAC, LLDP_PORT_ADDRESS, text);
}

const char *
lldp_capability_name(unsigned bit)
{
	static const char *const names[] = {
		"other",  "repeater", "bridge", "wlan",   "router", "telephone",
		"docsis", "station",  "c-vlan", "s-vlan", "relay",
	};

	return bit < sizeof(names) / sizeof(names[0]) ? names[bit] : NULL;
}

const char *
lldp_selector_name(uint8_t selector)
{
	static const char *const names[] = {
		[LLDP_ETHERTYPE] = "ethertype", [LLDP_TCP] = "tcp",   [LLDP_UDP] = "udp",
		[LLDP_TCP_UDP] = "tcp-udp",     [LLDP_DSCP] = "dscp",
	};

	return selector < sizeof(names) / sizeof(names[0]) ? names[selector] : NULL;
}

static bool
same_id(const struct lldp_id *a, const struct lldp_id *b)
{
	return a->subtype == b->subtype && a->length == b->length &&
	       memcmp(a->bytes, b->bytes, a->length) == 0;
}

bool
lldp_same_sender(const struct lldp_pdu *a, const struct lldp_pdu *b)
{
	return same_id(&a->chassis, &b->chassis) && same_id(&a->port, &b->port);
}
