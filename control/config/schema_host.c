// SPDX-License-Identifier: BSD-3-Clause
// The schema of a host's settings: `hosts:` and a host's own section.
#include "schema_keys_internal.h"

#include "dataplane/roce/nic.h"

#include <string.h>

#define AT(member) SCHEMA_AT(struct host_config, member)

#define TRANSPORT(id, word) {word, NIC_TRANSPORT_##id},
static const struct schema_choice transports[] = {
	// clang-format off
	NIC_TRANSPORTS(TRANSPORT)
	// clang-format on
	{NULL, 0},
};
static const struct schema_choice recoveries[] = {
	{"go-back-n", CONFIG_RECOVERY_GO_BACK_N},
	{"selective", CONFIG_RECOVERY_SELECTIVE},
	{"go-back-0", CONFIG_RECOVERY_GO_BACK_0},
	{NULL, 0},
};
static const struct schema_choice placements[] = {
	{"in-order", CONFIG_PLACEMENT_IN_ORDER},
	{"out-of-order", CONFIG_PLACEMENT_OUT_OF_ORDER},
	{NULL, 0},
};

static const struct schema_key cnp_keys[] = {
	{"dscp", SCHEMA_INTEGER, .def = "48", .help = "DSCP of CNPs", AT(cnp_dscp), .min = 0,
	 .max = 63},
	{"interval", SCHEMA_DURATION, .def = "50us", .help = "at most one CNP in this time",
	 AT(cnp_interval_ps), SCHEMA_SECOND},
};

static const struct schema_key inside_keys[] = {
	{"rate", SCHEMA_RATE, .def = "3.6T", .help = "between a host's GPUs", AT(inside_rate_bps),
	 .min = SCHEMA_RATE_MIN, .max = INT64_C(1000000000000000)},
	{"delay", SCHEMA_DURATION, .def = "1us", .help = "delay of a transfer between them",
	 AT(inside_delay_ps), SCHEMA_SECOND},
	{"chunk", SCHEMA_BYTES, .def = "message",
	 .help = "how much of a message for another NIC of its host must be there before that "
		 "NIC starts to send it; message: all of it",
	 AT(inside_chunk_bytes), .min = 1, .max = SCHEMA_BYTES_MAX, .word = "message"},
};

static const struct schema_key stall_keys[] = {
	{"every", SCHEMA_DURATION, .help = "a stall begins at each multiple of it",
	 SCHEMA_AT(struct config_stall, every_ps), .min = 1000, .max = SCHEMA_HOUR_PS,
	 .required = 1},
	{"for", SCHEMA_DURATION, .help = "how long it lasts",
	 SCHEMA_AT(struct config_stall, for_ps), .min = 1000, .max = SCHEMA_HOUR_PS, .required = 1},
};
static void
check_stall(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *length = yaml_tree_get(node, "for");
	const struct config_stall *stall = base;
	char every[CONFIG_TEXT], for_text[CONFIG_TEXT];

	if (length != NULL && stall->every_ps != 0 && stall->for_ps >= stall->every_ps)
		decode_error(d, length->value->pos,
			     "stalls of %s every %s: the receiver would never go on",
			     config_duration_text(stall->for_ps, for_text),
			     config_duration_text(stall->every_ps, every));
}

static const struct schema_form stall = {SCHEMA_MAP, .sub = &schema_stall,
					 .other = &schema_form_none};
const struct schema schema_stall = {SCHEMA_COUNT(stall_keys), .check = check_stall};

static const struct schema_key storm_keys[] = {
	{"from", SCHEMA_DURATION, .def = "0us", .help = "the first XOFF",
	 SCHEMA_AT(struct config_storm, from_ps), SCHEMA_HOUR},
	{"to", SCHEMA_DURATION, .help = "the XON", SCHEMA_AT(struct config_storm, to_ps), .min = 1,
	 .max = SCHEMA_HOUR_PS, .required = 1},
	{"priority", SCHEMA_BITS, .def = "3", .help = "one, or a list",
	 SCHEMA_AT(struct config_storm, priorities), .max = CONFIG_PRIORITIES - 1,
	 .form = &schema_form_priorities},
};
static void
check_storm(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *to = yaml_tree_get(node, "to");
	const struct yaml_pair *priority = yaml_tree_get(node, "priority");
	const struct config_storm *storm = base;
	char from[CONFIG_TEXT], end[CONFIG_TEXT];

	if (to != NULL && storm->to_ps != 0 && storm->to_ps <= storm->from_ps)
		decode_error(d, to->value->pos, "ends at %s, not after it begins at %s",
			     config_duration_text(storm->to_ps, end),
			     config_duration_text(storm->from_ps, from));
	if (priority != NULL && priority->value->kind == YAML_LIST && priority->value->count == 0)
		decode_error(d, priority->value->pos, "a storm of no priority");
}

