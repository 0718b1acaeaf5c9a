// SPDX-License-Identifier: BSD-3-Clause
// Films of a live fabric, sent to subscribers as events (doc/film.md). Control thread.
#pragma once

#include "live_fabric.h"

struct api_server;
struct films;

#define FILMS_MAX 4       // of different intervals
#define FILMS_LEAST_MS 10 // an interval
#define FILMS_MOST_MS 1000

// The fabric outlives it.
struct films *films_create(struct live_fabric *live, struct api_server *server);
// NULL is fine.
void films_destroy(struct films *films);

// The kind of event by which a film of that interval is sent, beginning with the next poll; 0 if
// there are as many of other intervals as there can be.
uint32_t films_join(struct films *films, unsigned int interval_ms);

// Takes the intervals that are over, and ends films without a subscriber.
void films_poll(struct films *films);
// How long until films_poll() has to be called, in ms, at most `most`.
int films_wait_ms(const struct films *films, int most);
