// SPDX-License-Identifier: BSD-3-Clause
// The schema of an item of `events:`. Its key says what it changes: link, route,
// set, unset, snapshot, tx, pfc, clear or restore.
#include "schema_keys_internal.h"

#include "control/base/memory.h"
#include "error_rate.h"
#include "scalar.h"
#include "yaml_emit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) SCHEMA_AT(struct config_event, member)

#define LINK (1u << CONFIG_EVENT_LINK)
#define ROUTE (1u << CONFIG_EVENT_ROUTE)
#define SET (1u << CONFIG_EVENT_SET)
#define SNAPSHOT (1u << CONFIG_EVENT_SNAPSHOT)
#define PORT_TX (1u << CONFIG_EVENT_PORT_TX)
#define PORT_PFC (1u << CONFIG_EVENT_PORT_PFC)
#define CLEAR (1u << CONFIG_EVENT_CLEAR)
#define RESTORE (1u << CONFIG_EVENT_RESTORE)
#define UNSET (1u << CONFIG_EVENT_UNSET)

static const char *const kind_keys[] = {
	[CONFIG_EVENT_LINK] = "link",   [CONFIG_EVENT_ROUTE] = "route",
	[CONFIG_EVENT_SET] = "set",     [CONFIG_EVENT_SNAPSHOT] = "snapshot",
	[CONFIG_EVENT_PORT_TX] = "tx",  [CONFIG_EVENT_PORT_PFC] = "pfc",
	[CONFIG_EVENT_CLEAR] = "clear", [CONFIG_EVENT_RESTORE] = "restore",
	[CONFIG_EVENT_UNSET] = "unset", NULL,
};
static const char *const kind_names[] = {
	[CONFIG_EVENT_LINK] = "a link event",       [CONFIG_EVENT_ROUTE] = "a route event",
	[CONFIG_EVENT_SET] = "a set event",         [CONFIG_EVENT_SNAPSHOT] = "a snapshot event",
	[CONFIG_EVENT_PORT_TX] = "a port tx event", [CONFIG_EVENT_PORT_PFC] = "a port pfc event",
	[CONFIG_EVENT_CLEAR] = "a clear event",     [CONFIG_EVENT_RESTORE] = "a restore event",
	[CONFIG_EVENT_UNSET] = "an unset event",
};

static uint32_t
event_select(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_event *event = base;
	unsigned kind;

	event->queue = event->pg = event->pool = -1;
	if (decode_find_kind(d, node, kind_keys, "one event changes one thing", &kind)) {
		event->kind = kind;
		return 1u << kind;
	}
	if (kind != DECODE_NONE)
		return 0;
	if (yaml_tree_get(node, "port") != NULL)
		decode_error(d, node->pos, "needs \"tx\" or \"pfc\": what happens to the port");
	else if (yaml_tree_get(node, "node") != NULL)
		decode_error(d, node->pos,
			     "needs \"route\" or \"clear\": what happens to the node");
	else
		decode_error(d, node->pos,
			     "needs one of link, route, set, unset, snapshot, port, clear, "
			     "restore");
	return 0;
}

// A node as the text of a value in flow style.
static void
write_flow(FILE *out, const struct yaml_node *node)
{
	bool map = node->kind == YAML_MAP;

	if (node->kind == YAML_SCALAR) {
		yaml_write_word(out, node->text);
		return;
	}
	fputc(map ? '{' : '[', out);
	for (unsigned i = 0; i < node->count; i++) {
		fputs(i == 0 ? "" : ", ", out);
		if (map) {
			yaml_write_word(out, node->pairs[i].key);
			fputs(": ", out);
		}
		write_flow(out, map ? node->pairs[i].value : node->items[i]);
	}
	fputc(map ? '}' : ']', out);
}

// `to`: a word, a list or a map.
static void
decode_to(struct decoder *d, const struct schema_key *key, const struct yaml_node *node, void *base)
{
	struct config_event *event = base;
	char *text;
	size_t size;
	FILE *out;

	(void)key;
	event->to = (struct config_name){.text = node->text, .pos = node->pos};
	if (node->kind == YAML_SCALAR) {
		decode_text(d, node);
		return;
	}
	out = memory_stream_open(&text, &size);
	write_flow(out, node);
	fclose(out);
	event->to.text = arena_text(d->arena, text, size);
	free(text);
}

static void
decode_error_rate(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		  void *base)
{
	const char *text = decode_text(d, node);
	char why[SCALAR_WHY];

	if (text != NULL &&
	    error_rate_read(text, (uint64_t *)((char *)base + key->offset), why) != 0)
		decode_error(d, node->pos, "%s", why);
}

