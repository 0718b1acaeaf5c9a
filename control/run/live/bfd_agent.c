// SPDX-License-Identifier: BSD-3-Clause
// BFD says whether a neighbour forwards packets, so its packets travel like all others: from the
// XDP program to the port's AF_XDP socket, and with the worker through the pipeline into a ring
// (dataplane/base/punt.h). The worker also sends. If it hangs, or the process dies or is stopped,
// neighbours hear nothing more.
//
// The state machine runs in the control thread, which must not wait for a worker that hangs. It
// gives the worker one request with all frames that are due, and makes the next request when that
// has been served. While a worker hangs nothing arrives either, so the sessions go down at this end
// as well, unless this thread waits for the worker for another reason, such as new routes.
//
// Time is the machine's, not that of the fabric, because the far end has a clock of its own.
#include "bfd_agent_internal.h"

#include "control/base/clock.h"
#include "control/base/memory.h"
#include "dataplane/base/node.h"
#include "dataplane/node/ports.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POLL_MS 10 // at most, while there is a session
#define RANDOM_STREAM UINT64_C(0xbfd0000000000000)

// ---- the worker ---------------------------------------------------------------------------------

static void
set_punt(void *context, struct node *n, ps_t now)
{
	const struct bfd_agent *a = context;

	(void)now;
	if (n->index == a->node)
		n->bfd_punt = a->punt;
}

static void
clear_punt(void *context, struct node *n, ps_t now)
{
	(void)context;
	(void)now;
	n->bfd_punt = NULL;
}

static void
send_frames(void *context, struct node *n, ps_t now)
{
	struct bfd_agent *a = context;

	for (uint32_t i = 0; n->index == a->node && i < a->sending.count; i++) {
		struct bfd_outgoing *o = &a->sending.frames[i];

		o->sent = node_send_control(n, &n->ports[o->port], o->frame, o->length, now) == 0;
	}
}

// What the worker has sent.
static void
finish_sending(struct bfd_agent *a)
{
	if (!a->busy || !live_is_served(&a->live->drive, a->live->workers[a->node], &a->request))
		return;
	a->busy = false;
	for (uint32_t i = 0; i < a->sending.count; i++) {
		struct bfd_peer *peer = bfd_peers_find(a, a->sending.frames[i].discr);

		if (peer == NULL || !a->sending.frames[i].sent)
			continue;
		peer->counts.tx_packets++;
		peer->counts.tx_bytes += BFD_PACKET_BYTES;
	}
	free(a->sending.frames);
	a->sending = (struct bfd_outbox){0};
}

static void
begin_sending(struct bfd_agent *a)
{
	if (a->busy)
		return;
	bfd_peers_send(a);
	if (a->waiting.count == 0)
		return;
	a->sending = a->waiting;
	a->waiting = (struct bfd_outbox){0};
	a->request = (struct live_request){.run = send_frames, .context = a};
	a->busy = live_submit(&a->live->drive, a->live->workers[a->node], &a->request);
	if (!a->busy) { // no other request is open while this thread is here
		free(a->sending.frames);
		a->sending = (struct bfd_outbox){0};
	}
}

// Reads at most one ring full of frames: frames that arrive meanwhile wait for the next poll.
static void
read_frames(struct bfd_agent *a)
{
	const struct punt_frame *frame;

	for (unsigned i = 0; i < PUNT_FRAMES && (frame = punt_peek(a->punt)) != NULL; i++) {
		bfd_peers_receive(a, frame->port, frame->data, frame->length);
		punt_release(a->punt);
	}
}

// ---- the agent ----------------------------------------------------------------------------------

static uid_t
number_of(const struct config_name *name)
{
	char *end;
	unsigned long number = strtoul(name->text, &end, 10);

	return *end == '\0' && number < (uid_t)-1 ? (uid_t)number : (uid_t)-1;
}

