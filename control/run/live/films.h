// SPDX-License-Identifier: BSD-3-Clause
// Films of a live fabric, sent to subscribers as events (doc/film.md). Control thread.
#pragma once

#include "live_fabric.h"

struct api_server;
struct films;

#define FILMS_MAX 4       // of different intervals
#define FILMS_LEAST_MS 10 // an interval
#define FILMS_MOST_MS 1000
#define FILMS_INTERVALS_MAX 32 // bytes of films_intervals()

// The fabric outlives it.
struct films *films_create(struct live_fabric *live, struct api_server *server);
// NULL is fine.
void films_destroy(struct films *films);

// The kind of event by which a film of that interval is sent, beginning with the next poll; 0 if
// there are as many of other intervals as there can be.
uint32_t films_join(struct films *films, unsigned int interval_ms);
// The intervals in use, in ms, ascending: "20, 100". Returns text.
const char *films_intervals(const struct films *films, char text[static FILMS_INTERVALS_MAX]);

// About how many bytes a second a film of that interval has at most, while all links are busy.
uint64_t films_bytes_per_s(const struct live_fabric *live, uint64_t interval_ms);

// Takes the intervals that are over, and ends films without a subscriber.
void films_poll(struct films *films);
// How long until films_poll() has to be called, in ms, at most `most`.
int films_wait_ms(const struct films *films, int most);
