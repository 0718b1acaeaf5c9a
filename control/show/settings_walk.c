// SPDX-License-Identifier: BSD-3-Clause
// The walk through a switch's settings in the order of its keys.
#include "settings_part.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SETTINGS_SET_MAX 260 // 64 numbers

// A list in the making. `base`: of the switch_config that is walked.
struct walk {
	json_t *out;
	const struct switch_config *base;
	const struct config_mark *marks; // NULL: of the preset alone
	bool failed;
};

json_t *
settings_where(const struct config_mark *mark)
{
	if (mark->origin != CONFIG_ORIGIN_FILE)
		return json_null();
	return mark->pos.line != 0 ? json_sprintf("line %" PRIu32, mark->pos.line)
				   : json_string("live");
}

// Adds a key; `at`: the member that it stands for.
static void __attribute__((format(printf, 4, 5)))
add(struct walk *w, const void *at, const char *value, const char *format, ...)
{
	char key[SETTINGS_KEY_MAX];
	json_t *one = json_pack("{s:s}", "value", value);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(key, sizeof(key), format, arguments);
	va_end(arguments);
	if (w->marks != NULL) {
		const struct config_mark *mark =
			&w->marks[(const char *)at - (const char *)w->base];

		w->failed |= json_object_set_new(one, "origin",
						 json_string(mark->origin == CONFIG_ORIGIN_DEFAULT
								     ? "default"
								     : "preset")) != 0 ||
			     json_object_set_new(one, "where", settings_where(mark)) != 0;
	}
	w->failed |= json_object_set_new(w->out, key, one) != 0;
}

static const char *
on_off(bool on)
{
	return on ? "on" : "off";
}

static const char *
number(char text[static CONFIG_TEXT], uint64_t value)
{
	snprintf(text, CONFIG_TEXT, "%" PRIu64, value);
	return text;
}

// A rate, or "none".
static const char *
rate(char text[static CONFIG_TEXT], uint64_t bits_per_s)
{
	return bits_per_s != 0 ? config_rate_text(bits_per_s, text) : "none";
}

// 2^shift: "1/8", "4".
static const char *
power(char text[static CONFIG_TEXT], int shift)
{
	snprintf(text, CONFIG_TEXT, shift < 0 ? "1/%u" : "%u",
		 1u << (shift < 0 ? -shift : shift));
	return text;
}

static const char *
amount(char text[static CONFIG_TEXT], const struct config_amount *a)
{
	switch (a->kind) {
	case CONFIG_AMOUNT_BYTES:
		return config_bytes_text(a->value, text);
	case CONFIG_AMOUNT_PERCENT:
		return config_percent_text((uint32_t)a->value, text);
	case CONFIG_AMOUNT_UNLIMITED:
		return "unlimited";
	case CONFIG_AMOUNT_AUTO:
		return "auto";
	case CONFIG_AMOUNT_ALPHA:
		return power(text, (int)a->value - CONFIG_ALPHA_ONE);
	case CONFIG_AMOUNT_NONE:
		break;
	}
	return "none";
}

static const char *
bits(char text[static CONFIG_TEXT], unsigned int set)
{
	char *to = text;

	*to++ = '[';
	for (; set != 0; set &= set - 1)
		to += sprintf(to, "%d%s", __builtin_ctz(set), (set & (set - 1)) != 0 ? ", " : "");
	strcpy(to, "]");
	return text;
}

static const char *
trusted(char text[static CONFIG_TEXT], unsigned int count, const enum config_trust *trust)
{
	char *to = text;

	*to++ = '[';
	for (unsigned int i = 0; i < count; i++)
		to += sprintf(to, "%s%s", i != 0 ? ", " : "",
			      trust[i] == CONFIG_TRUST_DSCP ? "dscp" : "pcp");
	strcpy(to, "]");
	return text;
}

static void
walk_buffer(struct walk *w)
{
	const struct switch_config *c = w->base;
	char text[CONFIG_TEXT];

	add(w, &c->latency_ps, config_duration_text(c->latency_ps, text), "latency");
	add(w, &c->buffer_bytes, config_bytes_text(c->buffer_bytes, text), "buffer.size");
	add(w, &c->cell_bytes, number(text, c->cell_bytes), "buffer.cell");
	for (unsigned int i = 0; i < CONFIG_POOLS; i++) {
		const char *pool = config_pool_name((enum config_pool)i);

		add(w, &c->pools[i], amount(text, &c->pools[i]), "buffer.pools.%s.size", pool);
		add(w, &c->port_alpha[i], amount(text, &c->port_alpha[i]),
		    "buffer.pools.%s.port-alpha", pool);
	}
	add(w, &c->headroom_pool_bytes, config_bytes_text(c->headroom_pool_bytes, text),
	    "buffer.headroom-pool.size");
}

