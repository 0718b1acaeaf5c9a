// SPDX-License-Identifier: BSD-3-Clause
// Congestion control of a queue pair that sends: when its next packet may start, and how much it
// may have in flight. An algorithm is a struct congestion_algorithm in a file of its own; what it
// keeps of a queue pair is its own struct, in congestion->state. The transport calls, and obeys
// next_at and window_bytes; nothing here touches a packet, a port or a timer of the NIC.
//
// The same rules as everywhere hold: time is an argument; nothing is allocated once the node runs;
// of floating point only + - * / and roots, so that every machine gets the same digits; no division
// where a packet is sent.
#pragma once

#include "dataplane/base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct congestion_algorithm;

// The algorithms: ROW(ID, name, word). congestion_NAME is the algorithm, struct NAME_parameters
// what a user may set of it, and the word its name in files and output.
#define CONGESTION_ALGORITHMS(ROW)             \
	ROW(DCQCN, dcqcn, "dcqcn")             \
	ROW(DCQCN_MLX, dcqcn_mlx, "dcqcn-mlx") \
	ROW(WINDOW, window, "window")          \
	ROW(NSCC, nscc, "nscc")                \
	ROW(RTT, rtt, "rtt")

#define CONGESTION_ID(id, name, word) CONGESTION_##id,
enum congestion_kind { CONGESTION_NONE, CONGESTION_ALGORITHMS(CONGESTION_ID) CONGESTION_KINDS };
#define CONGESTION_AUTO CONGESTION_KINDS // in a file: the transport's own
#undef CONGESTION_ID

struct dcqcn_parameters {
	double gain;            // g, above 0, 1 at most
	ps_t alpha_timer;       // K: no CNP for so long and alpha falls; above 0
	ps_t rate_timer;        // between increases by time; above 0
	uint64_t byte_counter;  // B: between increases by bytes sent; a packet's or more
	uint32_t fast_recovery; // F: increases by time, or by bytes, before the target rises
	uint64_t rate_ai_bps;   // additive increase
	uint64_t rate_hai_bps;  // hyper increase
	uint64_t rate_min_bps;  // never below; above 0
};

struct dcqcn_mlx_parameters {
	double gain;            // g, above 0, 1 at most
	ps_t alpha_interval;    // between updates of alpha; above 0
	ps_t decrease_interval; // after which CNPs are answered; above 0
	ps_t increase_timer;    // from a decrease or increase to the next increase; above 0
	uint32_t fast_recovery; // increases before the target rises
	uint64_t rate_ai_bps;   // additive increase; 0 before ->fit: by the port's rate
	uint64_t rate_hai_bps;  // hyper increase; the same
	uint64_t rate_min_bps;  // never below; above 0
	bool clamp_target;      // every decrease lowers the target, not only the first in a row
};

struct window_parameters {
	uint64_t size_bytes; // 0: the path's bandwidth-delay product
};

struct nscc_parameters {
	ps_t target_delay;             // 0: 3/4 of the round trip
	uint64_t max_window_bytes;     // 0: 3/2 of the path's bandwidth-delay product
	double decrease;               // g
	double delay_gain;             // of the average
	uint32_t fair_packets;         // a round trip
	uint32_t proportional_packets; // a round trip, for 12 us below the target
	double fast_gain;
	double periodic_gain;    // packets a round trip
	uint32_t adjust_packets; // between adjustments
	bool quick_adapt;
	uint32_t quick_gate; // log2
};

struct rtt_parameters {
	ps_t queue_target;         // queueing that a window of scaling_max_packets or more aims at
	ps_t scaling_range;        // so much more for one of scaling_min; 0: none
	double scaling_min;        // packets, above 0
	uint32_t scaling_max;      // packets, above scaling_min
	double increase;           // ai: packets a round trip, above 0
	double decrease;           // beta, above 0, 1 at most
	double max_decrease;       // max_mdf, above 0, 1 at most
	double min_packets;        // the smallest window; above 0
	uint64_t max_window_bytes; // the largest; 0: by path and target
};

#define CONGESTION_PARAMETERS(id, name, word) struct name##_parameters name;
struct congestion_parameters {
	CONGESTION_ALGORITHMS(CONGESTION_PARAMETERS)
};
#undef CONGESTION_PARAMETERS

