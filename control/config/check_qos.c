// SPDX-License-Identifier: BSD-3-Clause
// What `qos:` promises and limits, against itself: rates, RED, the watchdog's times, trimming and
// histograms. What it takes a port to know is checked where the ports are (control/tables).
#include "merge.h"

// ---- classes ------------------------------------------------------------------------------------

static void
check_class(const struct switch_check *check, int tc)
{
	const struct config_class *class = &check->settings->classes[tc];
	char key[40], a[CONFIG_TEXT], b[CONFIG_TEXT];

	if (class->red && !class->ecn.on) {
		snprintf(key, sizeof(key), "qos.tc.%d.red", tc);
		diag_error(check->diag, check->file,
			   check_later(check_mark(check, "%s", key).pos,
				       check_mark(check, "qos.tc.%d.ecn", tc).pos),
			   key, "needs ecn, whose thresholds it takes: ecn is off for class %d",
			   tc);
	}
	if (class->max_rate_bps != 0 && class->min_rate_bps > class->max_rate_bps) {
		snprintf(key, sizeof(key), "qos.tc.%d.min-rate", tc);
		diag_error(check->diag, check->file,
			   check_later(check_mark(check, "%s", key).pos,
				       check_mark(check, "qos.tc.%d.max-rate", tc).pos),
			   key, "%s is above max-rate (%s)",
			   config_rate_text(class->min_rate_bps, a),
			   config_rate_text(class->max_rate_bps, b));
	}
}

// ---- watchdog -----------------------------------------------------------------------------------

static void
check_watchdog_order(const struct switch_check *check)
{
	const struct config_watchdog *watchdog = &check->settings->watchdog;
	struct diag_pos poll = check_mark(check, "qos.watchdog.poll").pos;
	const struct {
		const char *name;
		const uint64_t *time;
	} others[] = {{"detect", &watchdog->detect_ps}, {"restore", &watchdog->restore_ps}};
	char a[CONFIG_TEXT], b[CONFIG_TEXT];

	for (int i = 0; i < 2; i++)
		if (watchdog->poll_ps > *others[i].time)
			diag_error(
				check->diag, check->file,
				check_later(
					poll,
					check_mark(check, "qos.watchdog.%s", others[i].name).pos),
				"qos.watchdog.poll", "%s is above %s (%s)",
				config_duration_text(watchdog->poll_ps, a), others[i].name,
				config_duration_text(*others[i].time, b));
	if (watchdog->detect_ps > (uint64_t)SCHEMA_WATCHDOG_MAX_PS)
		diag_error(check->diag, check->file,
			   check_later(poll, check_mark(check, "qos.watchdog.robustness").pos),
			   "qos.watchdog.robustness",
			   "%u polls of %s are %s: a storm is to be detected within %s",
			   watchdog->robustness, config_duration_text(watchdog->poll_ps, a),
			   config_duration_text(watchdog->detect_ps, b), "60s");
}

// The times of one port against the poll of all ports. Inherited ones are checked with
// qos.watchdog.
static void
check_port_watchdog_order(const struct switch_check *check, const struct config_port_qos *port)
{
	const struct config_watchdog *all = &check->settings->watchdog, *own = &port->watchdog;
	struct diag_pos poll = check_mark(check, "qos.watchdog.poll").pos;
	const struct {
		const char *name;
		uint64_t time, general;
	} times[] = {{"detect", own->detect_ps, all->detect_ps},
		     {"restore", own->restore_ps, all->restore_ps}};
	char key[48], a[CONFIG_TEXT], b[CONFIG_TEXT];

	for (int i = 0; i < 2; i++) {
		snprintf(key, sizeof(key), "qos.ports.swp%u.watchdog.%s", port->number,
			 times[i].name);
		if (times[i].time != times[i].general && all->poll_ps > times[i].time)
			diag_error(check->diag, check->file,
				   check_later(poll, check_mark(check, "%s", key).pos), key,
				   "%s is below qos.watchdog.poll (%s)",
				   config_duration_text(times[i].time, a),
				   config_duration_text(all->poll_ps, b));
	}
	snprintf(key, sizeof(key), "qos.ports.swp%u.watchdog.robustness", port->number);
	if (own->detect_ps != all->detect_ps && own->detect_ps > (uint64_t)SCHEMA_WATCHDOG_MAX_PS)
		diag_error(check->diag, check->file,
			   check_later(poll, check_mark(check, "%s", key).pos), key,
			   "%u polls of %s are %s: a storm is to be detected within %s",
			   own->robustness, config_duration_text(all->poll_ps, a),
			   config_duration_text(own->detect_ps, b), "60s");
}

// What SONiC's `pfcwd` takes (sonic-utilities, pfcwd/main.py). prefix: of the keys.
static void
check_watchdog_sonic(const struct switch_check *check, const struct config_watchdog *watchdog,
		     const char *prefix)
{
	const struct {
		const char *name;
		uint64_t value, max;
	} times[] = {
		{"poll", watchdog->poll_ps, SCHEMA_SECOND_PS},
		{"detect", watchdog->detect_ps, 5 * SCHEMA_SECOND_PS},
		{"restore", watchdog->restore_ps, 60 * SCHEMA_SECOND_PS},
	};
	const uint64_t min = SCHEMA_SECOND_PS / 10;
	char key[48], a[CONFIG_TEXT], b[CONFIG_TEXT], c[CONFIG_TEXT];

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct config_mark mark;

		snprintf(key, sizeof(key), "%s.%s", prefix, times[i].name);
		mark = check_mark(check, "%s", key);
		if (mark.origin == CONFIG_ORIGIN_FILE &&
		    (times[i].value < min || times[i].value > times[i].max))
			diag_warning(check->diag, check->file, mark.pos, key,
				     "%s is outside what a SONiC switch takes (%s to %s)",
				     config_duration_text(times[i].value, a),
				     config_duration_text(min, b),
				     config_duration_text(times[i].max, c));
	}
}

