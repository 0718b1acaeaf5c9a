// SPDX-License-Identifier: BSD-3-Clause
// Sources may report thousands of changes a second. Switches receive them in batches, at least
// BATCH_MS apart: the ribs that have changed are resolved once and published once, whatever the
// number of changes. A VRF is first published when everything that the kernel has for it was read,
// so that a switch never runs on half of its routes.
//
// While routes wait for neighbours, the ribs are resolved again every ASK_AGAIN_MS, which probes
// the neighbours again.
#include "learn.h"

#include "control/base/clock.h"
#include "control/base/memory.h"

#include <rte_common.h>

#include <arpa/inet.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define BATCH_MS 10
#define RETRY_MS 1000 // the next batch after one that failed
#define ASK_AGAIN_MS 1000
#define LOOK_MS 20 // how often packets without a neighbour are polled

struct learned_from {
	struct learner *learner;
	uint32_t node;
	uint16_t vrf;
	const struct config_learn *config;
	struct rib *rib;
	struct learn_netlink *netlink;
	struct learn_fpm *fpm; // NULL: not used
	uint64_t published;    // rib->changes that are in force
	uint64_t publications;
	bool settled; // it has been published
	bool waits;   // some route waits for a neighbour
};

struct learner {
	const struct topology *topology;
	struct learn_hooks hooks;
	struct learned_from **vrfs;
	uint32_t count;
	struct learn_change *changes; // room for one a VRF
	int epoll;
	int64_t now_ms;
	int64_t published_ms, asked_ms;
	int64_t pause_ms; // before the next batch
	bool failed;      // the last batch did, which was reported
};

int
learn_create(struct learner **out, const struct topology *topology, const struct learn_hooks *hooks)
{
	struct learner *l = memory_new(sizeof(*l), "a learner");

	l->topology = topology;
	l->hooks = *hooks;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0) {
		free(l);
		return -errno;
	}
	*out = l;
	return 0;
}

static void
destroy_vrf(struct learned_from *v)
{
	learn_netlink_close(v->netlink);
	learn_fpm_close(v->fpm);
	rib_destroy(v->rib);
	free(v);
}

void
learn_destroy(struct learner *l)
{
	if (l == NULL)
		return;
	for (uint32_t i = 0; i < l->count; i++)
		destroy_vrf(l->vrfs[i]);
	close(l->epoll);
	free(l->vrfs);
	free(l->changes);
	free(l);
}

// ---- adding ----------------------------------------------------------------------------------

static void
notify_line(void *context, const char *line)
{
	const struct learned_from *v = context;
	char text[256];

	snprintf(text, sizeof(text), "VRF %s: %s", v->config->vrf.text, line);
	v->learner->hooks.notify(v->learner->hooks.context, v->node, text);
}

static int
watch(const struct learner *l, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &event) != 0 ? -errno : 0;
}

static int
open_netlink(struct learned_from *v, int netns_fd, struct diag *diag)
{
	const struct learn_netlink_options options = {
		.rib = v->rib,
		.netns_fd = netns_fd,
		.routes = v->config->source & CONFIG_LEARN_NETLINK,
		.table = v->config->table,
	};
	int rc = learn_netlink_open(&v->netlink, &options);
	int fds[2];

	if (rc == 0) {
		learn_netlink_fds(v->netlink, fds);
		rc = watch(v->learner, fds[0]);
		if (rc == 0)
			rc = watch(v->learner, fds[1]);
	}
	return rc != 0 ? diag_fail(diag, -rc, "learn: netlink: %s", strerror(-rc)) : 0;
}

// Who may send routes: a user's name or number, or anybody. A user that is nowhere written may be
// missing: the daemon may be installed later, and root's runs without.
static int
find_user(const struct config_learn *config, struct learn_fpm_options *options, struct diag *diag)
{
	const char *name = config->fpm_user.text;
	const struct passwd *user = getpwnam(name);
	char *end;
	unsigned long number = strtoul(name, &end, 10);

	options->user_name = name;
	options->any = strcmp(name, "any") == 0;
	options->user = user != NULL ? user->pw_uid : geteuid();
	if (user != NULL || options->any || config->fpm_user.pos.line == 0)
		return 0;
	if (*end != '\0' || number >= (uid_t)-1)
		return diag_fail(diag, EINVAL,
				 "learn.fpm.user: there is no user %.32s on this machine", name);
	options->user = (uid_t)number;
	return 0;
}