// A user that the file does not name may be missing: bfdd may be installed later.
static int
check_user(const struct config *config, struct diag *diag)
{
	const struct config_name *name = &config->single.bfd.user;

	if (name->pos.line == 0 || strcmp(name->text, "any") == 0 || getpwnam(name->text) != NULL ||
	    number_of(name) != (uid_t)-1)
		return 0;
	return diag_error(diag, config->file, name->pos, "switch.bfd.user",
			  "there is no user %.32s on this machine: give the name or number of the "
			  "user who runs bfdd, or any",
			  name->text);
}

static bool
accepts(void *context, uid_t uid)
{
	const struct bfd_agent *a = context;
	const struct config_name *name = &a->live->config->single.bfd.user;
	const struct passwd *user;

	if (strcmp(name->text, "any") == 0)
		return true;
	user = getpwnam(name->text);
	return uid != (uid_t)-1 && uid == (user != NULL ? user->pw_uid : number_of(name));
}

// A file of one switch, which is node 0.
static struct bfd_agent *
create(struct live_fabric *live)
{
	struct bfd_agent *a = memory_new(sizeof(*a), "BFD");

	*a = (struct bfd_agent){
		.live = live,
		.protocol_version = 1,
		.source_port = BFD_SOURCE_PORT_MAX,
		.random = random_stream(live->config->fabric.seed, RANDOM_STREAM),
	};
	if (punt_create(&a->punt) != 0)
		memory_exhausted(1, sizeof(struct punt), "BFD frames");
	return a;
}

int
bfd_agent_open(struct live_fabric *live, struct diag *diag)
{
	struct bfd_client_options options = {
		.path = live->config->single.bfd.socket.text,
		.accepts = accepts,
		.user_name = live->config->single.bfd.user.text,
		.take = bfd_peers_take,
		.ended = bfd_peers_end,
		.notify = bfd_peers_notify,
	};
	int rc;

	if (options.path == NULL)
		return 0;
	rc = check_user(live->config, diag);
	if (rc != 0)
		return rc;
	live->bfd = options.context = create(live);
	rc = bfd_client_open(&live->bfd->client, &options);
	if (rc != 0)
		return diag_fail(diag, -rc, "switch.bfd: %s", strerror(-rc));
	live_call(&live->drive, set_punt, live->bfd);
	return 0;
}

void
bfd_agent_poll(struct live_fabric *live)
{
	struct bfd_agent *a = live->bfd;

	if (a == NULL)
		return;
	a->now_us = clock_us();
	finish_sending(a);
	read_frames(a); // before detection times are checked
	bfd_client_turn(a->client, a->now_us / 1000);
	bfd_peers_expire(a);
	bfd_ports_resolve(a);
	begin_sending(a);
}

int
bfd_agent_fd(const struct live_fabric *live)
{
	return live->bfd == NULL ? -1 : bfd_client_fd(live->bfd->client);
}

int
bfd_agent_wait_ms(const struct live_fabric *live, int max_ms)
{
	const struct bfd_agent *a = live->bfd;
	int64_t next, left_ms;

	if (a == NULL)
		return max_ms;
	max_ms = bfd_client_wait_ms(a->client, clock_us() / 1000, max_ms);
	if (a->count == 0 && !a->busy)
		return max_ms;
	next = bfd_peers_next_us(a, !a->busy);
	max_ms = max_ms < POLL_MS ? max_ms : POLL_MS;
	left_ms = next == BFD_NEVER ? max_ms : (next - clock_us() + 999) / 1000;
	return left_ms < 0 ? 0 : left_ms < max_ms ? (int)left_ms : max_ms;
}

void
bfd_agent_close(struct live_fabric *live)
{
	struct bfd_agent *a = live->bfd;

	if (a == NULL)
		return;
	// This also waits for a request that the worker has.
	live_call(&live->drive, clear_punt, NULL);
	bfd_client_close(a->client);
	for (uint32_t i = 0; i < a->count; i++)
		free(a->peers[i]);
	free(a->peers);
	free(a->waiting.frames);
	free(a->sending.frames);
	punt_destroy(a->punt);
	free(a);
	live->bfd = NULL;
}
