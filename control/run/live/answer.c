// SPDX-License-Identifier: BSD-3-Clause
#include "answer.h"

#include "control/show/show.h"
#include "films.h"
#include "notify.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static int
answer_down(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;

	(void)params;
	(void)diag;
	a->stop = true;
	*result = json_pack("{s:i, s:o}", "pid", (int)getpid(), "processes",
			    host_processes_list(a->live, NULL));
	return 0;
}

static int
answer_status(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const struct live_fabric *live = a->live;
	const struct topology *t = live->topology;
	uint32_t attached = 0, switches = 0, hosts = 0;

	(void)params;
	(void)diag;
	for (uint32_t i = 0; i < t->node_count; i++)
		*(i < t->first_host ? &switches : &hosts) += live_is_here(live, i);
	for (uint32_t h = 0; h < t->host_count; h++) {
		bool found = false;

		for (uint32_t i = 0; i < live->device_count; i++)
			found |= !live->devices[i].detached && live->devices[i].host == h;
		attached += found;
	}
	*result = json_pack("{s:s,s:s*,s:o,s:i,s:I,s:I,s:I,s:I}", "name", live->name, "part",
			    live->part != NULL ? live->part->name.text : NULL, "file",
			    api_text(live->config->file), "pid", (int)getpid(), "since",
			    (json_int_t)live->since, "switches", (json_int_t)switches, "hosts",
			    (json_int_t)hosts, "attached", (json_int_t)attached);
	return 0;
}

// One NIC: its name, address, MAC, MTU and switch port.
static json_t *
nic_json(const struct live_fabric *live, const struct device_port *d)
{
	const struct topo_port *eth = topology_host_port(live->topology, d->host, d->host_port);
	char address[INET_ADDRSTRLEN], mac[18];

	inet_ntop(AF_INET, eth->ip4, address, sizeof(address));
	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", eth->mac[0], eth->mac[1],
		 eth->mac[2], eth->mac[3], eth->mac[4], eth->mac[5]);
	return json_pack("{s:s, s:s, s:s, s:I, s:s}", "nic", eth->name, "address", address, "mac",
			 mac, "mtu", (json_int_t)d->mtu, "port", d->name);
}

// By the names under `attach:`; of several NICs the first is the host's, and `nics` lists all.
static int
answer_hosts(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const struct live_fabric *live = a->live;

	(void)params;
	(void)diag;
	*result = json_object();
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];
		const struct config_attach *attach = d->attach;
		json_t *host, *nic;

		if (d->host == TOPOLOGY_NONE || d->detached)
			continue;
		nic = nic_json(live, d);
		host = json_object_get(*result, attach->host.text);
		if (host == NULL) {
			host = json_copy(nic);
			json_object_update_new(
				host, json_pack("{s:s?, s:s*, s:s*, s:o}", "netns", d->netns,
						"container", attach->container.text, "tap",
						attach->tap.text, "nics", json_array()));
			if (attach->pid != 0 && host_netns_has_process(d))
				json_object_set_new(host, "pid", json_integer(attach->pid));
			json_object_set_new(*result, attach->host.text, host);
		}
		json_array_append_new(json_object_get(host, "nics"), nic);
	}
	return 0;
}

// The bits of kinds, of all without names. Returns 0 or -EINVAL.
static int
find_kinds(const json_t *names, uint32_t *out, struct diag *diag)
{
	size_t count, i;
	const char *const *kinds = notify_kinds(&count);
	json_t *name;

	*out = names == NULL ? (1u << count) - 1 : 0;
	json_array_foreach(names, i, name)
	{
		size_t kind = 0;

		while (kind < count && strcmp(kinds[kind], json_string_value(name)) != 0)
			kind++;
		if (kind == count)
			return diag_fail(diag, EINVAL,
					 "\"%.40s\" is not a kind of event; the kinds are link, "
					 "pause, watchdog, drops and apply",
					 json_string_value(name));
		*out |= 1u << kind;
	}
	return 0;
}

