// SPDX-License-Identifier: BSD-3-Clause
// Values and foreign text, made fit for people, terminals and JSON. Any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_VALUE_MAX 32

// Each writes its value to text with three significant digits and its unit, and returns text.
// Bytes in decimal units: "960 B", "1.43 MB".
const char *text_bytes(char text[static TEXT_VALUE_MAX], uint64_t bytes);
// Bits per second as files write them: "100G", "12.5G".
const char *text_rate(char text[static TEXT_VALUE_MAX], uint64_t bits_per_s);
// A duration in picoseconds: "960 ps", "1.34 ms", "71.2 s".
const char *text_duration(char text[static TEXT_VALUE_MAX], uint64_t ps);

// Reads a MAC address: "02:00:00:00:00:01". Returns whether the text is one.
bool text_mac(const char *text, uint8_t out[static 6]);

// Replaces control characters, which could steer a terminal, with question marks.
void text_hide_controls(char *text);

// ---- UTF-8 (RFC 3629) ---------------------------------------------------------------------------

// Replaces bytes that are not UTF-8 with question marks, so that JSON takes the text.
void utf8_repair(char *text);
// Cuts off an incomplete character at the end of a text of `length` bytes. Returns the new length.
size_t utf8_end(char *text, size_t length);