static const struct schema_form storm = {SCHEMA_MAP, .sub = &schema_storm,
					 .other = &schema_form_none};
const struct schema schema_storm = {SCHEMA_COUNT(storm_keys), .check = check_storm};

static void
check_path_mtu(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	       void *base)
{
	uint32_t path_mtu = ((const struct host_config *)base)->path_mtu;

	(void)key;
	if (path_mtu != 0 && (path_mtu & (path_mtu - 1)) != 0)
		diag_warning(d->diag, d->file, node->pos, d->path,
			     "%s is none of RoCE's five (256, 512, 1024, 2048, 4096)", node->text);
}

static const struct schema_choice ip_versions[] = {{"4", 4}, {"6", 6}, {NULL, 0}};
static const struct schema_form ip_version = {SCHEMA_ENUM, .choices = ip_versions};

// One version, or both in the order in which they are preferred.
static void
decode_ip(struct decoder *d, const struct schema_key *key, const struct yaml_node *node, void *base)
{
	struct host_config *host = base;
	struct yaml_node *single[1];
	uint8_t versions[2] = {0, 0};
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);

	(void)key;
	if (items == NULL)
		return;
	if (count == 0 || count > 2)
		decode_error(d, node->pos, "needs 4, 6, or both: [4, 6]");
	for (unsigned i = 0; i < count && i < 2; i++) {
		const char *text = decode_text(d, items[i]);

		if (text == NULL)
			return;
		if (strcmp(text, "4") != 0 && strcmp(text, "6") != 0) {
			decode_error(d, items[i]->pos, "\"%.40s\" is not one of 4, 6", text);
			return;
		}
		versions[i] = (uint8_t)(text[0] - '0');
		if (i == 1 && versions[1] == versions[0])
			decode_error(d, items[i]->pos, "the list has %s twice", text);
	}
	host->ip_version = versions[0];
	host->ip_second = versions[1];
}

static bool
encode_ip(FILE *to, const struct schema_key *key, const void *base)
{
	const struct host_config *host = base;

	(void)key;
	if (host->ip_second == 0)
		return fprintf(to, "%u", host->ip_version) > 0;
	return fprintf(to, "[%u, %u]", host->ip_version, host->ip_second) > 0;
}

#define SPRAY(id, word) {word, ENTROPY_##id},
static const struct schema_choice sprays[] = {
	// clang-format off
	ENTROPY_MODES(SPRAY)
	// clang-format on
	{NULL, 0},
};

static void
check_paths(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	    void *base)
{
	uint16_t paths = *(const uint16_t *)((const char *)base + key->offset);

	if ((paths & (paths - 1)) != 0)
		decode_error(d, node->pos, "must be a power of two");
}

#define UET_AT(member) AT(sprayed[NIC_TRANSPORT_UET].member)
#define MRC_AT(member) AT(sprayed[NIC_TRANSPORT_MRC].member)

static const struct schema_key uet_keys[] = {
	{"paths", SCHEMA_INTEGER, .def = "64",
	 .help = "entropy values of a queue pair, a power of two", UET_AT(paths), .min = 1,
	 .max = ENTROPY_PATHS_MAX, .check = check_paths},
	{"spray", SCHEMA_ENUM, .def = "mixed",
	 .help = "how a packet's entropy value is chosen; mixed: reuse a value whose packet was "
		 "acknowledged without a mark, else the next without a penalty; reps: reuse such a "
		 "value, else a random one; oblivious: each in turn",
	 AT(uet.spray), .choices = sprays},
	{"ack-every", SCHEMA_INTEGER, .def = "4",
	 .help = "packets per acknowledgement, unless one is requested at once", UET_AT(ack_every),
	 .min = 1, .max = 64},
	{"credits", SCHEMA_BOOL, .def = "off",
	 .help = "the receiver grants what senders may send, at its line's rate", AT(uet.credits)},
	{"grant", SCHEMA_INTEGER, .def = "4", .help = "packets in a grant", AT(uet.grant), .min = 1,
	 .max = 1024},
	{"unsolicited", SCHEMA_INTEGER, .def = "1",
	 .help = "packets that a sender may send before the first grant", AT(uet.unsolicited),
	 .min = 1, .max = 65536},
};

