// SPDX-License-Identifier: BSD-3-Clause
#include "rule.h"

#include "request.h"

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#define RULES_MAX 64 // of one kind, that are removed at a time

static int
change(uint16_t type, uint16_t flags, const struct veth_address *from, uint8_t table)
{
	struct request r;
	struct fib_rule_hdr *header = request_start(&r, type, flags, sizeof(*header));

	header->family = (uint8_t)from->family;
	header->src_len = from->family == AF_INET6 ? 128 : 32;
	header->table = table;
	header->action = FR_ACT_TO_TBL;
	mnl_attr_put(r.message, FRA_SRC, from->family == AF_INET6 ? 16 : 4, from->bytes);
	return request_send(&r, NULL, NULL);
}

int
rule_delete(const struct veth_address *from, uint8_t table)
{
	int rc = change(RTM_DELRULE, 0, from, table);

	return rc == -ESRCH ? -ENOENT : rc;
}

int
rule_add(const struct veth_address *from, uint8_t table)
{
	for (unsigned i = 0; i < RULES_MAX && rule_delete(from, table) == 0; i++)
		;
	return change(RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL, from, table);
}
