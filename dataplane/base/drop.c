// SPDX-License-Identifier: BSD-3-Clause
#include "drop.h"

static const struct {
	const char *name;
	const char *advice;
} drop_texts[DROP_COUNT] = {
#define X(id, text, help) [DROP_##id] = {text, help},
	DROP_REASONS(X)
#undef X
};

const char *
drop_name(enum drop_reason reason)
{
	return drop_texts[reason].name;
}

const char *
drop_advice(enum drop_reason reason)
{
	return drop_texts[reason].advice;
}

bool
drop_is_at_queue(enum drop_reason reason)
{
	return reason == DROP_HEADROOM || reason == DROP_INGRESS_POOL ||
	       reason == DROP_EGRESS_POOL || reason == DROP_TENANT_SHARE || reason == DROP_RED ||
	       reason == DROP_WATCHDOG;
}