static bool
encode_error_rate(FILE *to, const struct schema_key *key, const void *base)
{
	char text[CONFIG_TEXT];

	return fputs(error_rate_text(*(const uint64_t *)((const char *)base + key->offset), text),
		     to) >= 0;
}

// What is cleared: of a node, a port, a group or a queue of a port, or a pool.
static void
check_clear(struct decoder *d, const struct yaml_node *node, const struct config_event *event)
{
	bool port = event->port.text != NULL;

	if (!port && (event->pg >= 0 || event->queue >= 0))
		decode_error(d, node->pos, "pg and queue need \"port\"");
	else if (event->pg >= 0 && event->queue >= 0)
		decode_error(d, node->pos, "clears either a pg or a queue");
	else if (port && (event->pool >= 0 || event->node.text != NULL))
		decode_error(d, node->pos, "a port excludes node and pool");
}

static void
event_check(struct decoder *d, const struct yaml_node *node, void *base)
{
	static const struct {
		const char *key;
		enum config_link_change change;
	} changes[] = {
		{"state", CONFIG_LINK_STATE},
		{"rate", CONFIG_LINK_RATE},
		{"delay", CONFIG_LINK_DELAY},
		{"loss", CONFIG_LINK_LOSS},
		{"corrupt", CONFIG_LINK_CORRUPT},
		{"drop", CONFIG_LINK_DROP},
		{"corrupt-payload", CONFIG_LINK_CORRUPT_PAYLOAD},
		{"bit-error-rate", CONFIG_LINK_BIT_ERRORS},
	};
	struct config_event *event = base;

	if (event->kind == CONFIG_EVENT_CLEAR)
		check_clear(d, node, event);
	if (event->kind != CONFIG_EVENT_LINK)
		return;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (yaml_tree_get(node, changes[i].key) != NULL)
			event->changes |= changes[i].change;
	if (event->changes == 0)
		decode_error(d, node->pos,
			     "needs one of state, rate, delay, loss, corrupt, corrupt-payload, "
			     "bit-error-rate, drop");
}

static const struct schema_choice states[] = {{"down", false}, {"up", true}, {NULL, 0}};
// The one form there is: nothing to store.
static const struct schema_choice snapshots[] = {{"full", 0}, {NULL, 0}};

static const struct schema_choice watermarks[] = {
	{"watermarks", false}, {"persistent-watermarks", true}, {NULL, 0}};

// The pools of the configuration, and the headroom.
static const struct schema_choice watermark_pools[] = {
	{"ingress-lossless", CONFIG_POOL_INGRESS_LOSSLESS},
	{"ingress-lossy", CONFIG_POOL_INGRESS_LOSSY},
	{"egress-lossless", CONFIG_POOL_EGRESS_LOSSLESS},
	{"egress-lossy", CONFIG_POOL_EGRESS_LOSSY},
	{"headroom", CONFIG_POOLS},
	{NULL, 0}};

static const struct schema_key drop_keys[] = {
	{"ip-id-low-byte", SCHEMA_INTEGER, .help = "low byte of the IPv4 identification",
	 AT(ip_id_low_byte), .min = 0, .max = 255, .required = 1},
};
static const struct schema_key pfc_keys[] = {
	{"priorities", SCHEMA_BITS, .help = "priorities whose enable bit is set", AT(priorities),
	 .max = CONFIG_PRIORITIES - 1, .form = &schema_form_priorities, .required = 1},
	{"quanta", SCHEMA_INTEGER, .help = "pause time, in units of 512 bit times", AT(quanta),
	 .min = 0, .max = 65535, .required = 1},
};

static const struct schema_form word = {.type = SCHEMA_TEXT};
static const struct schema_form value_map = {.type = SCHEMA_NAMED, .item = &word};
static const struct schema_form value_list = {
	.type = SCHEMA_LIST, .item = &word, .other = &value_map};
static const struct schema_form value = {.type = SCHEMA_TEXT, .other = &value_list};

