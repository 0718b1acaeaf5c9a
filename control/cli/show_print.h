// SPDX-License-Identifier: BSD-3-Clause
// One function per word of `roost show`, for show_text.c. Each returns 0 or -ENOMEM.
#pragma once

#include <jansson.h>
#include <stdio.h>

int show_print_interface(const json_t *answer, FILE *to);
int show_print_qos(const json_t *answer, FILE *to);
int show_print_pfc(const json_t *answer, FILE *to);
int show_print_queue(const json_t *answer, FILE *to);
int show_print_pool(const json_t *answer, FILE *to);
int show_print_drops(const json_t *answer, FILE *to);
int show_print_route(const json_t *answer, FILE *to);
int show_print_fabric(const json_t *answer, FILE *to);
