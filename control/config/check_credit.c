// SPDX-License-Identifier: BSD-3-Clause
// What credits on links need of a switch's other settings. (That both ends of a link have them, and
// that receive buffers hold a frame, is seen when tables are built.)
#include "merge.h"

static void
check_cell(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;
	const uint32_t block = config_block_bytes(settings->flow_control);
	struct config_mark on = check_mark(check, "qos.flow-control"),
			   cell = check_mark(check, "buffer.cell");

	if (settings->cell_bytes != block)
		diag_error(check->diag, check->file, check_later(on.pos, cell.pos), "buffer.cell",
			   "flow-control %s counts blocks of %u bytes, and a cell has %u: set "
			   "buffer.cell to %u",
			   settings->flow_control == CONFIG_FLOW_CONTROL_CREDIT ? "credit" : "cbfc",
			   block, settings->cell_bytes, block);
}

// Each tenant's packet would need credit of its own, of which the port knows nothing.
static void
check_fairness(const struct switch_check *check)
{
	char key[32];

	for (int tc = 0; tc < CONFIG_PRIORITIES; tc++) {
		if (!check->settings->classes[tc].tenant_fairness)
			continue;
		snprintf(key, sizeof(key), "qos.tc.%d.fairness", tc);
		diag_error(check->diag, check->file,
			   check_later(check_mark(check, "qos.flow-control").pos,
				       check_mark(check, "%s", key).pos),
			   key, "fairness between tenants is not supported on links with credits");
	}
}

static bool
is_served(const struct config_lane_table *table, int lane)
{
	for (unsigned i = 0; i < table->count; i++)
		if (table->lanes[i] == lane && table->weights[i] != 0)
			return true;
	return false;
}

// Of a change that names no place in a file, the key says which switch it is.
static const char *
arbitration_key(const struct switch_check *check, struct diag_pos pos,
		char out[static 2 * CONFIG_NAME_MAX])
{
	snprintf(out, 2 * CONFIG_NAME_MAX, "%s%sqos.credit.arbitration", check->name,
		 pos.line == 0 && check->name[0] != '\0' ? "." : "");
	return pos.line == 0 ? out : "qos.credit.arbitration";
}

static void
check_arbitration(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;
	const struct config_credit *credit = &settings->credit;
	struct diag_pos pos = check_later(check_mark(check, "qos.credit.arbitration.high").pos,
					  check_mark(check, "qos.credit.arbitration.low").pos);
	char key[2 * CONFIG_NAME_MAX];

	if (credit->high.count == 0 && credit->low.count == 0)
		return;
	for (int p = 0; p < CONFIG_PRIORITIES; p++) {
		const int lane = settings->priority_to_class[p];

		if (is_served(&credit->high, lane) || is_served(&credit->low, lane))
			continue;
		diag_error(check->diag, check->file, pos, arbitration_key(check, pos, key),
			   "lane %d, of priority %d, is in neither table with a weight above 0: "
			   "its packets would never leave",
			   lane, p);
		return;
	}
}

void
check_credit(const struct switch_check *check)
{
	if (!config_has_credits(check->settings->flow_control))
		return;
	check_cell(check);
	check_fairness(check);
	check_arbitration(check);
}
