// SPDX-License-Identifier: BSD-3-Clause
#include "answer.h"

#include "control/api/describe.h"
#include "notify.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int
answer_down(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct answer *a = context;

	(void)params;
	(void)why;
	(void)why_size;
	a->stop = true;
	*result = json_pack("{s:i}", "pid", (int)getpid());
	return *result == NULL ? -ENOMEM : 0;
}

static int
answer_hosts(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct answer *a = context;
	const struct live_fabric *live = a->live;

	(void)params;
	(void)why;
	(void)why_size;
	*result = json_object();
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];
		char address[INET_ADDRSTRLEN];

		if (d->host == TOPOLOGY_NONE)
			continue;
		inet_ntop(AF_INET, topology_host(live->topology, d->host)->ports[0].ip4, address,
			  sizeof(address));
		json_object_set_new(*result, topology_host(live->topology, d->host)->name,
				    json_pack("{s:s?, s:s, s:s}", "netns", d->netns, "address",
					      address, "port", d->name));
	}
	return *result == NULL ? -ENOMEM : 0;
}

// Kinds by name. Returns 0 with *out, or -EINVAL with one line in why.
static int
find_kinds(const json_t *names, uint32_t *out, char *why, size_t why_size)
{
	json_t *name;
	size_t i;

	*out = names == NULL ? (1u << NOTIFY_KINDS) - 1 : 0;
	json_array_foreach((json_t *)(uintptr_t)names, i, name)
	{
		unsigned int kind = 0;

		while (kind < NOTIFY_KINDS &&
		       strcmp(notify_kinds[kind], json_string_value(name)) != 0)
			kind++;
		if (kind == NOTIFY_KINDS) {
			snprintf(why, why_size,
				 "there are no events \"%.40s\": there are link, pause, watchdog, "
				 "drops and apply",
				 json_string_value(name));
			return -EINVAL;
		}
		*out |= 1u << kind;
	}
	return 0;
}

static int
answer_subscribe(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct answer *a = context;
	json_int_t least = json_integer_value(json_object_get(params, "pause-over-ns"));
	uint32_t kinds;
	int rc = find_kinds(json_object_get(params, "kinds"), &kinds, why, why_size);

	if (rc == 0 && least < 0) {
		snprintf(why, why_size, "\"pause-over-ns\" is below 0");
		rc = -EINVAL;
	}
	if (rc == 0)
		rc = api_server_subscribe(a->server, kinds, (uint64_t)least);
	if (rc == -EUSERS)
		snprintf(why, why_size, "%d clients have subscribed already", API_SUBSCRIBERS_MAX);
	if (rc != 0)
		return rc;
	*result = json_array();
	for (unsigned int i = 0; i < NOTIFY_KINDS; i++)
		if (kinds & 1u << i)
			json_array_append_new(*result, json_string(notify_kinds[i]));
	*result = json_pack("{s:o}", "kinds", *result);
	return *result == NULL ? -ENOMEM : 0;
}

static int
answer_discover(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	(void)context;
	(void)params;
	(void)why;
	(void)why_size;
	*result = api_describe(answer_methods, answer_method_count);
	return *result == NULL ? -ENOMEM : 0;
}

#define PARAMS(...)                  \
	(const struct api_param[])   \
	{                            \
		__VA_ARGS__          \
		{                    \
			.name = NULL \
		}                    \
	}

#define OUTCOME                                                                                   \
	"`revision` that runs (null while it waits to be confirmed), number of `edits`, whether " \
	"it is `draining`, and `warnings`"