// A watchdog that is on where no pause is obeyed. `reason`: why, or NULL.
static void
warn_idle_watchdog(const struct switch_check *check, const char *key, const char *reason)
{
	if (reason != NULL)
		diag_warning(check->diag, check->file, check_mark(check, "%s", key).pos, key,
			     "has nothing to watch: %s, so no pause is obeyed", reason);
}

static void
check_port_watchdog(const struct switch_check *check, const struct config_port_qos *port)
{
	const struct switch_config *settings = check->settings;
	const char *reason = NULL;
	char key[48];

	check_port_watchdog_order(check, port);
	snprintf(key, sizeof(key), "qos.ports.swp%u.watchdog", port->number);
	if (settings->preset == CONFIG_PRESET_SONIC)
		check_watchdog_sonic(check, &port->watchdog, key);
	if (!(port->set & CONFIG_PORT_QOS_WATCHDOG) || !port->watchdog.on)
		return;
	if (config_has_credits(settings->flow_control))
		reason = "flow-control is by credits";
	else if (settings->flow_control == CONFIG_FLOW_CONTROL_NONE)
		reason = "flow-control is none";
	else if (settings->flow_control == CONFIG_FLOW_CONTROL_PFC &&
		 port->set & CONFIG_PORT_QOS_PFC && port->pfc_priorities == 0)
		reason = "the port's pfc.priorities is empty";
	warn_idle_watchdog(check, key, reason);
}

static void
check_watchdog(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;
	const char *reason = config_has_credits(settings->flow_control)
				     ? "flow-control is by credits"
			     : settings->flow_control == CONFIG_FLOW_CONTROL_NONE
				     ? "flow-control is none"
				     : NULL;

	check_watchdog_order(check);
	if (settings->preset == CONFIG_PRESET_SONIC)
		check_watchdog_sonic(check, &settings->watchdog, "qos.watchdog");
	if (settings->watchdog.on)
		warn_idle_watchdog(check, "qos.watchdog", reason);
	for (unsigned i = 0; i < settings->port_count; i++)
		check_port_watchdog(check, &settings->ports[i]);
}

// ---- trimming -----------------------------------------------------------------------------------

// Whether a class has priorities that are lossless, and lossy ones, at any port.
static void
class_priorities(const struct switch_config *settings, int tc, bool *lossless, bool *lossy)
{
	*lossless = *lossy = false;
	for (int p = 0; p < CONFIG_PRIORITIES; p++) {
		int pg = settings->priority_to_group[p];

		if (settings->priority_to_class[p] != tc)
			continue;
		*lossless |= settings->groups[pg].lossless;
		*lossy |= !settings->groups[pg].lossless;
		for (unsigned i = 0; i < settings->port_count; i++) {
			*lossless |= settings->ports[i].groups[pg].lossless;
			*lossy |= !settings->ports[i].groups[pg].lossless;
		}
	}
}

static void
check_trim(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;
	const struct config_trim *trim = &settings->trim;
	struct diag_pos pos, on = check_mark(check, "qos.trim").pos;
	bool lossless, lossy;

	if (!trim->on)
		return;
	pos = check_later(on, check_mark(check, "qos.trim.tc").pos);
	class_priorities(settings, trim->tc, &lossless, &lossy);
	if (lossless || settings->classes[trim->tc].pool == CONFIG_POOL_EGRESS_LOSSLESS)
		diag_error(check->diag, check->file, pos, "qos.trim.tc",
			   "class %u is lossless: trimmed packets need a lossy class", trim->tc);
	pos = check_later(pos, check_mark(check, "qos.trim.eligible-tc").pos);
	if (trim->eligible_tc & 1u << trim->tc)
		diag_error(check->diag, check->file, pos, "qos.trim.eligible-tc",
			   "class %u, which takes trimmed packets, cannot be eligible itself",
			   trim->tc);
	for (int tc = 0; tc < CONFIG_PRIORITIES; tc++) {
		class_priorities(settings, tc, &lossless, &lossy);
		if (trim->eligible_tc & 1u << tc && !lossy)
			diag_warning(check->diag, check->file, pos, "qos.trim.eligible-tc",
				     "nothing of class %d is trimmed: no lossy priority is in it",
				     tc);
	}
}

// ---- histograms ---------------------------------------------------------------------------------

// Bounds are whole cells, so a bin is one at the least.
static void
check_histogram(const struct switch_check *check, const struct config_histogram *histogram)
{
	uint64_t width = histogram->size / (histogram->bins - 2);
	bool latency = histogram->kind == CONFIG_HISTOGRAM_LATENCY;
	char size[CONFIG_TEXT];

	if (latency && width == 0)
		diag_error(check->diag, check->file, histogram->pos, "qos.histograms",
			   "a size of %s does not part into %u bins",
			   config_duration_text(histogram->size, size), histogram->bins - 2);
	else if (!latency && width < check->settings->cell_bytes)
		diag_error(check->diag, check->file, histogram->pos, "qos.histograms",
			   "bins of %llu bytes are less than a cell (%u bytes)",
			   (unsigned long long)width, check->settings->cell_bytes);
}

void
check_qos(const struct switch_check *check)
{
	for (int tc = 0; tc < CONFIG_PRIORITIES; tc++)
		check_class(check, tc);
	check_watchdog(check);
	check_trim(check);
	for (unsigned i = 0; i < check->settings->histogram_count; i++)
		check_histogram(check, &check->settings->histograms[i]);
}