static const struct schema_key keys[] = {
	{"at", SCHEMA_DURATION, .def = "0us", .help = "when", AT(at_ps), .min = 0,
	 .max = INT64_MAX},
	{"link", SCHEMA_TEXT, .help = "such as leaf1-spine1", AT(link), .kinds = LINK},
	{"state", SCHEMA_ENUM, .help = "up or down", AT(up), .choices = states, .kinds = LINK},
	{"rate", SCHEMA_RATE, .help = "new rate", AT(rate_bps), SCHEMA_RATES, .kinds = LINK},
	{"delay", SCHEMA_DURATION, .help = "new delay", AT(delay_ps), SCHEMA_SECOND, .kinds = LINK},
	{"loss", SCHEMA_PERCENT, .help = "share of packets lost", AT(loss_ppm), .kinds = LINK},
	{"corrupt", SCHEMA_PERCENT, .help = "share of frames that get a wrong FCS", AT(corrupt_ppm),
	 .kinds = LINK},
	{"corrupt-payload", SCHEMA_PERCENT, .help = "share of RoCEv2 packets that get a wrong ICRC",
	 AT(corrupt_payload_ppm), .kinds = LINK},
	{"bit-error-rate", SCHEMA_CUSTOM,
	 .help = "probability that a bit is wrong, 0, or 1e-15 to 1e-3; frames with wrong bits get "
		 "a wrong FCS",
	 AT(bit_error_rate), .decode = decode_error_rate, .encode = encode_error_rate,
	 SCHEMA_FORM(.type = SCHEMA_TEXT, .pattern = "^[0-9]+(\\.[0-9]+)?([eE]-[0-9]+)?$",
		     .words = "number such as 1e-9"),
	 .kinds = LINK},
	{"drop", SCHEMA_MAP, .help = "the packets that match",
	 .sub = &(const struct schema){SCHEMA_COUNT(drop_keys)}, .kinds = LINK},
	{"for", SCHEMA_DURATION, .help = "undo the change after this time", AT(for_ps), .min = 1,
	 .max = INT64_MAX, .kinds = LINK},
	{"node", SCHEMA_NAME,
	 .help = "the node whose table or watermarks change; watermarks: all nodes by default",
	 AT(node), .kinds = ROUTE | CLEAR},
	{"route", SCHEMA_MAP, .help = "{vrf, prefix, via}", AT(route), .sub = &schema_route,
	 .kinds = ROUTE},
	{"set", SCHEMA_TEXT, .help = "a key, such as switch.qos.tc.3.ecn.min", AT(key),
	 .kinds = SET},
	{"unset", SCHEMA_TEXT, .help = "a key to remove, so that its default applies", AT(key),
	 .kinds = UNSET},
	// Custom: its type is that of the key that the event sets, so it is kept as a text.
	{"to", SCHEMA_CUSTOM, .help = "its new value", AT(to), .decode = decode_to, .form = &value,
	 .kinds = SET, .required = SET},
	{"snapshot", SCHEMA_ENUM, .help = "full", AT(changes), .choices = snapshots,
	 .kinds = SNAPSHOT},
	{"port", SCHEMA_TEXT, .help = "such as swp2, or leaf1.swp2", AT(port),
	 .kinds = PORT_TX | PORT_PFC | CLEAR, .required = PORT_TX | PORT_PFC},
	{"tx", SCHEMA_BOOL, .help = "off stops transmission", AT(tx_on), .kinds = PORT_TX},
	{"queue", SCHEMA_INTEGER, .help = "only this queue", AT(queue), .min = 0, .max = 7,
	 .kinds = PORT_TX | CLEAR},
	{"pfc", SCHEMA_MAP, .help = "a PFC frame, as if the port had received it",
	 .sub = &(const struct schema){SCHEMA_COUNT(pfc_keys)}, .kinds = PORT_PFC},
	{"clear", SCHEMA_ENUM, .help = "watermarks or persistent-watermarks", AT(persistent),
	 .choices = watermarks, .kinds = CLEAR},
	{"pg", SCHEMA_INTEGER, .help = "only this priority group of the port", AT(pg), .min = 0,
	 .max = 7, .kinds = CLEAR},
	{"pool", SCHEMA_ENUM, .help = "only this pool", AT(pool), .choices = watermark_pools,
	 .kinds = CLEAR},
	{"restore", SCHEMA_TEXT, .help = "a queue, such as swp2.3 or leaf1.swp2.3", AT(restore),
	 .kinds = RESTORE},
};

int
config_read_link_event(struct config_event *out, struct arena *arena, const struct yaml_node *map,
		       struct diag *diag)
{
	struct decoder d = {.file = "link", .diag = diag, .arena = arena};
	unsigned before = diag->errors;

	*out = (struct config_event){0};
	decode_map(&d, &schema_event, map, out);
	return diag->errors == before ? 0 : -EINVAL;
}

const struct schema schema_event = {
	SCHEMA_COUNT(keys),
	.size = sizeof(struct config_event),
	SCHEMA_POS(struct config_event, pos),
	.kind_names = kind_names,
	.select = event_select,
	.check = event_check,
	.kind_keys = kind_keys,
};