static int
open_fpm(struct learned_from *v, int netns_fd, struct diag *diag)
{
	struct learn_fpm_options options = {
		.rib = v->rib,
		.netns_fd = netns_fd,
		.epoll = v->learner->epoll,
		.table = v->config->table,
		.listen = &v->config->fpm,
		.notify = notify_line,
		.context = v,
	};
	char address[INET6_ADDRSTRLEN];
	int rc = find_user(v->config, &options, diag);

	if (rc != 0)
		return rc;
	rc = learn_fpm_open(&v->fpm, &options);
	if (rc == 0)
		return 0;
	inet_ntop(v->config->fpm.version == 4 ? AF_INET : AF_INET6, v->config->fpm.address, address,
		  sizeof(address));
	return diag_fail(diag, -rc, "learn: FPM cannot listen at %s port %u: %s", address,
			 v->config->fpm.port, strerror(-rc));
}

int
learn_add(struct learner *l, const struct learn_options *o, struct diag *diag)
{
	struct learned_from *v = memory_new(sizeof(*v), "a VRF that learns routes");
	int rc;

	*v = (struct learned_from){
		.learner = l, .node = o->node, .vrf = o->vrf, .config = o->config};
	v->rib = rib_create(&l->topology->nodes[o->node]);
	rc = open_netlink(v, o->netns_fd, diag);
	if (rc == 0 && o->config->source & CONFIG_LEARN_FPM)
		rc = open_fpm(v, o->netns_fd, diag);
	if (rc != 0) {
		destroy_vrf(v);
		return rc;
	}
	l->changes = memory_grow(l->changes, l->count, sizeof(*l->changes), "learned changes");
	l->vrfs = memory_grow(l->vrfs, l->count, sizeof(struct learned_from *), "VRFs");
	l->vrfs[l->count++] = v;
	return 0;
}

// ---- turns -----------------------------------------------------------------------------------

static void
want_neighbour(void *context, uint32_t device, const struct learn_address *address)
{
	struct learned_from *v = context;

	v->waits = true;
	learn_netlink_ask(v->netlink, device, address, v->learner->now_ms);
}

static void
refuse_route(void *context, const struct config_prefix *prefix, enum resolve_refusal why)
{
	static const char *const words[] = {
		[RESOLVE_TOO_MANY] = "it has more than " RTE_STR(GROUP_MEMBERS_MAX) " next hops",
		[RESOLVE_NO_FAR_END] =
			"it leads to a switch, which the tenant's packets reach through "
			"tunnels, and a learned route does not name their far end",
		[RESOLVE_TAG_OF_SOME] =
			"some next hops are switches, which need the tag of the tenant's VLAN, "
			"and some are not",
	};
	char address[INET6_ADDRSTRLEN], line[224];

	inet_ntop(prefix->version == 4 ? AF_INET : AF_INET6, prefix->address, address,
		  sizeof(address));
	snprintf(line, sizeof(line), "%s/%u is not routed: %s", address, prefix->length,
		 words[why]);
	notify_line(context, line);
}

static bool
leads_on(void *context, uint16_t port)
{
	const struct learned_from *v = context;

	return routes_leads_on(v->learner->topology, v->node, port);
}

static void
resolve(struct learned_from *v, struct route_list *out)
{
	const struct topo_vrf *of = &v->learner->topology->vrfs[v->vrf];
	const struct resolve_vrf vrf = {.index = v->vrf, .encap = of->encap, .vid = of->vid};
	const struct resolve_hooks hooks = {
		.want = want_neighbour, .refuse = refuse_route, .leads_on = leads_on, .context = v};

	v->waits = false;
	resolve_routes(v->rib, &vrf, &hooks, out);
}

static bool
is_due(const struct learned_from *v)
{
	return learn_netlink_settled(v->netlink) &&
	       (!v->settled || v->published != v->rib->changes);
}

// Puts the first `count` changes in force. A failure is reported once until it is over.
static bool
put_in_force(struct learner *l, uint32_t count)
{
	struct diag diag = {0};
	char line[256];
	int rc = l->hooks.publish(l->hooks.context, l->changes, count, &diag);

	if (rc != 0 && !l->failed) {
		snprintf(line, sizeof(line), "learned routes cannot be put in force: %s",
			 diag.errors != 0 ? diag_text(&diag.messages[0]) : strerror(-rc));
		l->hooks.notify(l->hooks.context, l->changes[0].node, line);
	}
	diag_free(&diag);
	l->failed = rc != 0;
	return rc == 0;
}

