// SPDX-License-Identifier: BSD-3-Clause
// The socket is connected, so that Linux drops datagrams of anybody else. A worker receives and
// sends bursts of datagrams with one system call each, without copying; it looks for datagrams no
// more often than every UDP_POLL_NS if it found few. While the link is down no worker polls the
// device, and the control thread, which sends the hellos, reads instead: `reading` keeps the two
// apart at the moment of the change.
//
// Linux fragments datagrams that are longer than the MTU of their path.
#include "udp.h"

#include "burst.h"
#include "quirks.h"

#include <rte_cycles.h>

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define UDP_BURST 32
#define UDP_POLL_NS 10000
#define UDP_BUFFER_BYTES (8 << 20)
#define UDP_DRAINED_MAX 4096 // datagrams that the control thread reads at once
#define UDP_ADDRESS_MAX 64
#define UDP_NS_PER_S UINT64_C(1000000000)

struct udp_device {
	int fd;
	uint16_t frame_max;
	uint64_t poll_tsc;            // UDP_POLL_NS
	uint64_t next_poll;           // worker: rw
	uint32_t next_number;         // worker: rw (release), control: ro (acquire)
	bool reading;                 // who reads the socket: rw (atomic)
	bool up;                      // control: rw; as udp_link() has said last
	uint64_t hello_due_ns;        // control
	struct carrier_report report; // control
	uint64_t lost;                // control; as udp_stats() has said last
	struct rte_mempool *pool;
	struct rte_mbuf *room[UDP_BURST];          // worker: rw; to receive into
	struct carrier carrier;                    // who reads the socket: rw, control: ro
	uint64_t rx_packets, rx_bytes;             // worker: rw, control: ro
	uint64_t tx_packets, tx_bytes, tx_refused; // worker: rw, control: ro
};

struct udp_hello {
	struct carrier_head head;
	struct carrier_hello hello;
	uint8_t report[CARRIER_REPORT_MAX];
};

static uint64_t
clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UDP_NS_PER_S + (uint64_t)now.tv_nsec;
}

// ---- addresses ----------------------------------------------------------------------------------

// "192.0.2.1:47900", "[2001:db8::1]:47900".
static bool
read_address(const char *text, size_t length, struct sockaddr_storage *out, socklen_t *bytes)
{
	struct sockaddr_in *ip4 = (struct sockaddr_in *)out;
	struct sockaddr_in6 *ip6 = (struct sockaddr_in6 *)out;
	char copy[UDP_ADDRESS_MAX], *host = copy, *end, *rest;
	unsigned long port;
	bool version6;

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	version6 = copy[0] == '[';
	host += version6;
	end = version6 ? strchr(host, ']') : strrchr(host, ':');
	if (end == NULL || end[version6] != ':' || end[version6 + 1] < '1' ||
	    end[version6 + 1] > '9')
		return false;
	port = strtoul(end + version6 + 1, &rest, 10);
	*end = '\0';
	if (*rest != '\0' || port > UINT16_MAX)
		return false;
	memset(out, 0, sizeof(*out));
	*bytes = version6 ? sizeof(*ip6) : sizeof(*ip4);
	out->ss_family = version6 ? AF_INET6 : AF_INET;
	if (version6)
		ip6->sin6_port = htons((uint16_t)port);
	else
		ip4->sin_port = htons((uint16_t)port);
	return inet_pton(out->ss_family, host,
			 version6 ? (void *)&ip6->sin6_addr : (void *)&ip4->sin_addr) == 1;
}

struct udp_ends {
	struct sockaddr_storage local, remote;
	socklen_t bytes;
};

static int
read_end(const char *spec, const char *key, struct sockaddr_storage *out, socklen_t *bytes,
	 char *why, size_t why_bytes)
{
	size_t length = 0;
	const char *value = quirks_argument(spec, key, &length);

	if (value == NULL)
		snprintf(why, why_bytes, "needs %s=ADDRESS:PORT", key);
	else if (!read_address(value, length, out, bytes))
		snprintf(why, why_bytes,
			 "%s=%.*s is no address with a port, such as 192.0.2.1:47900 or "
			 "[2001:db8::1]:47900",
			 key, (int)(length < UDP_ADDRESS_MAX ? length : UDP_ADDRESS_MAX), value);
	else
		return 0;
	return -EINVAL;
}