static const struct schema_form plane_number = {SCHEMA_INTEGER, .min = 1, .max = NIC_PORTS_MAX};

// Planes count from 1, as a host's ports do.
static void
decode_planes(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	      void *base)
{
	struct host_config *host = base;
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);

	(void)key;
	host->mrc.denied = 0;
	for (unsigned i = 0; items != NULL && i < count; i++) {
		const char *text = decode_text(d, items[i]);

		if (text == NULL)
			return;
		if (text[0] < '1' || text[0] > '0' + NIC_PORTS_MAX || text[1] != '\0') {
			decode_error(d, items[i]->pos, "\"%.40s\" is no plane; planes are 1 to %u",
				     text, NIC_PORTS_MAX);
			return;
		}
		host->mrc.denied |= (uint8_t)(1u << (text[0] - '1'));
	}
	if (host->mrc.denied == UINT8_MAX)
		decode_error(d, node->pos, "every plane is denied");
}

static bool
encode_planes(FILE *to, const struct schema_key *key, const void *base)
{
	uint8_t denied = ((const struct host_config *)base)->mrc.denied;
	const char *before = "";

	(void)key;
	if (fputc('[', to) == EOF)
		return false;
	for (unsigned i = 0; i < NIC_PORTS_MAX; i++)
		if (denied >> i & 1) {
			if (fprintf(to, "%s%u", before, i + 1) < 0)
				return false;
			before = ", ";
		}
	return fputc(']', to) != EOF;
}

static const struct schema_key mrc_keys[] = {
	{"paths", SCHEMA_INTEGER, .def = "32",
	 .help = "entropy values of a queue pair in each plane, a power of two", MRC_AT(paths),
	 .min = 1, .max = MRC_PATHS_MAX, .check = check_paths},
	{"ack-every", SCHEMA_INTEGER, .def = "4",
	 .help = "packets per acknowledgement, unless one is requested at once", MRC_AT(ack_every),
	 .min = 1, .max = 64},
	{"deny-planes", SCHEMA_CUSTOM, .help = "planes not to use, such as [3]", AT(mrc.denied),
	 .decode = decode_planes, .encode = encode_planes,
	 SCHEMA_FORM(SCHEMA_LIST, .min = 0, .max = NIC_PORTS_MAX, .item = &plane_number)},
	{"probe-interval", SCHEMA_DURATION, .def = "100us",
	 .help = "time between probes of assumed-bad paths in a plane", AT(mrc.probe_interval),
	 .min = 1000, .max = SCHEMA_HOUR_PS},
};

