// SPDX-License-Identifier: BSD-3-Clause
// Frames are numbered from 0 in each session. A number that is left out counts as lost. If its
// frame comes behind later ones it is dropped, because a link keeps the order. A hello says what
// the next number is, so that the last frames before a silence are missed too.
//
// A hello also returns the time that the far end's last hello has brought, and says how long this
// end has had it: what remains of the time since is a round trip of the carrier, without either
// process's own delay, and without clocks that agree.
//
// A report is read while another thread may write it: the reader looks whether the count of changes
// is even, and the same before and after.
//
// Every datagram says when it was sent. The clocks of the two ends do not agree, so the time that
// it took is known but for a constant: what is measured is by how much it exceeds the least one.
// Clocks also drift apart, so a least one is forgotten after CARRIER_LEAST_NS to twice as long.
#include "carrier.h"

#include <endian.h>
#include <string.h>

#define CARRIER_MAGIC 0x52535455u // "RSTU"
#define CARRIER_VERSION 3
#define CARRIER_MEAN_OF 16   // the mean moves by so small a part of each difference
#define CARRIER_FRAME_MIN 14 // an Ethernet header

void
carrier_init(struct carrier *c, uint64_t session)
{
	*c = (struct carrier){.session = session};
}

static void
write_head(const struct carrier *c, enum carrier_kind kind, uint32_t number, uint64_t now_ns,
	   struct carrier_head *head)
{
	*head = (struct carrier_head){
		.magic = htobe32(CARRIER_MAGIC),
		.version = CARRIER_VERSION,
		.kind = (uint8_t)kind,
		.session = htobe64(c->session),
		.sent_ns = htobe64(now_ns),
		.number = htobe32(number),
	};
}

void
carrier_write_head(const struct carrier *c, uint32_t number, uint64_t now_ns,
		   struct carrier_head *head)
{
	write_head(c, CARRIER_FRAME, number, now_ns, head);
}

void
carrier_write_hello(const struct carrier *c, enum carrier_kind kind, uint32_t next, uint64_t now_ns,
		    struct carrier_head *head, struct carrier_hello *hello)
{
	write_head(c, kind, next, now_ns, head);
	*hello = (struct carrier_hello){
		.heard_session = htobe64(c->held ? 0 : c->peer_session),
		.echo_ns = htobe64(c->hello_sent_ns),
		.held_ns = htobe64(now_ns - c->hello_ns),
	};
}

static void
set_seen(struct carrier *c, uint32_t number, bool seen)
{
	uint64_t *word = &c->seen[number % CARRIER_WINDOW / 64];
	const uint64_t bit = UINT64_C(1) << number % 64;

	*word = seen ? *word | bit : *word & ~bit;
}

static bool
was_seen(const struct carrier *c, uint32_t number)
{
	return c->seen[number % CARRIER_WINDOW / 64] >> number % 64 & 1;
}

// Numbers up to `to` have been sent; those that have not come are missing.
static void
expect(struct carrier *c, uint32_t to)
{
	const uint32_t missing = to - c->next;

	if ((int32_t)missing <= 0)
		return;
	c->lost += missing;
	if (missing >= CARRIER_WINDOW)
		memset(c->seen, 0, sizeof(c->seen));
	else
		for (uint32_t number = c->next; number != to; number++)
			set_seen(c, number, false);
	c->next = to;
}

static void
begin_session(struct carrier *c, uint64_t session, uint32_t next)
{
	c->restarted |= c->peer_session != 0;
	c->peer_session = session;
	c->next = next;
	c->round_trip_min_ns = c->round_trip_ns = 0;
	c->variation_ns = c->variation_max_ns = c->least_since_ns = 0;
	c->least_ns = c->before_ns = INT64_MAX;
	// What came before the session was known is not told from what is still to come.
	memset(c->seen, 0xff, sizeof(c->seen));
}

// The far end can say what it likes: whatever its stamp is, the difference of two delays is.
static void
note_delay(struct carrier *c, uint64_t sent_ns, uint64_t now_ns)
{
	const int64_t delay = (int64_t)(now_ns - sent_ns);
	int64_t least;
	uint64_t more;

	if (c->least_since_ns == 0 || now_ns - c->least_since_ns >= CARRIER_LEAST_NS) {
		// After a silence, the least of long ago says nothing about the clocks of now.
		c->before_ns = now_ns - c->least_since_ns < 2 * CARRIER_LEAST_NS ? c->least_ns
										 : INT64_MAX;
		c->least_ns = delay;
		c->least_since_ns = now_ns;
	} else if (delay < c->least_ns) {
		c->least_ns = delay;
	}
	least = c->least_ns < c->before_ns ? c->least_ns : c->before_ns;
	more = (uint64_t)delay - (uint64_t)least;
	if (more > CARRIER_MORE_MAX_NS)
		more = CARRIER_MORE_MAX_NS;
	c->variation_ns += more / CARRIER_MEAN_OF - c->variation_ns / CARRIER_MEAN_OF;
	if (more > c->variation_max_ns)
		c->variation_max_ns = more;
}

