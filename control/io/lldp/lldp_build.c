// SPDX-License-Identifier: BSD-3-Clause
#include "lldp_internal.h"

#include <string.h>

struct writer {
	uint8_t *frame;
	size_t length;
};

static void
put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

// Adds a TLV if it still fits together with the one that ends the PDU. Returns where its value
// goes, or NULL.
static uint8_t *
add(struct writer *w, enum lldp_type type, size_t length)
{
	uint8_t *at = w->frame + w->length;

	if (w->length + LLDP_HEADER_BYTES + length + LLDP_HEADER_BYTES > LLDP_FRAME_MAX)
		return NULL;
	put16(at, (uint16_t)(type << 9 | length));
	w->length += LLDP_HEADER_BYTES + length;
	return at + LLDP_HEADER_BYTES;
}

static void
add_id(struct writer *w, enum lldp_type type, const struct lldp_id *id)
{
	uint8_t *at = add(w, type, 1u + id->length);

	if (at == NULL)
		return;
	at[0] = id->subtype;
	memcpy(at + 1, id->bytes, id->length);
}

static void
add_text(struct writer *w, enum lldp_type type, const char *text)
{
	size_t length = strlen(text);
	uint8_t *at = length != 0 ? add(w, type, length) : NULL;

	if (at != NULL)
		memcpy(at, text, length);
}

static void
add_capabilities(struct writer *w, const struct lldp_pdu *pdu)
{
	uint8_t *at = pdu->capabilities != 0 ? add(w, LLDP_TYPE_CAPABILITIES, 4) : NULL;

	if (at == NULL)
		return;
	put16(at, pdu->capabilities);
	put16(at + 2, pdu->enabled);
}

static void
add_management(struct writer *w, uint8_t family, const uint8_t *address, size_t bytes)
{
	uint8_t *at = add(w, LLDP_TYPE_MANAGEMENT, 2 + bytes + LLDP_NUMBERING_BYTES);

	if (at == NULL)
		return;
	memset(at, 0, 2 + bytes + LLDP_NUMBERING_BYTES);
	at[0] = (uint8_t)(1 + bytes);
	at[1] = family;
	memcpy(at + 2, address, bytes);
	at[2 + bytes] = LLDP_NUMBERING_UNKNOWN;
}

static uint8_t *
add_8021(struct writer *w, enum lldp_dcbx subtype, size_t length)
{
	uint8_t *at = add(w, LLDP_TYPE_ORGANISATION, LLDP_ORGANISATION_BYTES + length);

	if (at == NULL)
		return NULL;
	at[0] = (uint8_t)(LLDP_OUI_8021 >> 16);
	at[1] = (uint8_t)(LLDP_OUI_8021 >> 8);
	at[2] = (uint8_t)LLDP_OUI_8021;
	at[3] = (uint8_t)subtype;
	memset(at + LLDP_ORGANISATION_BYTES, 0, length);
	return at + LLDP_ORGANISATION_BYTES;
}

static void
add_ets(struct writer *w, enum lldp_dcbx subtype, const struct lldp_ets *ets)
{
	uint8_t *at = add_8021(w, subtype, LLDP_ETS_BYTES);

	if (at == NULL)
		return;
	if (subtype == LLDP_DCBX_ETS)
		at[0] = (uint8_t)(ets->willing << 7 | ets->credit_shaper << 6 |
				  (ets->classes & 7)); // 8 is written 0
	for (unsigned p = 0; p < LLDP_CLASSES; p++)
		at[1 + p / 2] |=
			(uint8_t)((ets->priority_to_class[p] & 15) << (p % 2 == 0 ? 4 : 0));
	memcpy(at + 5, ets->bandwidth, LLDP_CLASSES);
	memcpy(at + 5 + LLDP_CLASSES, ets->algorithm, LLDP_CLASSES);
}

static void
add_pfc(struct writer *w, const struct lldp_pfc *pfc)
{
	uint8_t *at = add_8021(w, LLDP_DCBX_PFC, LLDP_PFC_BYTES);

	if (at == NULL)
		return;
	at[0] = (uint8_t)(pfc->willing << 7 | pfc->bypass << 6 | (pfc->classes & 15));
	at[1] = pfc->enabled;
}

static void
add_applications(struct writer *w, const struct lldp_pdu *pdu)
{
	uint8_t *at = add_8021(w, LLDP_DCBX_APPLICATIONS,
			       1 + LLDP_APPLICATION_BYTES * pdu->application_count);

	for (unsigned i = 0; at != NULL && i < pdu->application_count; i++) {
		const struct lldp_application *a = &pdu->applications[i];
		uint8_t *to = at + 1 + LLDP_APPLICATION_BYTES * i;

		to[0] = (uint8_t)(a->priority << 5 | (a->selector & 7));
		put16(to + 1, a->protocol);
	}
}

static void
add_optional(struct writer *w, const struct lldp_pdu *pdu)
{
	add_text(w, LLDP_TYPE_PORT_DESCRIPTION, pdu->port_description);
	add_text(w, LLDP_TYPE_SYSTEM_NAME, pdu->system_name);
	add_text(w, LLDP_TYPE_SYSTEM_DESCRIPTION, pdu->system_description);
	add_capabilities(w, pdu);
	if (pdu->has_ip4)
		add_management(w, LLDP_FAMILY_IP4, pdu->ip4, sizeof(pdu->ip4));
	if (pdu->has_ip6)
		add_management(w, LLDP_FAMILY_IP6, pdu->ip6, sizeof(pdu->ip6));
	if (pdu->ets.present) {
		add_ets(w, LLDP_DCBX_ETS, &pdu->ets);
		add_ets(w, LLDP_DCBX_ETS_RECOMMENDED, &pdu->ets);
	}
	if (pdu->pfc.present)
		add_pfc(w, &pdu->pfc);
	if (pdu->application_count != 0)
		add_applications(w, pdu);
}

size_t
lldp_build(const struct lldp_pdu *pdu, const uint8_t source[static 6],
	   uint8_t frame[static LLDP_FRAME_MAX])
{
	static const uint8_t nearest_bridge[6] = {0x01, 0x80, 0xc2, 0, 0, 0x0e};
	struct writer w = {frame, LLDP_ETHERNET_BYTES};
	uint8_t *ttl;

	memcpy(frame, nearest_bridge, 6);
	memcpy(frame + 6, source, 6);
	put16(frame + 12, LLDP_ETHERTYPE_LLDP);
	add_id(&w, LLDP_TYPE_CHASSIS, &pdu->chassis);
	add_id(&w, LLDP_TYPE_PORT, &pdu->port);
	ttl = add(&w, LLDP_TYPE_TTL, 2);
	if (ttl != NULL)
		put16(ttl, pdu->ttl);
	if (pdu->ttl != 0)
		add_optional(&w, pdu);
	put16(frame + w.length, LLDP_TYPE_END);
	return w.length + LLDP_HEADER_BYTES;
}
