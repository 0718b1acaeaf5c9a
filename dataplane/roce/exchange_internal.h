// SPDX-License-Identifier: BSD-3-Clause
// What exchange.c and exchange_qp.c share.
#pragma once

#include "exchange.h"
#include "program.h"

#define CURSOR_INSIDE UINT8_MAX // its messages stay inside the host

// What a rank still has to send by one port. Worker: rw.
struct exchange_cursor {
	struct timer timer; // of the handover's end
	struct exchange *exchange;
	struct exchange_cursor *next; // of the generator's; NULL: not in it
	uint32_t time, turn;          // of the next message; turns count from 1
	uint8_t port;                 // or CURSOR_INSIDE
	bool handing;                 // waits for the timer: what is next is being handed over
	bool handed;                  // and that is done
};

// The source, in the ring of a port and class, of all cursors that have a message to begin.
struct generator {
	struct source source;
	uint8_t port;
	uint8_t tc;
	struct exchange_cursor *last; // of a ring; NULL: none
	struct generator *following;  // of the NIC's
};

struct exchange {
	struct exchange_part base; // for program.c
	const struct nic_exchange_plan *plan;
	struct part *part;
	struct inbox *inbox;
	uint32_t program, part_index;
	uint32_t rank;
	uint32_t first_qpn; // to rank r: first_qpn + r; from it: first_qpn + ranks + r
	uint64_t share;     // bytes of a message, for the first `longer` ranks one more
	uint32_t longer;
	uint32_t peers;         // at most
	uint32_t live;          // senders
	uint32_t in_turn;       // turns whose messages have come, and of all before, of this time
	uint32_t missing[2];    // messages of this time and the next, by the parity of the time
	uint64_t *arrived[2];   // by rank, the same
	ps_t handover, forward; // as in struct nic_exchange
	struct nic_exchange_marking data;
	struct nic_exchange_marking answers[PRIORITIES];
	struct exchange *following; // of the NIC's
	uint8_t cursor_count;
	struct exchange_cursor cursors[]; // by port, and the one inside
};

// An entry of the table of open queue pairs; 0: free.
struct open_qp {
	uint32_t qpn;
	struct qp *qp;
};

// Of a NIC that has exchanges.
struct exchanges {
	struct exchange *first;
	struct generator *generators;
	uint32_t next_qpn;
	struct open_qp *table; // by number: open addressing
	uint32_t mask;
	uint32_t open;
	struct sender *free_senders;     // by their programs' next_of_part
	struct receiver *free_receivers; // by their feeders' next
	struct qp
		*made; // a receiver, between exchange_open() and exchange_settle(): in no table yet
	struct nic_totals closed;
};

extern const struct exchange_part_ops exchange_ops;

// Messages may have become free to be sent.
void exchange_review(struct nic *nic, struct exchange *x, ps_t now);

// A queue pair of a number that is open, or NULL.
struct qp *exchange_find(const struct nic *nic, uint32_t qpn);

// The port by which a rank sends to another host.
uint8_t exchange_way(const struct nic_exchange_end *from, const struct nic_exchange_end *to);

static inline const struct nic_exchange_end *
exchange_end(const struct nic_exchange_plan *plan, uint32_t rank)
{
	return &plan->ends[plan->rank_ends[rank]];
}

static inline bool
exchange_inside(const struct nic_exchange_end *from, const struct nic_exchange_end *to)
{
	return from - from->port == to - to->port;
}

static inline uint32_t
exchange_rank_in_turn(const struct exchange *x, uint32_t turn)
{
	uint32_t to = x->rank + turn;

	return to >= x->plan->ranks ? to - x->plan->ranks : to;
}

static inline bool
exchange_has(const struct exchange *x, uint64_t time, uint32_t rank)
{
	return x->arrived[time & 1][rank / 64] >> rank % 64 & 1;
}

// Messages that have come from a rank.
static inline uint64_t
exchange_count(const struct exchange *x, uint32_t rank)
{
	return x->inbox->complete + exchange_has(x, 0, rank) + exchange_has(x, 1, rank);
}

// Makes the queue pair of a cursor's next message; it is ready to send. NULL when memory has run
// out.
struct sender *exchange_make_sender(struct nic *nic, struct exchange_cursor *c, ps_t now);
