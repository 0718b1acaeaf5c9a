// SPDX-License-Identifier: BSD-3-Clause
// The maps of a switch's settings that more than one file of the schema needs.
#pragma once

#include "decode.h"
#include "encode.h"

typedef void decode_custom(struct decoder *d, const struct schema_key *key,
			   const struct yaml_node *node, void *base);

extern const struct schema schema_ecn;       // base struct config_ecn
extern const struct schema schema_watchdog;  // base struct config_watchdog
extern const struct schema schema_trim;      // base struct config_trim
extern const struct schema schema_remark;    // base struct config_remark
extern const struct schema schema_pin;       // base struct config_pin
extern const struct schema schema_notices;   // base struct config_notices
extern const struct schema schema_histogram; // base struct config_histogram
extern const struct schema schema_port;      // base struct config_port_qos; under `qos.ports`

// Forms that `qos:` and a port of it share.
extern const struct schema_form schema_form_trust, schema_form_dscp_map, schema_form_pcp_map,
	schema_form_remark;