static void
take_report(struct carrier *c, const uint8_t *bytes, size_t length, uint64_t sent_ns)
{
	__atomic_store_n(&c->heard_count, c->heard_count + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	c->heard.length = (uint32_t)length;
	memcpy(c->heard.bytes, bytes, length);
	c->heard_sent_ns = sent_ns;
	__atomic_store_n(&c->heard_count, c->heard_count + 1, __ATOMIC_RELEASE);
}

uint64_t
carrier_heard(const struct carrier *c, struct carrier_report *out)
{
	uint32_t before, after;
	uint64_t sent_ns;

	do {
		before = __atomic_load_n(&c->heard_count, __ATOMIC_ACQUIRE);
		sent_ns = c->heard_sent_ns;
		*out = c->heard;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		after = __atomic_load_n(&c->heard_count, __ATOMIC_RELAXED);
	} while (before != after || before % 2 != 0);
	return sent_ns;
}

static void
take_hello(struct carrier *c, const struct carrier_head *head, const struct carrier_hello *hello,
	   uint64_t now_ns)
{
	const uint64_t session = be64toh(head->session), echo = be64toh(hello->echo_ns);
	const uint64_t since = now_ns - echo, held = be64toh(hello->held_ns);

	if (session != c->peer_session)
		begin_session(c, session, be32toh(head->number));
	expect(c, be32toh(head->number));
	c->heard_ns = c->hello_ns = now_ns;
	c->hello_sent_ns = be64toh(head->sent_ns);
	note_delay(c, c->hello_sent_ns, now_ns);
	c->heard_back = be64toh(hello->heard_session) == c->session;
	// The far end can say what it likes, but not that a round trip took less than no time.
	if (!c->heard_back || echo == 0 || echo > now_ns || held > since)
		return;
	c->round_trip_ns = since - held;
	if (c->round_trip_min_ns == 0 || c->round_trip_ns < c->round_trip_min_ns)
		c->round_trip_min_ns = c->round_trip_ns;
}

// Returns false for one that has come already, or too late.
static bool
take_number(struct carrier *c, uint32_t number)
{
	if ((int32_t)(number - c->next) >= 0) {
		expect(c, number);
		set_seen(c, number, true);
		c->next = number + 1;
		return true;
	}
	if (c->next - number > CARRIER_WINDOW || was_seen(c, number)) {
		c->duplicates++;
	} else {
		set_seen(c, number, true);
		c->late++;
	}
	return false;
}

static bool
take_frame(struct carrier *c, const struct carrier_head *head, bool up, uint64_t now_ns)
{
	// Of a session that no hello has announced, or of one that is over.
	if (be64toh(head->session) != c->peer_session) {
		c->early++;
		return false;
	}
	c->heard_ns = now_ns;
	note_delay(c, be64toh(head->sent_ns), now_ns);
	if (!take_number(c, be32toh(head->number)))
		return false;
	c->early += !up;
	return up;
}

bool
carrier_take(struct carrier *c, const struct carrier_head *head, const void *body, size_t length,
	     bool up, uint64_t now_ns)
{
	const bool hello = head->kind == CARRIER_HELLO || head->kind == CARRIER_BYE;

	if (head->magic != htobe32(CARRIER_MAGIC) || head->version != CARRIER_VERSION ||
	    head->session == 0 || head->zero != 0 ||
	    !(hello ? length >= sizeof(struct carrier_hello) &&
			      length <= sizeof(struct carrier_hello) + CARRIER_REPORT_MAX
		    : head->kind == CARRIER_FRAME && length >= CARRIER_FRAME_MIN)) {
		c->malformed++;
		return false;
	}
	if (!hello)
		return take_frame(c, head, up, now_ns);
	take_hello(c, head, body, now_ns);
	take_report(c, (const uint8_t *)body + sizeof(struct carrier_hello),
		    length - sizeof(struct carrier_hello), be64toh(head->sent_ns));
	if (head->kind == CARRIER_BYE)
		c->heard_ns = 0;
	return false;
}

bool
carrier_hears(const struct carrier *c, uint64_t now_ns)
{
	return c->heard_back && c->heard_ns != 0 && now_ns - c->heard_ns < CARRIER_DEAD_NS;
}

bool
carrier_link(struct carrier *c, uint64_t now_ns)
{
	const bool restarted = c->restarted;

	c->restarted = false;
	return !restarted && carrier_hears(c, now_ns);
}