// A member of the parameters as a key of a file: control/config/ makes the key from this row.
enum congestion_unit {
	CONGESTION_FRACTION, // double
	CONGESTION_TIME,     // ps_t
	CONGESTION_BYTES,
	CONGESTION_RATE, // bits per second
	CONGESTION_COUNT,
	CONGESTION_BOOL,
};

struct congestion_parameter {
	const char *key;
	enum congestion_unit unit;
	const char *def, *help; // the default as a file would have it
	size_t offset, size;
	int64_t min, max;
	bool has_auto; // the word `auto` stands for 0
};

// Bounds of parameters.
#define CONGESTION_RATE_STEP 1000     // 1 kb/s
#define CONGESTION_RATE_LEAST 1000000 // 1 Mb/s
#define CONGESTION_RATE_MAX INT64_C(8000000000000)
#define CONGESTION_BYTES_MAX (INT64_C(1) << 40)
#define CONGESTION_COUNT_MAX 1000

#define CONGESTION_AT(type, member) offsetof(type, member), sizeof(((type *)0)->member)

// For a time series.
struct congestion_reading {
	double rate_bps;       // it sends at; of the line where it is not paced
	double target_bps;     // it recovers to
	double alpha;          // 0 where the algorithm has none
	uint64_t window_bytes; // UINT64_MAX: any; not the algorithm's to say
};

#define CONGESTION_ROUND_TRIP_ERROR 1024 // ps, of what follows

// What one acknowledgement says to the sender of a transport that acknowledges packets singly.
struct congestion_feedback {
	uint64_t bytes;     // of payload that it newly reports as arrived
	uint64_t in_flight; // bytes of payload, after it
	ps_t round_trip;    // of the packet that caused it; 0: not known
	bool marked;        // that packet came with CE
};

// What is known of the way when the queue pair is made.
struct congestion_path {
	uint64_t byte_time; // of the NIC's port, as in time.h
	uint32_t path_mtu;
	ps_t base_rtt;      // of an empty network; 0: unknown
	uint64_t bdp_bytes; // base_rtt at the lowest rate on the way; 0: unknown
	// How many of the port's queue pairs have something to send or await an acknowledgement,
	// this one among them when it is called; changes with time. NULL: not known.
	const uint32_t *busy;
};

#define CONGESTION_STATE_WORDS 17

// Of one queue pair. Worker: rw.
struct congestion {
	const struct congestion_algorithm *algorithm;
	const void *parameters; // the algorithm's, shared by the NIC's queue pairs
	ps_t next_at;           // no packet of it starts before; every call may move it, both ways
	ps_t timer_at;          // when ->timer is to be called; PS_NEVER
	uint64_t byte_time;     // of the rate it sends at, as in time.h; 0: not paced
	uint64_t window_bytes;  // payload in flight at most, but one packet always; UINT64_MAX: any
	uint64_t fraction;      // of next_at: 2^-20 ps
	uint64_t state[CONGESTION_STATE_WORDS]; // the algorithm's own struct
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct congestion) == 192, "three cache lines");

// Worker, but for start. Those that may be NULL do nothing then; what has no timer leaves timer_at
// at PS_NEVER.
struct congestion_algorithm {
	const struct congestion_parameter *parameters; // ends with a NULL key
	size_t parameters_bytes;
	// Sets parameters that were left to follow from the rate of the NIC's port. NULL allowed.
	void (*fit)(void *parameters, uint64_t rate_bps);
	// At set-up: c is as congestion_start() left it, c->parameters set.
	void (*start)(struct congestion *c, const struct congestion_path *path);
	// A packet started at `now`, which takes so many bytes of the link's time; sets next_at.
	// NULL allowed.
	void (*sent)(struct congestion *c, uint32_t occupancy_bytes, ps_t now);
	// So much payload more is acknowledged. NULL allowed.
	void (*acknowledged)(struct congestion *c, uint64_t bytes, ps_t now);
	// The same, of a transport that acknowledges packets singly. NULL allowed.
	void (*fed_back)(struct congestion *c, const struct congestion_feedback *f, ps_t now);
	// A switch trimmed a packet of so much payload; in_flight: bytes before that.
	// NULL allowed.
	void (*trimmed)(struct congestion *c, uint64_t bytes, uint64_t in_flight, ps_t now);
	// A packet was acknowledged that had started `rtt` earlier and was sent but once; behind
	// ->acknowledged() of the same acknowledgement. If it is not NULL, the transport times one
	// packet of the queue pair at a time, and requests an acknowledgement of that packet and
	// of every one behind which the window is closed. NULL allowed.
	void (*sampled)(struct congestion *c, ps_t rtt, ps_t now);
	// A CNP arrived. NULL allowed.
	void (*notified)(struct congestion *c, ps_t now);
	// A NAK or the retransmission timer reported a loss. NULL allowed.
	void (*lost)(struct congestion *c, ps_t now);
	// timer_at has come; `at` is that time, even when it is called later. Sets timer_at anew,
	// to a later time. NULL where timer_at is always PS_NEVER.
	void (*timer)(struct congestion *c, ps_t at);
	// As of its last event; `now` where that makes a difference.
	void (*read)(const struct congestion *c, ps_t now, struct congestion_reading *out);
};

