// SPDX-License-Identifier: BSD-3-Clause
// roost where: an address of the plan (control/topology/addresses.h) as the place it stands for,
// and with a file as the host that is there.
#include "cli.h"

#include "control/report/text_table.h"
#include "control/topology/addresses.h"
#include "control/topology/topology.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

struct where_request {
	const char *address;
	const char *file; // or NULL
	bool json;
};

static int
take_request(struct where_request *r, int argc, char **argv)
{
	static const struct option options[] = {{"output", required_argument, NULL, 'o'},
						{NULL, 0, NULL, 0}};
	int option;

	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (option != 'o')
			return cli_usage_hint(argv[0]);
		r->json = strcmp(optarg, "json") == 0;
		if (!r->json && strcmp(optarg, "text") != 0)
			return cli_usage(argv[0], "-o %s: json or text", optarg);
	}
	if (argc - optind < 1 || argc - optind > 2)
		return cli_usage(argv[0], argc == optind ? "which address?"
							 : "an address, and at most one file");
	r->address = argv[optind];
	r->file = argv[optind + 1];
	return CLI_OK;
}

static json_t *
place_json(const struct where_request *r, const struct place *place)
{
	return json_pack("{s:s,s:i,s:i,s:i,s:i}", "address", r->address, "plane", (int)place->plane,
			 "pod", (int)place->pod, "leaf", (int)place->leaf, "port",
			 (int)place->port);
}

// Adds the host that is behind a leaf's port.
static int
add_host(json_t *to, const struct topology *t, const struct topo_ref *at)
{
	const struct topo_port *port = &t->nodes[at->node].ports[at->port];
	const struct topo_node *host = &t->nodes[port->peer_node];
	const struct topo_port *end = &host->ports[port->peer_port];
	char ip4[INET_ADDRSTRLEN], ip6[INET6_ADDRSTRLEN], link[TOPOLOGY_NAME_MAX];
	json_t *more;
	int status;

	inet_ntop(AF_INET, end->ip4, ip4, sizeof(ip4));
	inet_ntop(AF_INET6, end->ip6, ip6, sizeof(ip6));
	more = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s?,s:o}", "host", host->name, "host_port",
			 end->name, "switch_port", topology_port_name(t, at->node, at->port, link),
			 "ip4", ip4, "ip6", ip6, "vrf", t->vrfs[end->vrf].name, "tenant",
			 end->tenant != TENANT_NONE ? t->tenants[end->tenant].name : NULL, "mac",
			 json_sprintf("%02x:%02x:%02x:%02x:%02x:%02x", end->mac[0], end->mac[1],
				      end->mac[2], end->mac[3], end->mac[4], end->mac[5]));
	status = more != NULL ? json_object_update(to, more) : -1;
	json_decref(more);
	return status == 0 ? CLI_OK : CLI_FAILED;
}

// An uplink's number is no host's address, and a port may be free.
static bool
leads_to_host(const struct topology *t, const struct topo_ref *at)
{
	uint32_t peer = t->nodes[at->node].ports[at->port].peer_node;

	return peer != TOPOLOGY_NONE && t->nodes[peer].role == CONFIG_ROLE_HOST;
}

static int
look_in_file(const struct where_request *r, const struct place *place, json_t *to)
{
	struct config_diag diag = {0};
	struct config *config = NULL;
	struct topology *topology = NULL;
	struct topo_ref at;
	int status = CLI_USAGE;

	if (config_load(&config, r->file, &diag) == 0 &&
	    topology_create(&topology, config, &diag) == 0)
		status = CLI_OK;
	config_diag_print(&diag, stderr);
	if (status == CLI_OK) {
		if (topology_find_place(topology, place, &at) == 0 &&
		    leads_to_host(topology, &at)) {
			status = add_host(to, topology, &at);
		} else {
			fprintf(stderr, "roost where: %s: nobody is at %s in this fabric\n",
				r->file, r->address);
			status = CLI_FAILED;
		}
	}
	topology_destroy(topology);
	config_free(config);
	config_diag_free(&diag);
	return status;
}

static void
print_text(const json_t *answer)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)answer, key, value)
	{
		if (json_is_integer(value))
			printf("%-12s %lld\n", key, (long long)json_integer_value(value));
		else if (json_is_string(value))
			printf("%-12s %s\n", key, json_string_value(value));
	}
}

static int
find_place(const struct where_request *r, const char *command, struct place *place)
{
	int status = addresses_find_place(r->address, place);

	if (status == -EINVAL)
		return cli_usage(command, "%s is neither an IPv4, an IPv6 nor a MAC address",
				 r->address);
	if (status != 0) {
		fprintf(stderr, "%s: no host can have %s: hosts have 10.x.x.x and fd00::/64\n",
			command, r->address);
		return CLI_FAILED;
	}
	return CLI_OK;
}

int
cmd_where(int argc, char **argv)
{
	struct where_request r = {0};
	struct place place;
	int status = take_request(&r, argc, argv);
	json_t *answer;

	if (status == CLI_OK)
		status = find_place(&r, argv[0], &place);
	if (status != CLI_OK)
		return status;
	answer = place_json(&r, &place);
	if (answer == NULL)
		return CLI_FAILED;
	if (r.file != NULL)
		status = look_in_file(&r, &place, answer);
	if (status == CLI_OK && r.json) {
		json_dumpf(answer, stdout, JSON_INDENT(1));
		putchar('\n');
	} else if (status == CLI_OK) {
		print_text(answer);
	}
	json_decref(answer);
	return status;
}
