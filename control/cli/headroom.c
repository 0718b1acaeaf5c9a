// SPDX-License-Identifier: BSD-3-Clause
// roost headroom: how much a lossless priority group must be able to hold after its XOFF went out,
// for a link given on the command line, with the sum laid open term by term.
#include "cli.h"

#include "control/config/scalar.h"
#include "control/config/schema.h"
#include "control/model/tables/pfc_headroom.h"

#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define FRAME_OVERHEAD 24 // preamble, FCS and gap of Ethernet
#define CELL_MAX 16384
#define DELAY_MAX_PS UINT64_C(1000000000000) // as in files: one second

struct request {
	struct headroom_input in;
	uint64_t delay_ps;
	bool json;
};

struct answer {
	struct headroom_terms formula;
	struct headroom_floor floor;
	uint64_t needed;
	uint64_t headroom; // of `headroom: auto`: the larger
};

static int
refuse(const char *command, const char *what, const char *why)
{
	return cli_usage(command, "%s: %s", what, why);
}

static int
take_integer(const char *command, const char *what, const char *text, int64_t min, int64_t max,
	     uint32_t *out)
{
	char why[SCALAR_WHY];
	int64_t value;

	if (scalar_integer(text, min, max, &value, why) != 0)
		return refuse(command, what, why);
	*out = (uint32_t)value;
	return CLI_OK;
}