static int
read_ends(const char *spec, struct udp_ends *ends, char *why, size_t why_bytes)
{
	socklen_t remote_bytes;
	int rc = read_end(spec, "local", &ends->local, &ends->bytes, why, why_bytes);

	if (rc == 0)
		rc = read_end(spec, "remote", &ends->remote, &remote_bytes, why, why_bytes);
	if (rc != 0 || ends->local.ss_family == ends->remote.ss_family)
		return rc;
	snprintf(why, why_bytes, "local= and remote= are of different IP versions");
	return -EINVAL;
}

int
udp_check(const char *spec, char *why, size_t why_bytes)
{
	struct udp_ends ends;

	return read_ends(spec, &ends, why, why_bytes);
}

// ---- opening ------------------------------------------------------------------------------------

// Frames longer than the path's MTU go in fragments.
static void
set_options(int fd, int family)
{
	const int bytes = UDP_BUFFER_BYTES, fragment = IP_PMTUDISC_DONT;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) != 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) != 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	if (family == AF_INET)
		(void)setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &fragment, sizeof(fragment));
	else
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &fragment, sizeof(fragment));
}

static int
open_socket(const struct udp_ends *ends, char *why, size_t why_bytes)
{
	const char *what = "a socket";
	int fd = socket(ends->local.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc;

	if (fd >= 0) {
		set_options(fd, ends->local.ss_family);
		what = "local=";
		if (bind(fd, (const struct sockaddr *)&ends->local, ends->bytes) == 0) {
			what = "remote=";
			if (connect(fd, (const struct sockaddr *)&ends->remote, ends->bytes) == 0)
				return fd;
		}
	}
	rc = -errno;
	snprintf(why, why_bytes, "%s: %s", what, strerror(-rc));
	if (fd >= 0)
		close(fd);
	return rc;
}

int
udp_open(struct udp_device **out, const char *spec, struct rte_mempool *pool, uint16_t frame_max,
	 char *why, size_t why_bytes)
{
	struct udp_device *u;
	struct udp_ends ends;
	uint64_t session;
	int rc = read_ends(spec, &ends, why, why_bytes), fd;

	if (rc != 0)
		return rc;
	fd = open_socket(&ends, why, why_bytes);
	if (fd < 0)
		return fd;
	u = aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_ALIGN(sizeof(*u), RTE_CACHE_LINE_SIZE));
	if (u == NULL || getrandom(&session, sizeof(session), 0) != sizeof(session)) {
		snprintf(why, why_bytes, "no memory");
		free(u);
		close(fd);
		return -ENOMEM;
	}
	*u = (struct udp_device){
		.fd = fd,
		.pool = pool,
		.frame_max = frame_max,
		.poll_tsc = rte_get_tsc_hz() / (UDP_NS_PER_S / UDP_POLL_NS),
	};
	carrier_init(&u->carrier, session | 1);
	*out = u;
	return 0;
}

static void
say(struct udp_device *u, enum carrier_kind kind, uint64_t now_ns)
{
	struct udp_hello said;

	carrier_write_hello(&u->carrier, kind, __atomic_load_n(&u->next_number, __ATOMIC_ACQUIRE),
			    now_ns, &said.head, &said.hello);
	memcpy(said.report, u->report.bytes, u->report.length);
	// Others follow one that is lost, and a far end that is not there says so each time.
	(void)!send(u->fd, &said, offsetof(struct udp_hello, report) + u->report.length, 0);
}

void
udp_close(struct udp_device *u)
{
	if (u == NULL)
		return;
	say(u, CARRIER_BYE, clock_ns());
	close(u->fd);
	for (unsigned int i = 0; i < UDP_BURST; i++)
		rte_pktmbuf_free(u->room[i]);
	free(u);
}

// ---- receiving ----------------------------------------------------------------------------------

static bool
begin_reading(struct udp_device *u)
{
	return !__atomic_exchange_n(&u->reading, true, __ATOMIC_ACQUIRE);
}

static void
end_reading(struct udp_device *u)
{
	__atomic_store_n(&u->reading, false, __ATOMIC_RELEASE);
}

// Has packets to receive into. Returns how many, up to `count`. While none is free, datagrams wait
// in the socket.
static unsigned int
make_room(struct udp_device *u, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (u->room[i] == NULL)
			u->room[i] = rte_pktmbuf_alloc(u->pool);
		if (u->room[i] == NULL)
			return i;
	}
	return count;
}

