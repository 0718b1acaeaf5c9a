// SPDX-License-Identifier: BSD-3-Clause
#include "answer.h"

#include <arpa/inet.h>
#include <errno.h>
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
	const struct lab *lab = a->lab;

	(void)params;
	(void)why;
	(void)why_size;
	*result = json_object();
	for (uint32_t i = 0; i < lab->device_count; i++) {
		const struct lab_device *d = &lab->devices[i];
		char address[INET_ADDRSTRLEN];

		if (d->host == TOPOLOGY_NONE)
			continue;
		inet_ntop(AF_INET, topology_host(lab->topology, d->host)->ports[0].ip4, address,
			  sizeof(address));
		json_object_set_new(*result, topology_host(lab->topology, d->host)->name,
				    json_pack("{s:s?, s:s, s:s}", "netns", d->netns, "address",
					      address, "port", d->name));
	}
	return *result == NULL ? -ENOMEM : 0;
}

const struct api_method answer_methods[] = {
	{"show", answer_show},
	{"down", answer_down},
	{"hosts", answer_hosts},
	{"set", answer_set},
	{"clear", answer_clear},
	{"watchdog-restore", answer_watchdog_restore},
};

const size_t answer_method_count = sizeof(answer_methods) / sizeof(answer_methods[0]);