// What a map does not list comes from the same place as the map, whose mark is its first member's.
static void
walk_map(struct walk *w, const uint8_t *map, unsigned int count, const char *prefix,
	 const char *name)
{
	size_t first = (size_t)((const char *)map - (const char *)w->base);
	char text[CONFIG_TEXT];

	for (unsigned int i = 0; i < count; i++) {
		bool listed = w->marks != NULL &&
			      w->marks[first + i].origin != CONFIG_ORIGIN_DEFAULT;

		add(w, listed ? &map[i] : map, number(text, map[i]), "%s.%s.%u", prefix, name, i);
	}
}

static void
walk_maps(struct walk *w)
{
	const struct switch_config *c = w->base;
	char text[CONFIG_TEXT];

	add(w, c->trust, trusted(text, c->trust_count, c->trust), "qos.trust");
	add(w, &c->port_priority, number(text, c->port_priority), "qos.port-priority");
	walk_map(w, c->dscp_to_priority, CONFIG_DSCPS, "qos", "dscp-to-priority");
	walk_map(w, c->pcp_to_priority, CONFIG_PRIORITIES, "qos", "pcp-to-priority");
	walk_map(w, c->priority_to_group, CONFIG_PRIORITIES, "qos", "priority-to-pg");
	walk_map(w, c->priority_to_class, CONFIG_PRIORITIES, "qos", "priority-to-tc");
}

static void
walk_limit(struct walk *w, const struct config_limit *limit, const char *prefix, unsigned int index)
{
	char text[CONFIG_TEXT];

	switch (limit->kind) {
	case CONFIG_LIMIT_STATIC:
		add(w, limit, config_bytes_text(limit->static_bytes, text), "%s.%u.static", prefix,
		    index);
		break;
	case CONFIG_LIMIT_ALPHA:
		add(w, limit, power(text, limit->shift), "%s.%u.alpha", prefix, index);
		break;
	default:
		add(w, limit, limit->kind == CONFIG_LIMIT_UNLIMITED ? "unlimited" : "0",
		    "%s.%u.alpha", prefix, index);
	}
}

static void
walk_group(struct walk *w, unsigned int i)
{
	const struct config_group *g = &w->base->groups[i];
	char text[CONFIG_TEXT];

	add(w, &g->lossless, g->lossless ? "true" : "false", "qos.pg.%u.lossless", i);
	add(w, &g->pool, config_pool_name(g->pool), "qos.pg.%u.pool", i);
	add(w, &g->reserved_bytes, config_bytes_text(g->reserved_bytes, text), "qos.pg.%u.reserved",
	    i);
	walk_limit(w, &g->limit, "qos.pg", i);
	add(w, &g->headroom, amount(text, &g->headroom), "qos.pg.%u.headroom", i);
	add(w, &g->xon_bytes, config_bytes_text(g->xon_bytes, text), "qos.pg.%u.xon", i);
	add(w, &g->xon_offset, amount(text, &g->xon_offset), "qos.pg.%u.xon-offset", i);
}

static void
walk_class(struct walk *w, unsigned int i)
{
	const struct config_class *c = &w->base->classes[i];
	char text[CONFIG_TEXT];

	add(w, &c->scheduler, c->scheduler == CONFIG_SCHEDULER_STRICT ? "strict" : "dwrr",
	    "qos.tc.%u.scheduler", i);
	add(w, &c->weight, number(text, c->weight), "qos.tc.%u.weight", i);
	add(w, &c->pool, config_pool_name(c->pool), "qos.tc.%u.pool", i);
	add(w, &c->reserved_bytes, config_bytes_text(c->reserved_bytes, text), "qos.tc.%u.reserved",
	    i);
	walk_limit(w, &c->limit, "qos.tc", i);
	add(w, &c->ecn.on, on_off(c->ecn.on), "qos.tc.%u.ecn", i);
	if (c->ecn.on) {
		add(w, &c->ecn.min_bytes, config_bytes_text(c->ecn.min_bytes, text),
		    "qos.tc.%u.ecn.min", i);
		add(w, &c->ecn.max_bytes, config_bytes_text(c->ecn.max_bytes, text),
		    "qos.tc.%u.ecn.max", i);
		add(w, &c->ecn.probability_ppm, config_percent_text(c->ecn.probability_ppm, text),
		    "qos.tc.%u.ecn.probability", i);
	}
	add(w, &c->red, on_off(c->red), "qos.tc.%u.red", i);
	add(w, &c->min_rate_bps, rate(text, c->min_rate_bps), "qos.tc.%u.min-rate", i);
	add(w, &c->max_rate_bps, rate(text, c->max_rate_bps), "qos.tc.%u.max-rate", i);
	add(w, &c->tenant_fairness, c->tenant_fairness ? "tenant" : "none", "qos.tc.%u.fairness",
	    i);
}