// The bit of the film with this interval; 0 without one. Returns 0 or -errno.
static int
join_film(struct answer *a, const json_t *interval, uint32_t *out, struct diag *diag)
{
	json_int_t ms = json_integer_value(interval);
	char intervals[FILMS_INTERVALS_MAX];

	if (interval == NULL)
		return 0;
	if (ms < FILMS_LEAST_MS || ms > FILMS_MOST_MS)
		return diag_fail(diag, EINVAL,
				 "\"film-ms\": %" JSON_INTEGER_FORMAT " is out of range: %d to %d",
				 ms, FILMS_LEAST_MS, FILMS_MOST_MS);
	*out = films_join(a->films, (unsigned int)ms);
	if (*out == 0)
		return diag_fail(diag, EUSERS,
				 "films with %d other intervals are being recorded already: %s ms; "
				 "use one of these intervals, or end one",
				 FILMS_MAX, films_intervals(a->films, intervals));
	return 0;
}

static int
answer_subscribe(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	json_int_t least = json_integer_value(json_object_get(params, "pause-over-ns"));
	size_t count;
	const char *const *kinds = notify_kinds(&count);
	json_t *subscribed;
	const json_t *film_ms = json_object_get(params, "film-ms");
	uint32_t bits, film = 0;
	int rc = find_kinds(json_object_get(params, "kinds"), &bits, diag);

	if (rc == 0 && least < 0)
		rc = diag_fail(diag, EINVAL, "\"pause-over-ns\" is negative");
	if (rc == 0)
		rc = join_film(a, film_ms, &film, diag);
	if (rc != 0)
		return rc;
	if (api_server_subscribe(a->server, bits | film, (uint64_t)least) != 0)
		return diag_fail(
			diag, EUSERS,
			"%d clients have subscribed, which is the maximum; end one of them",
			API_SUBSCRIBERS_MAX);
	subscribed = json_array();
	for (size_t i = 0; i < count; i++)
		if (bits & 1u << i)
			json_array_append_new(subscribed, json_string(kinds[i]));
	*result = json_pack("{s:o}", "kinds", subscribed);
	if (film != 0)
		json_object_set_new(*result, "film_bytes_per_s",
				    json_integer((json_int_t)films_bytes_per_s(
					    a->live, (uint64_t)json_integer_value(film_ms))));
	return 0;
}

static int
answer_discover(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	(void)context;
	(void)params;
	(void)diag;
	*result = api_describe(answer_methods);
	return 0;
}

#define PARAMS(...)                  \
	(const struct api_param[])   \
	{                            \
		__VA_ARGS__          \
		{                    \
			.name = NULL \
		}                    \
	}

#define OUTCOME                                                                              \
	"the `revision` that runs now (null while it waits to be confirmed), the number of " \
	"`edits`, whether it is `draining`, and `warnings`"

// The packet that is traced.
#define FLOW_PARAMS                                                                             \
	{"source", API_TEXT, true, "a host, one of its NICs (h1.eth2), or its address"},        \
		{"destination", API_TEXT, true, "the same, or any address"},                    \
		{"tenant", API_TEXT, false,                                                     \
		 "the tenant that `source` belongs to, if several tenants use its address"},    \
		{"sport", API_INTEGER, false, "UDP source port (default: 49152)"},              \
		{"dport", API_INTEGER, false, "UDP destination port (default: 4791, RoCEv2)"},  \
		{"queue-pair", API_INTEGER, false, "destination queue pair (default: 2)"},      \
		{"dscp", API_INTEGER, false, "DSCP (default: that of the host's flows)"},       \
		{"priority", API_INTEGER, false, "priority, instead of a DSCP"},                \
		{"ttl", API_INTEGER, false, "TTL or hop limit (default: 64)"},                  \
	{                                                                                       \
		"bytes", API_INTEGER, false,                                                    \
			"frame size in bytes, without FCS (default: a full RoCEv2 data packet)" \
	}