// Moves frames that are to be delivered out of the room.
static uint16_t
take_burst(struct udp_device *u, const struct mmsghdr *messages, const struct carrier_head *heads,
	   unsigned int received, struct rte_mbuf **packets)
{
	const uint64_t now_ns = clock_ns();
	uint16_t taken = 0;

	for (unsigned int i = 0; i < received; i++) {
		const size_t bytes = messages[i].msg_len;
		struct rte_mbuf *m = u->room[i];

		if (bytes < sizeof(heads[i]) || messages[i].msg_hdr.msg_flags & MSG_TRUNC) {
			u->carrier.malformed++;
			continue;
		}
		if (!carrier_take(&u->carrier, &heads[i], rte_pktmbuf_mtod(m, void *),
				  bytes - sizeof(heads[i]), true, now_ns))
			continue;
		m->data_len = (uint16_t)(bytes - sizeof(heads[i]));
		m->pkt_len = m->data_len;
		u->rx_packets++;
		u->rx_bytes += m->data_len;
		packets[taken++] = m;
		u->room[i] = NULL;
	}
	return taken;
}

uint16_t
udp_rx_burst(struct udp_device *u, struct rte_mbuf **packets, uint16_t count)
{
	struct carrier_head heads[UDP_BURST];
	struct mmsghdr messages[UDP_BURST];
	struct iovec parts[UDP_BURST][2];
	const uint64_t tsc = rte_rdtsc();
	unsigned int room;
	uint16_t taken;
	int received;

	if (tsc < u->next_poll || !begin_reading(u))
		return 0;
	room = make_room(u, count < UDP_BURST ? count : UDP_BURST);
	for (unsigned int i = 0; i < room; i++) {
		parts[i][0] = (struct iovec){&heads[i], sizeof(heads[i])};
		parts[i][1] = (struct iovec){rte_pktmbuf_mtod(u->room[i], void *), u->frame_max};
		messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = parts[i], .msg_iovlen = 2}};
	}
	received = room != 0 ? recvmmsg(u->fd, messages, room, MSG_DONTWAIT, NULL) : 0;
	taken = received > 0 ? take_burst(u, messages, heads, (unsigned int)received, packets) : 0;
	end_reading(u);
	u->next_poll = received == UDP_BURST ? 0 : tsc + u->poll_tsc;
	return taken;
}

// The control thread's, while no worker polls. Frames that come then are dropped. Those behind the
// hello that brings the link up are left to the worker.
static void
drain(struct udp_device *u)
{
	struct udp_hello one;

	for (unsigned int i = 0; i < UDP_DRAINED_MAX && !carrier_hears(&u->carrier, clock_ns());
	     i++) {
		ssize_t bytes = recv(u->fd, &one, sizeof(one), MSG_DONTWAIT | MSG_TRUNC);

		if (bytes < 0 && errno == ECONNREFUSED)
			continue; // nobody was there for a hello
		if (bytes < 0)
			break;
		if ((size_t)bytes < sizeof(one.head))
			u->carrier.malformed++;
		else
			carrier_take(&u->carrier, &one.head, &one.hello,
				     (size_t)bytes - sizeof(one.head), false, clock_ns());
	}
}

bool
udp_link(struct udp_device *u)
{
	const uint64_t now_ns = clock_ns();

	if (!u->up && begin_reading(u)) {
		drain(u);
		end_reading(u);
	}
	if (now_ns >= u->hello_due_ns) {
		say(u, CARRIER_HELLO, now_ns);
		u->hello_due_ns = now_ns + CARRIER_HELLO_NS / 2; // the caller's own interval
	}
	u->up = carrier_link(&u->carrier, clock_ns());
	return u->up;
}

void
udp_hold(struct udp_device *u, bool held)
{
	u->carrier.held = held;
}

// A hello goes into the room of a frame.
size_t
udp_report(struct udp_device *u, const void *bytes, size_t length)
{
	const size_t room = u->frame_max > sizeof(struct carrier_hello)
				    ? u->frame_max - sizeof(struct carrier_hello)
				    : 0;

	length = RTE_MIN(length, room);
	length = RTE_MIN(length, (size_t)CARRIER_REPORT_MAX);
	memcpy(u->report.bytes, bytes, length);
	u->report.length = (uint32_t)length;
	return length;
}

uint64_t
udp_heard(const struct udp_device *u, struct carrier_report *out)
{
	return u->up ? carrier_heard(&u->carrier, out) : 0;
}