#define PARAMETERS(id, name, word)                                             \
	{word, SCHEMA_MAP, .help = "parameters of " word, AT(parameters.name), \
	 .sub = &schema_congestion[CONGESTION_##id]},

static const struct schema_key host_keys[] = {
	{"transport", SCHEMA_ENUM, .def = "roce", .help = "transport protocol of the NIC",
	 AT(transport), .choices = transports},
	{"recovery", SCHEMA_ENUM, .def = "go-back-n", .help = "what is sent again after a loss",
	 AT(recovery), .choices = recoveries},
	{"placement", SCHEMA_ENUM, .def = "in-order",
	 .help = "whether a packet may arrive ahead of another", AT(placement),
	 .choices = placements},
	{"congestion", SCHEMA_ENUM, .def = "auto",
	 .help = "congestion control; auto: none with transport: roce, else nscc", AT(congestion),
	 .choices = schema_congestion_names},
	// clang-format off
	CONGESTION_ALGORITHMS(PARAMETERS)
	// clang-format on
	{"uet", SCHEMA_MAP, .help = "settings of transport uet",
	 .sub = &(const struct schema){SCHEMA_COUNT(uet_keys)}},
	{"mrc", SCHEMA_MAP, .help = "settings of transport mrc",
	 .sub = &(const struct schema){SCHEMA_COUNT(mrc_keys)}},
	{"path-mtu", SCHEMA_INTEGER, .def = "auto",
	 .help = "auto: the largest of 256..4096 that fits", AT(path_mtu), .min = 256, .max = 4096,
	 .word = "auto", .check = check_path_mtu,
	 SCHEMA_FORM(SCHEMA_INTEGER, .min = 256, .max = 4096, .other = &schema_form_auto)},
	{"ack-every", SCHEMA_INTEGER, .def = "1", .help = "packets per ACK", AT(ack_every),
	 .min = 1, .max = 65536},
	{"priority", SCHEMA_INTEGER, .def = "3", .help = "priority of the packets that it sends",
	 AT(priority), .min = 0, .max = 7},
	{"dscp", SCHEMA_INTEGER, .def = "auto", .help = "auto: the preset's for the priority",
	 AT(dscp), .min = 0, .max = 63, .word = "auto", .word_value = -1},
	{"ack-dscp", SCHEMA_INTEGER, .def = "auto", .help = "auto: the data's", AT(ack_dscp),
	 .min = 0, .max = 63, .word = "auto", .word_value = -1},
	{"cnp", SCHEMA_MAP, .help = "congestion notification packets",
	 .sub = &(const struct schema){SCHEMA_COUNT(cnp_keys)}},
	{"rto", SCHEMA_DURATION, .def = "1ms", .help = "retransmission timeout", AT(rto_ps),
	 .min = 1000000, .max = SCHEMA_HOUR_PS},
	{"reorder-window", SCHEMA_INTEGER, .def = "1024", .help = "packets placed ahead of a gap",
	 AT(reorder_window), .min = 1, .max = 65536},
	{"reorder-timeout", SCHEMA_DURATION, .def = "100us",
	 .help = "time after which a gap counts as a loss", AT(reorder_timeout_ps), .min = 1000,
	 .max = SCHEMA_HOUR_PS},
	{"ip", SCHEMA_CUSTOM, .def = "4",
	 .help = "IP version; with a list, simulated NICs use the first, attached hosts both",
	 AT(ip_version), .decode = decode_ip, .encode = encode_ip,
	 SCHEMA_FORM(SCHEMA_LIST, .min = 1, .max = 2, .item = &ip_version)},
	{"qps", SCHEMA_INTEGER, .def = "1", .help = "queue pairs a flow is split over", AT(qps),
	 .min = 1, .max = 1024},
	{"start-jitter", SCHEMA_DURATION, .def = "0ns", .help = "random start offset of each flow",
	 AT(start_jitter_ps), SCHEMA_SECOND},
	{"clock-ppm", SCHEMA_INTEGER, .def = "0", .help = "random skew of each host's rate",
	 AT(clock_ppm), .min = 0, .max = 1000},
	{"inside", SCHEMA_MAP, .help = "what a host's NICs exchange without the network",
	 .sub = &(const struct schema){SCHEMA_COUNT(inside_keys)}},
	{"pxn", SCHEMA_BOOL, .def = "off",
	 .help = "rail: go to another rail inside the host, not through the spines", AT(pxn)},
	{"drain-rate", SCHEMA_RATE, .def = "none",
	 .help = "slow receiver: the rate at which it takes packets", AT(drain_rate_bps),
	 SCHEMA_RATES, .word = "none"},
	{"drain-buffer", SCHEMA_BYTES, .def = "1MB",
	 .help = "buffer of each port for packets that it has not taken yet",
	 AT(drain_buffer_bytes), .min = 16000, .max = 1 << 30},
	{"stall", SCHEMA_MAP, .flags = SCHEMA_ANEW,
	 .help = "receiver that stops now and then, or none", AT(stall), .sub = &schema_stall,
	 .word = "none", .form = &stall},
	{"pause-storm", SCHEMA_MAP, .flags = SCHEMA_ANEW, .help = "sends PFC without need, or none",
	 AT(pause_storm), .sub = &schema_storm, .word = "none", .form = &storm},
	{"header-bytes", SCHEMA_BYTES, .def = "auto", .help = "auto: real frames", AT(header_bytes),
	 .min = 1, .max = 1024, .word = "auto", .word_value = -1},
	{"ack-bytes", SCHEMA_BYTES, .def = "auto", .help = "auto: real frames", AT(ack_bytes),
	 .min = 1, .max = 1024, .word = "auto", .word_value = -1},
};

const struct schema schema_host = {SCHEMA_COUNT(host_keys), .size = sizeof(struct host_config)};