const struct api_method answer_methods[] = {
	{"rpc.discover", answer_discover, API_READ, "This description, as OpenRPC", PARAMS(),
	 "an OpenRPC document"},
	{"show", answer_show, API_READ, "State and counters, as `roost show`",
	 PARAMS({"what", API_TEXT, true,
		 "a word that may follow `roost show`: fabric, interface, "
		 "drops"},
		{"port", API_TEXT, false, "leaf1.swp3, swp3 of every switch, or leaf1"},
		{"vrf", API_TEXT, false, "of routes: the VRF"},
		{"view", API_TEXT, false, "of an interface: roce-status or roce-counters"}, ),
	 "what `roost show WORD -o json` prints"},
	{"hosts", answer_hosts, API_READ, "The attached hosts", PARAMS(),
	 "an object by host: its namespace, address and the switch port it hangs on"},
	{"subscribe", answer_subscribe, API_READ,
	 "From now on events come over this connection, as notifications of the method `event`",
	 PARAMS({"kinds", API_TEXTS, false,
		 "link, pause, watchdog, drops, apply; all where it is missing"},
		{"pause-over-ns", API_INTEGER, false,
		 "of pauses only those that took at least so many ns since the last look"}, ),
	 "the kinds"},
	{"set", answer_set, API_WRITE, "Changes one key while traffic runs",
	 PARAMS({"key", API_TEXT, true, "switch.qos.tc.3.ecn.min"},
		{"value", API_TEXT, true, "as in a file: 100KB, [h1, h2]"}, ),
	 OUTCOME},
	{"edit", answer_edit, API_WRITE, "Changes keys together, at once or staged for an apply",
	 PARAMS({"edits", API_OBJECTS, true,
		 "of `kind` (set, unset, add, remove), `key` and, but with unset, `value`"},
		{"stage", API_BOOL, false, "to be applied later, with what is staged already"}, ),
	 OUTCOME "; staged: `staged`, how many edits are, and `warnings`"},
	{"detach", answer_detach, API_WRITE, "Forgets what is staged", PARAMS(),
	 "`detached`, how many edits were staged"},
	{"draining", answer_draining, API_READ,
	 "Whether packets that were admitted before the last change are still under way", PARAMS(),
	 "`draining`"},
	{"apply", answer_apply, API_WRITE,
	 "Applies what is staged, or makes the fabric what a file says",
	 PARAMS({"text", API_TEXT, false, "of the file"},
		{"file", API_TEXT, false,
		 "needed with `text`: its name in messages and the history"},
		{"confirm-s", API_INTEGER, false,
		 "to be undone after so many seconds unless `confirm` comes"}, ),
	 OUTCOME},
	{"confirm", answer_confirm, API_WRITE, "Ends the wait of an apply that is to be confirmed",
	 PARAMS({"keep", API_BOOL, true, "false: it is undone at once"}, ), OUTCOME},
	{"rollback", answer_rollback, API_WRITE, "Makes the fabric what a revision says",
	 PARAMS({"revision", API_INTEGER, true, "its number"},
		{"confirm-s", API_INTEGER, false, "as of apply"}, ),
	 OUTCOME},
	{"history", answer_history, API_READ, "The revisions of the configuration", PARAMS(),
	 "`revisions` (`revision`, `at`, `uid`, `user`, `what`, `file`), oldest first, `running`, "
	 "and "
	 "of what waits to be confirmed `waiting`"},
	{"config-diff", answer_config_diff, API_READ, "What makes one configuration another",
	 PARAMS({"revision", API_INTEGER, false, "what has changed since"}, ),
	 "`staged` (from what runs to what is staged), `unsaved` (from `file` to what runs), or "
	 "`changes`: lists of `key`, `from`, `to`"},
	{"save", answer_save, API_WRITE, "Writes what runs to a file",
	 PARAMS({"file", API_TEXT, false, "its path, from / on; by default where it came from"}, ),
	 "`file`, and `kept`: the name that the old file has now"},
	{"clear", answer_clear, API_WRITE, "Starts maxima again from what is held now",
	 PARAMS({"what", API_TEXT, true, "watermarks"},
		{"persistent", API_BOOL, false, "the persistent ones instead of the user's"},
		{"node", API_TEXT, false, "of this node alone"}, ),
	 "`nodes`, their number"},
	{"watchdog-restore", answer_watchdog_restore, API_WRITE,
	 "Ends a storm that the PFC watchdog found",
	 PARAMS({"queue", API_TEXT, true, "leaf1.swp3.3"}, ), "`storm`: whether there was one"},
	{"down", answer_down, API_WRITE, "Takes the fabric down", PARAMS(),
	 "`pid` of the process that ends"},
};

const size_t answer_method_count = sizeof(answer_methods) / sizeof(answer_methods[0]);
