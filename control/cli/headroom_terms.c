// SPDX-License-Identifier: BSD-3-Clause
// roost headroom: how much a lossless priority group must be able to hold after it has sent XOFF,
// for a link given on the command line, term by term.
#include "cli.h"

#include "control/config/scalar.h"
#include "control/config/schema.h"
#include "control/model/tables/pfc_headroom.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FRAME_OVERHEAD 24 // preamble, FCS and gap of Ethernet
#define CELL_MAX 16384
#define DELAY_MAX_PS UINT64_C(1000000000000) // as in files: one second

struct request {
	struct headroom_input in;
	uint64_t delay_ps;
};

struct answer {
	struct headroom_terms formula;
	struct headroom_floor floor;
	uint64_t needed;
	uint64_t headroom; // of `headroom: auto`: the larger
};

static int
take_request(struct request *r, const struct cli_args *args)
{
	const char *rate = cli_text(args, "RATE"), *cable = cli_text(args, "CABLE");

	*r = (struct request){
		.in = {.rate_bps = cli_number(args, "RATE", 0),
		       .cable_mm = cli_number(args, "CABLE", 0),
		       .mtu = (uint32_t)cli_number(args, "MTU", 0),
		       .lossless_mtu =
			       (uint32_t)cli_number(args, "lossless-mtu", HEADROOM_LOSSLESS_MTU),
		       .small_packets_ppm = (uint32_t)cli_number(args, "small-packets",
								 HEADROOM_SMALL_PACKETS_PPM),
		       .cell = (uint32_t)cli_number(args, "cell", HEADROOM_CELL)},
	};
	if (r->in.rate_bps < (uint64_t)SCHEMA_RATE_MIN ||
	    r->in.rate_bps > (uint64_t)SCHEMA_RATE_MAX)
		return cli_usage(args->title, "RATE: %s is out of range: 10M to 8T", rate);
	r->delay_ps = scalar_cable_delay_ps(r->in.cable_mm);
	if (r->delay_ps > DELAY_MAX_PS)
		return cli_usage(args->title,
				 "CABLE: %s is out of range: a signal takes over a second", cable);
	return EXIT_OK;
}

static void
print_text(const struct request *r, const struct answer *a)
{
	const struct headroom_terms *f = &a->formula;
	const struct headroom_floor *n = &a->floor;

	printf("headroom  %" PRIu64
	       " B   that `headroom: auto` gives such a port: the larger of xoff and needed\n"
	       "xoff      %" PRIu64 " B   by SONiC's formula\n"
	       "needed    %" PRIu64 " B   the minimum for Roost's ports\n"
	       "xon       %d B   by SONiC: a pipeline of 19 KB\n\n",
	       a->headroom, f->xoff, a->needed, HEADROOM_XON_BYTES);
	printf("xoff: what still arrives after a group has decided to send a pause frame\n"
	       "  %12.1f B  while the port sends a packet of MTU size, for which the pause waits\n"
	       "  %12.1f B  on the cable, in both directions (%" PRIu64 ".%03u ns each)\n"
	       "  %12.1f B  in MAC and PHY\n",
	       f->packet, f->cable, r->delay_ps / 1000, (unsigned)(r->delay_ps % 1000), f->mac_phy);
	if (f->response_quanta != 0)
		printf("  %12.1f B  until the peer stops: %u pause quanta of 512 bits (IEEE 802.3, "
		       "31B.3.7)\n",
		       f->response, f->response_quanta);
	else
		printf("  %12.1f B  until the peer stops; the standard gives no time for this "
		       "rate\n",
		       f->response);
	printf("  %12.1f B  within the chip, for 120 ns, with cells of %u B\n"
	       "  x %10.4f    for partly filled cells of %u B, if %g %% of the packets have 64 B\n"
	       "  %12.1f B  a lossless packet that was arriving at the decision\n"
	       "  %12" PRIu64 " B  total, rounded up to KB of 1024 B\n\n",
	       f->tile, r->in.cell, f->occupancy, r->in.cell, r->in.small_packets_ppm / 1e4,
	       f->lossless, f->xoff);
	printf("needed: the same for Roost's ports, which stop at the end of a frame, without a "
	       "response time\n"
	       "  %12" PRIu64 " B  while the port sends a frame, with preamble, FCS and gap\n"
	       "  %12" PRIu64 " B  while it sends the pause frame\n"
	       "  %12" PRIu64 " B  on the cable, in both directions\n"
	       "  %12" PRIu64 " B  the rest of the frame that the peer is sending\n"
	       "  %12" PRIu64 " B  the cells that all of this fills, in frames of the worst size\n"
	       "  %12" PRIu64 " B  the cells of the frame that caused the pause\n"
	       "  %12" PRIu64 " B  total\n",
	       n->packet, n->pause, n->round_trip, n->peer, n->filled, n->first, a->needed);
}

static void
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

	cli_print_json(answer);
	json_decref(answer);
}

static int
headroom(const struct cli_args *args)
{
	struct request r;
	struct answer a;

	if (take_request(&r, args) != EXIT_OK)
		return EXIT_USAGE;
	a.formula = headroom_formula(&r.in);
	a.floor = headroom_needed(&r.in, r.delay_ps, 0, FRAME_OVERHEAD);
	a.needed = a.floor.needed;
	a.headroom = a.needed > a.formula.xoff ? a.needed : a.formula.xoff;
	if (cli_wants_json(args))
		print_json(&r, &a);
	else
		print_text(&r, &a);
	return EXIT_OK;
}

const struct cli_command command_headroom = {
	.name = "headroom",
	.help = "show how much headroom a lossless priority group of a port needs, and why",
	.details =
		"RATE is 100G, CABLE the length of the cable, 40m, and MTU the port's in bytes of "
		"IP packet, 9100.\n",
	.forms = {{{{CLI_RATE},
		    {CLI_LENGTH, "CABLE"},
		    {CLI_NUMBER, "MTU", .range = {SCHEMA_MTU_MIN, SCHEMA_MTU_MAX}}}}},
	.options =
		{
			{.name = "lossless-mtu",
			 .kind = CLI_NUMBER,
			 .value = "BYTES",
			 .range = {SCHEMA_MTU_MIN, SCHEMA_MTU_MAX},
			 .help = "MTU of the lossless traffic (default: 1500)"},
			{.name = "small-packets",
			 .kind = CLI_PERCENT,
			 .help = "share of 64-byte packets in it (default: 100%)"},
			{.name = "cell",
			 .kind = CLI_NUMBER,
			 .value = "BYTES",
			 .range = {1, CELL_MAX},
			 .help = "size of a buffer cell (default: 192)"},
			CLI_OUTPUT_OPTION,
		},
	.run = headroom,
};