// `at`: the members that the two maps stand for.
static void
walk_remark(struct walk *w, const struct config_remark *r, const void *dscp_at, const void *pcp_at,
	    const char *prefix)
{
	char text[CONFIG_TEXT];

	for (unsigned int i = 0; i < CONFIG_PRIORITIES; i++)
		if (r->dscp[i] >= 0)
			add(w, dscp_at, number(text, (uint64_t)r->dscp[i]), "%s.remark.dscp.%u",
			    prefix, i);
	for (unsigned int i = 0; i < CONFIG_PRIORITIES; i++)
		if (r->pcp[i] >= 0)
			add(w, pcp_at, number(text, (uint64_t)r->pcp[i]), "%s.remark.pcp.%u",
			    prefix, i);
}

// A port's own settings all come of qos.ports.
static void
walk_port(struct walk *w, const struct config_port_qos *p)
{
	const void *at = &w->base->ports;
	char text[CONFIG_TEXT], prefix[SETTINGS_KEY_MAX / 2];

	snprintf(prefix, sizeof(prefix), "qos.ports.%.20s", p->name.text);
	if (p->set & CONFIG_PORT_QOS_TRUST)
		add(w, at, trusted(text, p->trust_count, p->trust), "%s.trust", prefix);
	if (p->set & CONFIG_PORT_QOS_PRIORITY)
		add(w, at, number(text, p->port_priority), "%s.port-priority", prefix);
	for (unsigned int i = 0; p->set & CONFIG_PORT_QOS_DSCP && i < CONFIG_DSCPS; i++)
		add(w, at, number(text, p->dscp_to_priority[i]), "%s.dscp-to-priority.%u", prefix,
		    i);
	for (unsigned int i = 0; p->set & CONFIG_PORT_QOS_PCP && i < CONFIG_PRIORITIES; i++)
		add(w, at, number(text, p->pcp_to_priority[i]), "%s.pcp-to-priority.%u", prefix, i);
	if (p->set & CONFIG_PORT_QOS_REMARK)
		walk_remark(w, &p->remark, at, at, prefix);
	if (p->set & CONFIG_PORT_QOS_MAX_RATE)
		add(w, at, rate(text, p->max_rate_bps), "%s.max-rate", prefix);
}

static void
walk_flow_control(struct walk *w)
{
	static const char *const words[] = {
		[CONFIG_FLOW_CONTROL_PFC] = "pfc",
		[CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC] = "pfc-asymmetric",
		[CONFIG_FLOW_CONTROL_PAUSE] = "pause",
		[CONFIG_FLOW_CONTROL_CREDIT] = "credit",
		[CONFIG_FLOW_CONTROL_NONE] = "none",
	};
	const struct switch_config *c = w->base;
	char text[CONFIG_TEXT];

	add(w, &c->flow_control, words[c->flow_control], "qos.flow-control");
	add(w, &c->pfc_priorities, bits(text, c->pfc_priorities), "qos.pfc.priorities");
	add(w, &c->pfc_quanta, number(text, c->pfc_quanta), "qos.pfc.quanta");
	add(w, &c->pfc_refresh_ps,
	    c->pfc_refresh_auto ? "auto" : config_duration_text(c->pfc_refresh_ps, text),
	    "qos.pfc.refresh");
}

static void
walk_watchdog(struct walk *w)
{
	static const char *const actions[] = {
		[CONFIG_WATCHDOG_DROP] = "drop",
		[CONFIG_WATCHDOG_FORWARD] = "forward",
		[CONFIG_WATCHDOG_ALERT] = "alert",
	};
	const struct config_watchdog *d = &w->base->watchdog;
	char text[CONFIG_TEXT];

	add(w, &d->on, on_off(d->on), "qos.watchdog.enabled");
	add(w, &d->poll_ps, config_duration_text(d->poll_ps, text), "qos.watchdog.poll");
	add(w, &d->detect_ps, config_duration_text(d->detect_ps, text), "qos.watchdog.detect");
	add(w, &d->restore_ps, config_duration_text(d->restore_ps, text), "qos.watchdog.restore");
	add(w, &d->action, actions[d->action], "qos.watchdog.action");
	add(w, &d->flush, on_off(d->flush), "qos.watchdog.flush");
	add(w, &d->ingress, on_off(d->ingress), "qos.watchdog.ingress");
}

static void
walk_trim(struct walk *w)
{
	const struct config_trim *t = &w->base->trim;
	char text[CONFIG_TEXT];

	add(w, &t->on, on_off(t->on), "qos.trim");
	if (!t->on)
		return;
	add(w, &t->size_bytes, config_bytes_text(t->size_bytes, text), "qos.trim.size");
	add(w, &t->dscp, number(text, t->dscp), "qos.trim.dscp");
	add(w, &t->tc, number(text, t->tc), "qos.trim.tc");
	add(w, &t->eligible_tc, bits(text, t->eligible_tc), "qos.trim.eligible-tc");
}