#define CONGESTION_DECLARE(id, name, word) \
	extern const struct congestion_algorithm congestion_##name;
CONGESTION_ALGORITHMS(CONGESTION_DECLARE)
#undef CONGESTION_DECLARE

// Makes the state of a new queue pair. `parameters`: algorithm->parameters_bytes of them, which
// must live as long. Before the node runs.
static inline void
congestion_start(struct congestion *c, const struct congestion_algorithm *algorithm,
		 const struct congestion_path *path, const void *parameters)
{
	*c = (struct congestion){
		.algorithm = algorithm,
		.parameters = parameters,
		.timer_at = PS_NEVER,
		.window_bytes = UINT64_MAX,
	};
	algorithm->start(c, path);
}

// ---- for algorithms ------------------------------------------------------------------------

// The algorithm's own struct of a queue pair.
#define congestion_state(c, type)                                                     \
	({                                                                            \
		_Static_assert(sizeof(type) <= sizeof((c)->state), "fits the state"); \
		(type *)(uintptr_t)(c)->state;                                        \
	})

// The rate of a byte time and back, in bits per second. They divide.
static inline double
congestion_rate_of(uint64_t byte_time)
{
	return 8e12 * (1 << BYTE_TIME_FRACTION_BITS) / (double)byte_time;
}

static inline uint64_t
congestion_byte_time_of(double rate_bps)
{
	return (uint64_t)(8e12 * (1 << BYTE_TIME_FRACTION_BITS) / rate_bps + 0.5);
}

// base to the power of n, by squaring: for what happens every so often and nobody looked at.
static inline double
congestion_power(double base, uint64_t n)
{
	double power = 1;

	for (; n != 0; n >>= 1, base *= base)
		power = n & 1 ? power * base : power;
	return power;
}

// Sets the rate from `now` on; byte_time 0: not paced, as on a line of line_byte_time. What is left
// of a gap between packets goes on at the new rate: a sender that was cut to a crawl comes back
// with its rate, not when the packet is due that it had room for then.
static inline void
congestion_set_byte_time(struct congestion *c, uint64_t byte_time, uint64_t line_byte_time,
			 ps_t now)
{
	uint64_t old = c->byte_time, new = byte_time != 0 ? byte_time : line_byte_time;

	c->byte_time = byte_time;
	if (old == 0 || old == new || c->next_at <= now)
		return;
	c->next_at = now + (ps_t)((double)(c->next_at - now) * (double)new / (double)old + 0.5);
	c->fraction = 0;
}

// Sets next_at behind a packet that started at `now`, at the rate of byte_time. The rate is met to
// the last bit on average: the fraction of a picosecond is carried on, and so is the time that a
// packet waited for others' turns at the transmitter, unless that was longer than a packet takes.
static inline void
congestion_pace(struct congestion *c, uint32_t occupancy_bytes, ps_t now)
{
	uint64_t length = c->byte_time * occupancy_bytes;
	ps_t from = c->next_at;

	if (c->byte_time == 0)
		return;
	if (from > now || now - from >= length >> BYTE_TIME_FRACTION_BITS) {
		from = now;
		c->fraction = 0;
	}
	length += c->fraction;
	c->next_at = from + (length >> BYTE_TIME_FRACTION_BITS);
	c->fraction = length & ((1 << BYTE_TIME_FRACTION_BITS) - 1);
}