const struct api_method answer_methods[] = {
	{"rpc.discover", answer_discover, API_READ, "Returns this description, as OpenRPC",
	 PARAMS(), "an OpenRPC document"},
	{"status", answer_status, API_READ, "Says which fabric this is", PARAMS(),
	 "`name`, `part` if the process runs one of `fabric.parts`, `file`, `pid`, `since` (in "
	 "seconds since 1970), and how many `switches`, `hosts` and `attached` hosts there are"},
	{"show", answer_show, API_READ, "Returns state and counters, as `roost show` prints them",
	 PARAMS({"what", API_TEXT, true, "a word of `roost show`", show_words},
		{"port", API_TEXT, false, "leaf1.swp3, swp3 of every switch, or leaf1"},
		{"vrf", API_TEXT, false, "for `route` and `neighbour`: the VRF"},
		{"view", API_TEXT, false, "for `interface`: roce-status or roce-counters"}, ),
	 "what `roost show WORD -o json` prints"},
	{"topology", answer_topology, API_READ,
	 "Describes the fabric: switches, hosts, links as they are now, and tenants", PARAMS(),
	 "`name`; `nodes`, each with `name`, `role` and, where the fabric has them, `plane`, `pod` "
	 "and `rail`, from 1, and `lid`; `links`, as `link` returns them; `hosts`, as `show` "
	 "returns them; and `tenants`: names in the order of the file, null for a removed tenant. "
	 "A host of an InfiniBand fabric has `pkey`, its partition key. A switch with credits, or "
	 "of an InfiniBand fabric, has `lanes`. There, `by_priority` lists the lane of each "
	 "priority. `credits` says whether its links have credits. `arbitration` has InfiniBand's "
	 "tables for its ports: `high` and `low` are lists of pairs, a lane and its weight, and "
	 "`limit` is VLHighLimit. `nic_arbitration` has those of the NICs of its hosts. `ports` "
	 "has both for ports that differ"},
	{"where", answer_where, API_READ,
	 "Finds a host, NIC, switch, port, namespace, container, tap or address",
	 PARAMS({"name", API_TEXT, true, "h5, leaf1.swp3, lab-h5, 10.0.1.5"}, ),
	 "what `roost where -o json` prints"},
	{"trace", answer_trace, API_READ,
	 "Computes the path of one packet as the fabric stands now, without sending it",
	 PARAMS(FLOW_PARAMS, ), "what `roost trace -o json` prints"},
	{"probe", answer_probe, API_WRITE,
	 "Computes the path of one packet, sends that packet, and reports it as a notification of "
	 "the "
	 "method `probe`",
	 PARAMS(FLOW_PARAMS,
		{"wait-ms", API_INTEGER, false,
		 "how long to wait for the packet, in ms, 1 to 60000 (default: 1000)"}, ),
	 "what `trace` returns, and `probe`, the number of the notification"},
	{"counters", answer_counters, API_READ, "Returns all counters of all nodes at one instant",
	 PARAMS({"node", API_TEXT, false, "only those of this node"}, ),
	 "`time_ns` and `nodes`, as in [counters.json](counters.md), without values that are zero "
	 "(or still have their initial value); priorities, groups, queues and bins are objects "
	 "whose keys are indexes, instead of arrays"},
	{"hosts", answer_hosts, API_READ, "Lists the attached hosts", PARAMS(),
	 "an object with a key for each host, or NIC such as h1.eth2: its `netns`, `pid`, "
	 "`container` or `tap`; the `address`, `mac`, `mtu` and switch `port` of its first NIC; "
	 "and all `nics`"},
	{"attach-host", answer_attach_host, API_WRITE,
	 "Replaces a simulated host with a namespace, container, tap or device",
	 PARAMS({"host", API_TEXT, true, "or one of its NICs: h1.eth2"},
		{"settings", API_TEXTS, true,
		 "as under `attach:`: \"netns=lab-h3\", \"ip=192.168.7.3\", \"nic=off\""}, ),
	 OUTCOME "; after an error, nothing has changed"},
	{"detach-host", answer_detach_host, API_WRITE, "Detaches what is attached as a host",
	 PARAMS({"host", API_TEXT, true, "the name under which it was attached"}, ),
	 "the `revision` that runs now (null while it waits to be confirmed), the number of "
	 "`edits`, whether it is `draining`, `warnings`, and the `processes` in a namespace that "
	 "Roost made: Roost sends them SIGTERM, and SIGKILL after a second if they still run"},
	{"link", answer_link, API_WRITE,
	 "Takes a link down or up, or changes it, as a link event of a file does; or takes a port "
	 "of a single switch down or up",
	 PARAMS({"link", API_TEXT, true, "leaf1-spine1, or one of its ports: leaf1.swp5"},
		{"state", API_TEXT, false, "down or up"}, {"rate", API_TEXT, false, "200G"},
		{"delay", API_TEXT, false, "5us"},
		{"loss", API_TEXT, false, "the share of packets that are lost: 0.1%"},
		{"corrupt", API_TEXT, false, "the share of frames that get a wrong FCS"},
		{"corrupt-payload", API_TEXT, false,
		 "the share of RoCEv2 packets that get a wrong ICRC"},
		{"bit-error-rate", API_TEXT, false,
		 "the probability that a bit of a frame is wrong, such as 1e-9"},
		{"clear", API_BOOL, false, "true: restore what the file says"}, ),
	 "the link as it is now: `link`, its ends `a` and `b`, `rate_bps`, `delay_ps`, `state`, "
	 "`changed`: what differs from the file, and `part`: that at the other end, if another "
	 "process runs it. For a port of a single switch, `link` and `a` are the port, and `b` and "
	 "`delay_ps` are absent"},
	{"lft", answer_lft, API_WRITE,
	 "Sets linear forwarding tables of an InfiniBand fabric, as a subnet manager does; they "
	 "stay when links change, until they are set again",
	 PARAMS({"tables", API_OBJECTS, false,
		 "each with `switch`, and `ports`: for each LID from 0 the number of the port, in "
		 "base64; 0: the switch itself, 255: none"},
		{"more", API_BOOL, false,
		 "true: further tables follow over this connection, and none is used before the "
		 "last; "
		 "if the connection ends first, none is used at all"},
		{"reset", API_BOOL, false,
		 "true: the fabric's own engine, or its `subnet.lfts`, provides the tables "
		 "again"}, ),
	 "`lids`: how many LIDs a table has"},
	{"transmit", answer_transmit, API_WRITE,
	 "Turns transmission by a port, or by one of its queues, off or on",
	 PARAMS({"port", API_TEXT, true, "leaf1.swp3"}, {"state", API_TEXT, true, "off or on"},
		{"queue", API_INTEGER, false, "only this queue, 0 to 7 (default: all)"}, ),
	 "`port`, and `off`: the queues of the port that do not transmit now"},
	{"subscribe", answer_subscribe, API_READ,
	 "Sends events over this connection from now on, as notifications of the method `event`",
	 PARAMS({"kinds", API_TEXTS, false, "default: all", notify_kinds},
		{"pause-over-ns", API_INTEGER, false,
		 "only pauses that lasted at least this many ns since the last poll"},
		{"film-ms", API_INTEGER, false,
		 "also send a film, as events of the kind `film`; its interval in ms of wall time, "
		 "10 to 1000"}, ),
	 "`kinds`; with `film-ms` also `film_bytes_per_s`, an estimate of the film's maximum size "
	 "in bytes per second of wall time, before base64"},
	{"capture", answer_capture, API_WRITE,
	 "Sends packets over this connection from now on, as notifications of the method `capture`",
	 PARAMS({"ports", API_TEXTS, false,
		 "leaf1.swp3, h1.eth1, leaf1 for all its ports, or leaf1-spine1 for the lower end "
		 "of that link; required without `drops`"},
		{"drops", API_BOOL, false,
		 "only dropped packets, of these ports or of the whole fabric"},
		{"direction", API_TEXT, false, "default: both", capture_directions},
		{"filter", API_TEXT, false, "a BPF program, as printed by `tcpdump -ddd FILTER`"},
		{"snap", API_INTEGER, false,
		 "keep at most this many bytes of each packet (default: all)"},
		{"count", API_INTEGER, false, "end after this many packets"},
		{"raw", API_BOOL, false, "send binary blocks instead of base64"}, ),
	 "`ports`, the names of the captured ports"},
	{"capture-end", answer_capture_end, API_WRITE, "Ends the capture of this connection",
	 PARAMS(), "an empty object; the last notification has `end`"},
	{"set", answer_set, API_WRITE, "Changes one key while traffic runs",
	 PARAMS({"key", API_TEXT, true, "switch.qos.tc.3.ecn.min"},
		{"value", API_TEXT, true, "as in a file: 100KB, [h1, h2]"}, ),
	 OUTCOME},
	{"edit", answer_edit, API_WRITE, "Changes several keys, at once or staged for an apply",
	 PARAMS({"edits", API_OBJECTS, true,
		 "each with `kind` (set, unset, add, remove), `key` and, except for unset, "
		 "`value`"},
		{"stage", API_BOOL, false,
		 "true: add them to the staged edits, to be applied later"}, ),
	 OUTCOME "; if staged: `staged`, the number of staged edits, and `warnings`"},
	{"discard", answer_discard, API_WRITE, "Discards the staged edits", PARAMS(),
	 "`discarded`, the number of edits that were staged"},
	{"draining", answer_draining, API_READ,
	 "Returns whether packets that were admitted before the last change are still in flight",
	 PARAMS(), "`draining`"},
	{"apply", answer_apply, API_WRITE, "Applies the staged edits, or the text of a file",
	 PARAMS({"text", API_TEXT, false, "the text of the file"},
		{"file", API_TEXT, false,
		 "required with `text`: its name in messages and the history"},
		{"confirm-s", API_INTEGER, false,
		 "undo the change after this many seconds unless `confirm` is called"}, ),
	 OUTCOME},
	{"confirm", answer_confirm, API_WRITE, "Confirms an apply that waits, or undoes it",
	 PARAMS({"keep", API_BOOL, true, "true: keep the change; false: undo it at once"}, ),
	 OUTCOME},
	{"rollback", answer_rollback, API_WRITE, "Applies an earlier revision",
	 PARAMS({"revision", API_INTEGER, true, "its number"},
		{"confirm-s", API_INTEGER, false, "as for `apply`"}, ),
	 OUTCOME},
	{"history", answer_history, API_READ, "Lists the revisions of the configuration", PARAMS(),
	 "`revisions` (`revision`, `at`, `uid`, `user`, `what`, `file`), oldest first, `running`, "
	 "and `waiting`: null, or `what` waits to be confirmed and `left-s`, the seconds until it "
	 "is undone"},
	{"config-diff", answer_config_diff, API_READ, "Compares configurations",
	 PARAMS({"revision", API_INTEGER, false, "list what has changed since this revision"}, ),
	 "`staged` (from what runs to what is staged), `unsaved` (from `file` to what runs; null, "
	 "with `why-not`, if the file cannot be read), or `changes`: lists of `key`, `from`, `to`. "
	 "For a client that may only read, `unsaved` compares with the contents that the file had "
	 "when the fabric last read or wrote it"},
	{"save", answer_save, API_WRITE, "Writes the running configuration to a file",
	 PARAMS({"file", API_TEXT, false,
		 "its absolute path; default: the file that the fabric came from"}, ),
	 "`file`, and `kept`: the new name of the previous file"},
	{"clear", answer_clear, API_WRITE,
	 "Resets watermarks to the current values, and returns what they were if `read` is true",
	 PARAMS({"what", API_TEXT, true, "watermarks"},
		{"persistent", API_BOOL, false,
		 "true: the persistent watermarks instead of the user watermarks"},
		{"node", API_TEXT, false,
		 "only the watermarks of this node or, if there is only one switch, of this port"},
		{"port", API_TEXT, false, "only the watermarks of this port's groups and queues"},
		{"pg", API_INTEGER, false,
		 "only the watermarks of this priority group of the port"},
		{"queue", API_INTEGER, false, "only the watermarks of this queue of the port"},
		{"pool", API_TEXT, false,
		 "only the watermarks of this pool, such as egress-lossy or headroom"},
		{"read", API_BOOL, false, "true: also return what was cleared"}, ),
	 "`nodes`, the number of nodes; with `read`, also the `watermarks`, by node as in "
	 "`counters`, without watermarks that were 0. Roost reads and clears them at the same "
	 "instant, so no peak is lost in between"},
	{"watchdog-restore", answer_watchdog_restore, API_WRITE,
	 "Ends a storm that the PFC watchdog detected",
	 PARAMS({"queue", API_TEXT, true, "leaf1.swp3.3"}, ), "`storm`: whether there was one"},
	{"down", answer_down, API_WRITE, "Takes the fabric down", PARAMS(),
	 "the `pid` of the process that ends, and the `processes` (`pid`, `command`, `netns`) that "
	 "it ends in the namespaces made by `up`"},
	{.name = NULL},
};