// The numbers of the bits that are set, or "any" when all `count` are.
static const char *
numbers_or_any(char text[static SETTINGS_SET_MAX], uint64_t set, unsigned int count)
{
	char *to = text;

	if (set == UINT64_MAX >> (64 - count))
		return "any";
	*to++ = '[';
	for (; set != 0; set &= set - 1)
		to += sprintf(to, "%d%s", __builtin_ctzll(set), (set & (set - 1)) != 0 ? ", " : "");
	strcpy(to, "]");
	return text;
}

static void
walk_eligible(struct walk *w)
{
	const struct config_routing *r = &w->base->routing;
	char text[CONFIG_TEXT], set[SETTINGS_SET_MAX];

	add(w, &r->eligible_udp_dport,
	    r->eligible_udp_dport != 0 ? number(text, r->eligible_udp_dport) : "any",
	    "routing.eligible.udp-dport");
	add(w, &r->eligible_opcodes, r->eligible_opcodes == CONFIG_OPCODES_ALL ? "all" : "data",
	    "routing.eligible.opcodes");
	add(w, &r->eligible_dscps, numbers_or_any(set, r->eligible_dscps, CONFIG_DSCPS),
	    "routing.eligible.dscp");
	add(w, &r->eligible_priorities,
	    numbers_or_any(set, r->eligible_priorities, CONFIG_PRIORITIES),
	    "routing.eligible.priorities");
	add(w, &r->eligible_bth_reserved,
	    r->eligible_bth_reserved != 0 ? number(text, r->eligible_bth_reserved) : "any",
	    "routing.eligible.bth-reserved");
}

static void
walk_notices(struct walk *w)
{
	const struct config_notices *n = &w->base->routing.notices;
	char text[CONFIG_TEXT];

	add(w, &n->on, on_off(n->on), "routing.spine-notices");
	if (!n->on)
		return;
	add(w, &n->depth_bytes, config_bytes_text(n->depth_bytes, text),
	    "routing.spine-notices.depth");
	add(w, &n->hold_ps, config_duration_text(n->hold_ps, text), "routing.spine-notices.hold");
}

static void
walk_routing(struct walk *w)
{
	const struct config_routing *r = &w->base->routing;
	char text[CONFIG_TEXT], grades[CONFIG_GRADES_MAX * (CONFIG_TEXT + 2) + 3] = "[";
	char *to = grades + 1;

	add(w, &r->mode, config_routing_mode_name(r->mode), "routing.mode");
	add(w, &r->weights, r->weights == CONFIG_WEIGHTS_CAPACITY ? "capacity" : "equal",
	    "routing.weights");
	add(w, &r->hash_seed, r->hash_seed_auto ? "auto" : number(text, r->hash_seed),
	    "routing.hash-seed");
	add(w, &r->flowlet_gap_ps, config_duration_text(r->flowlet_gap_ps, text),
	    "routing.flowlet-gap");
	for (unsigned int i = 0; i < r->grade_count; i++)
		to += sprintf(to, "%s%s", i != 0 ? ", " : "",
			      config_bytes_text(r->grades_bytes[i], text));
	strcpy(to, "]");
	add(w, r->grades_bytes, grades, "routing.grades");
	add(w, &r->utilisation_ppm,
	    r->utilisation_ppm != 0 ? config_percent_text(r->utilisation_ppm, text) : "off",
	    "routing.link-utilisation");
	walk_eligible(w);
	walk_notices(w);
	add(w, &r->convergence_ps, config_duration_text(r->convergence_ps, text),
	    "routing.convergence");
}

json_t *
settings_walk(const struct switch_config *settings, const struct config_mark *marks)
{
	struct walk w = {.out = json_object(), .base = settings, .marks = marks};
	char text[CONFIG_TEXT];

	walk_buffer(&w);
	walk_maps(&w);
	for (unsigned int i = 0; i < CONFIG_PRIORITIES; i++)
		walk_group(&w, i);
	for (unsigned int i = 0; i < CONFIG_PRIORITIES; i++)
		walk_class(&w, i);
	add(&w, &settings->port_max_rate_bps, rate(text, settings->port_max_rate_bps),
	    "qos.port.max-rate");
	for (unsigned int i = 0; i < settings->port_count; i++)
		walk_port(&w, &settings->ports[i]);
	walk_flow_control(&w);
	walk_watchdog(&w);
	walk_remark(&w, &settings->remark, settings->remark.dscp, settings->remark.pcp, "qos");
	walk_trim(&w);
	walk_routing(&w);
	if (!w.failed)
		return w.out;
	json_decref(w.out);
	return NULL;
}