// ---- sending ------------------------------------------------------------------------------------

// The first packet is refused for what it is, or for where it goes: it is lost.
static bool
is_lost(int error)
{
	return error != EAGAIN && error != ENOBUFS && error != EINTR;
}

uint16_t
udp_tx_burst(struct udp_device *u, struct rte_mbuf **packets, uint16_t count)
{
	struct carrier_head heads[UDP_BURST];
	struct mmsghdr messages[UDP_BURST];
	struct iovec parts[UDP_BURST][2];
	const uint16_t burst = count < UDP_BURST ? count : UDP_BURST;
	const uint64_t now_ns = clock_ns();
	int sent;

	for (uint16_t i = 0; i < burst; i++) {
		carrier_write_head(&u->carrier, u->next_number + i, now_ns, &heads[i]);
		parts[i][0] = (struct iovec){&heads[i], sizeof(heads[i])};
		parts[i][1] =
			(struct iovec){rte_pktmbuf_mtod(packets[i], void *), packets[i]->data_len};
		messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = parts[i], .msg_iovlen = 2}};
	}
	sent = sendmmsg(u->fd, messages, burst, MSG_DONTWAIT);
	// The far end has refused an earlier datagram: once that is read, sending goes on.
	if (sent < 0 && errno == ECONNREFUSED)
		sent = sendmmsg(u->fd, messages, burst, MSG_DONTWAIT);
	if (sent < 0 && !is_lost(errno))
		return 0;
	if (sent < 0) {
		u->tx_refused++;
		rte_pktmbuf_free(packets[0]);
		return 1;
	}
	for (int i = 0; i < sent; i++) {
		u->tx_bytes += packets[i]->data_len;
		rte_pktmbuf_free(packets[i]);
	}
	u->tx_packets += (unsigned int)sent;
	__atomic_store_n(&u->next_number, u->next_number + (uint32_t)sent, __ATOMIC_RELEASE);
	return (uint16_t)sent;
}

// ---- statistics ---------------------------------------------------------------------------------

// Datagrams that the kernel dropped for want of room in the socket.
static uint64_t
socket_drops(const struct udp_device *u)
{
	uint32_t info[SK_MEMINFO_VARS] = {0};
	socklen_t bytes = sizeof(info);

	return getsockopt(u->fd, SOL_SOCKET, SO_MEMINFO, info, &bytes) == 0 ? info[SK_MEMINFO_DROPS]
									    : 0;
}

void
udp_stats(struct udp_device *u, struct udp_stats *out)
{
	const struct carrier *c = &u->carrier;
	const uint64_t lost = __atomic_load_n(&c->lost, __ATOMIC_RELAXED);
	const uint64_t ring_full = socket_drops(u);

	// What found no room in the socket is missing among the numbers as well, a moment later.
	if (lost > ring_full && lost - ring_full > u->lost)
		u->lost = lost - ring_full;
	*out = (struct udp_stats){
		.rx_packets = __atomic_load_n(&u->rx_packets, __ATOMIC_RELAXED),
		.rx_bytes = __atomic_load_n(&u->rx_bytes, __ATOMIC_RELAXED),
		.tx_packets = __atomic_load_n(&u->tx_packets, __ATOMIC_RELAXED),
		.tx_bytes = __atomic_load_n(&u->tx_bytes, __ATOMIC_RELAXED),
		.tx_refused = __atomic_load_n(&u->tx_refused, __ATOMIC_RELAXED),
		.lost = u->lost,
		.ring_full = ring_full,
		.late = __atomic_load_n(&c->late, __ATOMIC_RELAXED),
		.duplicates = __atomic_load_n(&c->duplicates, __ATOMIC_RELAXED),
		.early = __atomic_load_n(&c->early, __ATOMIC_RELAXED),
		.malformed = __atomic_load_n(&c->malformed, __ATOMIC_RELAXED),
		.round_trip_ns = __atomic_load_n(&c->round_trip_ns, __ATOMIC_RELAXED),
		.round_trip_min_ns = __atomic_load_n(&c->round_trip_min_ns, __ATOMIC_RELAXED),
		.delay_variation_ns = __atomic_load_n(&c->variation_ns, __ATOMIC_RELAXED),
		.delay_variation_max_ns = __atomic_load_n(&c->variation_max_ns, __ATOMIC_RELAXED),
	};
}