static int
take_options(struct request *r, int argc, char **argv)
{
	static const struct option options[] = {{"lossless-mtu", required_argument, NULL, 'l'},
						{"small-packets", required_argument, NULL, 's'},
						{"cell", required_argument, NULL, 'c'},
						{"output", required_argument, NULL, 'o'},
						{NULL, 0, NULL, 0}};
	char why[SCALAR_WHY];
	int option, status = CLI_OK;

	while (status == CLI_OK && (option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		switch (option) {
		case 'l':
			status = take_integer(argv[0], "--lossless-mtu", optarg, SCHEMA_MTU_MIN,
					      SCHEMA_MTU_MAX, &r->in.lossless_mtu);
			break;
		case 's':
			if (scalar_percent(optarg, &r->in.small_packets_ppm, why) != 0)
				status = refuse(argv[0], "--small-packets", why);
			break;
		case 'c':
			status = take_integer(argv[0], "--cell", optarg, 1, CELL_MAX, &r->in.cell);
			break;
		case 'o':
			r->json = strcmp(optarg, "json") == 0;
			if (!r->json && strcmp(optarg, "text") != 0)
				status = cli_usage(argv[0], "-o %s: json or text", optarg);
			break;
		default:
			return cli_usage_hint(argv[0]);
		}
	}
	return status;
}

static int
take_link(struct request *r, const char *command, char **arguments)
{
	char why[SCALAR_WHY];

	if (scalar_rate(arguments[0], &r->in.rate_bps, why) != 0)
		return refuse(command, "RATE", why);
	if (r->in.rate_bps < (uint64_t)SCHEMA_RATE_MIN ||
	    r->in.rate_bps > (uint64_t)SCHEMA_RATE_MAX)
		return cli_usage(command, "RATE: %s is out of range: 10M to 8T", arguments[0]);
	if (scalar_cable(arguments[1], &r->in.cable_mm, why) != 0)
		return refuse(command, "CABLE", why);
	r->delay_ps = scalar_cable_delay_ps(r->in.cable_mm);
	if (r->delay_ps > DELAY_MAX_PS)
		return cli_usage(command, "CABLE: %s takes a signal more than a second",
				 arguments[1]);
	return take_integer(command, "MTU", arguments[2], SCHEMA_MTU_MIN, SCHEMA_MTU_MAX,
			    &r->in.mtu);
}

static void
print_text(const struct request *r, const struct answer *a)
{
	const struct headroom_terms *f = &a->formula;
	const struct headroom_floor *n = &a->floor;

	printf("headroom  %" PRIu64
	       " B   what `headroom: auto` gives such a port: the larger of the two below\n"
	       "xoff      %" PRIu64 " B   by SONiC's formula\n"
	       "needed    %" PRIu64 " B   at the least, by Roost's model\n"
	       "xon       %d B   by SONiC: a pipeline of 19 KB\n\n",
	       a->headroom, f->xoff, a->needed, HEADROOM_XON_BYTES);
	printf("xoff: what still arrives once a group has asked its peer to pause\n"
	       "  %12.1f B  a packet of the MTU is being sent, and the pause waits behind it\n"
	       "  %12.1f B  the cable, there and back (%" PRIu64 ".%03u ns one way)\n"
	       "  %12.1f B  MAC and PHY\n",
	       f->packet, f->cable, r->delay_ps / 1000, (unsigned)(r->delay_ps % 1000), f->mac_phy);
	if (f->response_quanta != 0)
		printf("  %12.1f B  the peer obeys after %u pause quanta of 512 bits (IEEE 802.3, "
		       "31B.3.7)\n",
		       f->response, f->response_quanta);
	else
		printf("  %12.1f B  the peer obeys; the standard lists no time for this rate\n",
		       f->response);
	printf("  %12.1f B  across a chip that has cells of %u B, 120 ns\n"
	       "  x %10.4f    as the worst packets fill cells of %u B: %g %% of them are 64 B "
	       "long\n"
	       "  %12.1f B  a lossless packet that was coming in when the limit was passed\n"
	       "  %12" PRIu64 " B  in all, in whole KB of 1024 B\n\n",
	       f->tile, r->in.cell, f->occupancy, r->in.cell, r->in.small_packets_ppm / 1e4,
	       f->lossless, f->xoff);
	printf("needed: this model's ports stop between two frames and lose no other time\n"
	       "  %12" PRIu64
	       " B  our frame that the pause waits behind, with preamble, FCS and gap\n"
	       "  %12" PRIu64 " B  the pause\n"
	       "  %12" PRIu64 " B  the cable, there and back\n"
	       "  %12" PRIu64 " B  the frame that the peer is in the middle of\n"
	       "  %12" PRIu64 " B  the cells that all this fills, in frames of the worst size\n"
	       "  %12" PRIu64 " B  and those of the frame that called for the pause\n"
	       "  %12" PRIu64 " B  in all\n",
	       n->packet, n->pause, n->round_trip, n->peer, n->filled, n->first, a->needed);
}

static int
print_json(const struct request *r, const struct answer *a)
{
	const struct headroom_terms *f = &a->formula;
	const struct headroom_floor *n = &a->floor;
	json_t *answer = json_pack(
		"{s:I,s:I,s:I,s:i,s:i,s:f,s:i,s:I,s:I,s:I,s:i,"
		"s:{s:f,s:f,s:f,s:f,s:f,s:f,s:f},s:{s:I,s:I,s:I,s:I,s:I,s:I}}",
		"rate_bps", (json_int_t)r->in.rate_bps, "cable_mm", (json_int_t)r->in.cable_mm,
		"delay_ps", (json_int_t)r->delay_ps, "mtu", (int)r->in.mtu, "lossless_mtu",
		(int)r->in.lossless_mtu, "small_packets_percent", r->in.small_packets_ppm / 1e4,
		"cell", (int)r->in.cell, "headroom", (json_int_t)a->headroom, "xoff",
		(json_int_t)f->xoff, "needed", (json_int_t)a->needed, "xon", HEADROOM_XON_BYTES,
		"xoff_terms", "packet", f->packet, "cable", f->cable, "mac_phy", f->mac_phy,
		"response", f->response, "tile", f->tile, "occupancy", f->occupancy, "lossless",
		f->lossless, "needed_terms", "packet", (json_int_t)n->packet, "pause",
		(json_int_t)n->pause, "round_trip", (json_int_t)n->round_trip, "peer",
		(json_int_t)n->peer, "filled", (json_int_t)n->filled, "first",
		(json_int_t)n->first);

	if (answer == NULL)
		return CLI_FAILED;
	json_dumpf(answer, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(answer);
	return CLI_OK;
}

int
cmd_headroom(int argc, char **argv)
{
	struct request r = {.in = {.lossless_mtu = HEADROOM_LOSSLESS_MTU,
				   .small_packets_ppm = HEADROOM_SMALL_PACKETS_PPM,
				   .cell = HEADROOM_CELL}};
	int status = take_options(&r, argc, argv);
	struct answer a;

	if (status == CLI_OK && argc - optind != 3)
		return cli_usage(argv[0], "a rate, a cable and an MTU: 100G 40m 9100");
	if (status == CLI_OK)
		status = take_link(&r, argv[0], &argv[optind]);
	if (status != CLI_OK)
		return status;
	headroom_formula_terms(&r.in, &a.formula);
	headroom_needed_terms(&r.in, r.delay_ps, 0, FRAME_OVERHEAD, &a.floor);
	a.needed = a.floor.filled + a.floor.first;
	a.headroom = a.needed > a.formula.xoff ? a.needed : a.formula.xoff;
	if (r.json)
		return print_json(&r, &a);
	print_text(&r, &a);
	return CLI_OK;
}