static void
publish(struct learner *l)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < l->count; i++) {
		struct learned_from *v = l->vrfs[i];

		if (!is_due(v))
			continue;
		l->changes[count] = (struct learn_change){.node = v->node, .vrf = v->vrf};
		resolve(v, &l->changes[count++].list);
	}
	if (count != 0 && put_in_force(l, count)) {
		for (uint32_t i = 0, k = 0; i < l->count && k < count; i++) {
			struct learned_from *v = l->vrfs[i];

			if (v->node != l->changes[k].node || v->vrf != l->changes[k].vrf)
				continue;
			v->published = v->rib->changes;
			v->publications++;
			v->settled = true;
			k++;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		routes_clear(&l->changes[i].list);
	// Other work gets as much time as a batch of very many routes took.
	l->published_ms = clock_ms();
	l->pause_ms = l->published_ms - l->now_ms > BATCH_MS ? l->published_ms - l->now_ms
							     : BATCH_MS;
	if (l->failed)
		l->pause_ms = RETRY_MS;
}

// Probes again the neighbours that routes wait for.
static void
ask_again(struct learner *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		struct route_list list = {0};

		if (l->vrfs[i]->settled && l->vrfs[i]->waits)
			resolve(l->vrfs[i], &list);
		routes_clear(&list);
	}
	l->asked_ms = l->now_ms;
}

void
learn_turn(struct learner *l)
{
	bool due = false;

	l->now_ms = clock_ms();
	for (uint32_t i = 0; i < l->count; i++) {
		learn_netlink_turn(l->vrfs[i]->netlink, l->now_ms);
		if (l->vrfs[i]->fpm != NULL)
			learn_fpm_turn(l->vrfs[i]->fpm, l->now_ms);
		due |= is_due(l->vrfs[i]);
	}
	if (due && l->now_ms - l->published_ms >= l->pause_ms)
		publish(l);
	if (l->now_ms - l->asked_ms >= ASK_AGAIN_MS)
		ask_again(l);
}

int
learn_fd(const struct learner *l)
{
	return l->epoll;
}

static int
sooner(int wait, int other)
{
	return other >= 0 && other < wait ? other : wait;
}

int
learn_wait_ms(const struct learner *l)
{
	int64_t now = clock_ms();
	int wait = LOOK_MS;

	for (uint32_t i = 0; i < l->count; i++) {
		const struct learned_from *v = l->vrfs[i];
		int64_t left = l->published_ms + l->pause_ms - now;

		wait = sooner(wait, learn_netlink_wait_ms(v->netlink, now));
		if (v->fpm != NULL)
			wait = sooner(wait, learn_fpm_wait_ms(v->fpm, now));
		if (is_due(v))
			wait = sooner(wait, left > 0 ? (int)left : 0);
	}
	return wait;
}

bool
learn_settled(const struct learner *l)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (!l->vrfs[i]->settled)
			return false;
	return true;
}

void
learn_glean(struct learner *l, uint32_t node, uint16_t vrf, const struct learn_address *address)
{
	for (uint32_t i = 0; i < l->count; i++) {
		struct learned_from *v = l->vrfs[i];
		uint32_t device;

		if (v->node != node || v->vrf != vrf)
			continue;
		device = resolve_device(v->rib, address);
		if (device != 0 && !rib_is_own(v->rib, device, address))
			learn_netlink_ask(v->netlink, device, address, clock_ms());
	}
}

uint32_t
learn_count(const struct learner *l)
{
	return l == NULL ? 0 : l->count;
}

struct learn_view
learn_look(const struct learner *l, uint32_t index)
{
	const struct learned_from *v = l->vrfs[index];

	return (struct learn_view){
		.node = v->node,
		.vrf = v->vrf,
		.config = v->config,
		.rib = v->rib,
		.counts = learn_netlink_counts(v->netlink),
		.fpm_connected = v->fpm != NULL && learn_fpm_connected(v->fpm),
		.fpm_refused = v->fpm != NULL ? learn_fpm_refused(v->fpm) : 0,
		.published = v->publications,
	};
}
