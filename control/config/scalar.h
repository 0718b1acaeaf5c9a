// SPDX-License-Identifier: BSD-3-Clause
// One word of a file as a number in the unit the structs use. Exact: integer arithmetic throughout,
// and what is not a whole number of the smallest unit is an error. Each returns 0, or -EINVAL with
// the reason in why ("10 has no unit: write B, KB, ..."), ready to follow "key: ".
#pragma once

#include "config.h"

#define SCALAR_WHY 160

// Puts a reason into why. Returns -EINVAL.
int scalar_refuse(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The kinds of number that have units.
enum scalar_kind { SCALAR_BYTES, SCALAR_RATE, SCALAR_DURATION, SCALAR_CABLE, SCALAR_PERCENT };
struct scalar_unit {
	const char *name; // NULL behind the last
	uint64_t scale;
};
const struct scalar_unit *scalar_units(enum scalar_kind kind);
// All of them in words: "ps, ns, us, ms or s".
const char *scalar_unit_list(enum scalar_kind kind);

int scalar_integer(const char *text, int64_t min, int64_t max, int64_t *out, char *why);
// A key that is a number below count, in the one way there is to write it: "3", not "03" or "0x3",
// so that equal keys are equal texts.
int scalar_index(const char *text, unsigned count, unsigned *out, char *why);
// A number with a unit of this kind; then the same of each.
int scalar_number(enum scalar_kind kind, const char *text, uint64_t *out, char *why);
int scalar_bytes(const char *text, uint64_t *out, char *why);
int scalar_rate(const char *text, uint64_t *out_bps, char *why);
int scalar_duration(const char *text, uint64_t *out_ps, char *why);
int scalar_cable(const char *text, uint64_t *out_mm, char *why);
int scalar_percent(const char *text, uint32_t *out_ppm, char *why); // 0 % to 100 %
int scalar_bool(const char *text, bool *out, char *why);
// 0, 1/128 .. 64, unlimited.
int scalar_alpha(const char *text, struct config_limit *out, char *why);
// 1/256, 1 at most.
int scalar_fraction(const char *text, double *out, char *why);
// The ways to write a struct config_amount; a row without a name ends them.
struct scalar_amount_form {
	enum config_amount_kind kind;
	const char *name;         // "size"; of a word the word itself
	const char *with_article; // for messages: "a size (B, ...)"
	bool is_word;
};
extern const struct scalar_amount_form scalar_amount_forms[];
// A size, percentage, alpha or word, whichever of 1 << enum config_amount_kind are in kinds.
int scalar_amount(const char *text, unsigned kinds, struct config_amount *out, char *why);
int scalar_prefix(const char *text, struct config_prefix *out, char *why);
// The address of a host: one that a packet can come from and go to across routers. The first 4
// bytes for IPv4.
int scalar_host_address(const char *text, uint8_t *version, uint8_t out[static 16], char *why);
// The address of this machine or another, at which a socket can be; also of its loopback interface.
int scalar_machine_address(const char *text, uint8_t *version, uint8_t out[static 16], char *why);
int scalar_mac(const char *text, struct config_mac *out, char *why); // unicast only
// "swp5" after the prefix "swp": 1 .. 256. Returns 0 or -EINVAL.
int scalar_port_number(const char *text, const char *prefix, unsigned *out);
// A fabric's, node's, tenant's or VRF's name.
int scalar_name(const char *text, char *why);

// A value as a file would have it.
const char *config_number_text(enum scalar_kind kind, uint64_t value, char out[static CONFIG_TEXT]);

// A cable's propagation delay at 198,000,000 m/s, to the nearest picosecond, and back.
uint64_t scalar_cable_delay_ps(uint64_t cable_mm);
uint64_t scalar_delay_cable_mm(uint64_t delay_ps);
