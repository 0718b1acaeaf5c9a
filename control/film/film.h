// SPDX-License-Identifier: BSD-3-Clause
// A film: what every link, queue, group, pool and tenant of a fabric did in each interval, as the
// blocks that doc/film.md defines. A film reads the nodes' counters between two windows of virtual
// time, or a copy of them when live, and hands over blocks; a film file (file.c) keeps them.
//
// Control thread. Of several ranks, all make the same calls; each records its own nodes, and the
// first one gets the blocks, which are those of a single process, byte by byte.
#pragma once

#include "control/fabric/fabric.h"
#include "control/fabric/flows.h"

#include <jansson.h>

#define FILM_VERSION 1
#define FILM_HEAD_BYTES 16

struct film;

// A block, with its head in front of its data.
struct film_block {
	char type[5];   // "META", "CHNK" ...
	uint32_t first; // of a chunk: the number of its first interval
	uint32_t count; // of its intervals
	const uint8_t *bytes;
	size_t size;
};

struct film_options {
	const char *kind; // "sim" or "live"
	const struct fabric *fabric;
	const struct report_node *nodes; // by node of the topology; .node NULL: elsewhere or none
	// Of copies of nodes, whose peaks were restarted when they were made: when, by node. NULL:
	// these are the nodes, which stand still.
	const ps_t *times;
	const struct workload *workload;  // for film_list_flows(); NULL: none
	const struct fabric_flows *flows; // the same
	json_t *flow_list;                // of the header; NULL: of all flows, without times
	ps_t interval;                    // whole nanoseconds
	ps_t start;
	uint32_t tenants;   // for so many there is room
	uint32_t intervals; // of a chunk; 0: chosen
	// Takes a block; valid only during the call. Returns false to end the film there.
	bool (*take)(void *context, const struct film_block *block);
	void *context;
};

// Begins a film with FILM and META. What the nodes have counted until now is not in it.
struct film *film_create(const struct film_options *options);
// NULL is fine. An interval that has not ended, and a chunk that has not been handed over, are
// lost.
void film_destroy(struct film *film);

// The end of the next interval; PS_NEVER for NULL, or if the film has ended.
ps_t film_next(const struct film *film);
// Ends an interval: all nodes have processed everything before `now`.
void film_take(struct film *film, ps_t now);
// Of copies: takes notice of the peaks in them, where no interval ends.
void film_note_peaks(struct film *film);
// Restarts the peaks of a switch's port. What others know of them stays.
void film_restart_peaks(const struct node *n, unsigned int port);
// Hands over FILM, and META with these keys: for somebody who has not got them.
void film_begin_again(struct film *film, const json_t *header);
// Hands over the intervals of the last chunk. With an interval that began before `now`, that is
// taken first.
void film_flush(struct film *film, ps_t now);
// Hands over a META with these keys; the reference stays the caller's. NULL: nothing.
void film_add(struct film *film, const json_t *keys);
// Whether `take` has ended it.
bool film_ended(const struct film *film);
// The end of the last interval that was handed over.
ps_t film_end(const struct film *film);

// Adds "overview" and "peaks" to the object of an INDX. Of several ranks, all call it.
void film_add_overview(struct film *film, json_t *to);

// A list of the flows for META, `most` at most: those that fabric_flows_report() reports, in that
// order. reports: of these, or NULL as long as times are unknown.
json_t *film_list_flows(const struct film_options *options, const struct report_flow *reports,
			uint32_t most);

// About how many bytes a film of this fabric needs for an interval in which all links are busy.
uint64_t film_interval_bytes(const struct topology *t);

// A block in memory for free(): deflated data, or none if data is NULL.
void film_make_block(struct film_block *block, const void *data, size_t size);

// The bytes of data that follow a head of FILM_HEAD_BYTES.
uint32_t film_data_bytes(const uint8_t *head);
// Reads the head of a block that fills `size` bytes. Returns false if they are not one block.
bool film_read_head(struct film_block *block, const uint8_t *bytes, size_t size);
// Gives a block's bytes another number of their first interval.
void film_set_first(struct film_block *block, uint8_t *bytes, uint32_t first);

// ---- header.c -----------------------------------------------------------------------------------

// The number of the first port of each node, and at the end of all ports; for free(). (film.c)
uint32_t *film_first_ports(const struct topology *t);
// How many indexes a port or node has in a scope. (film.c)
unsigned int film_width(const struct film_options *options, unsigned int scope);
// Whether a device is behind a port and not a node, so that only the port itself counts what
// arrives. (film.c)
bool film_faces_device(const struct fabric *f, const struct topo_port *port);
// The keys of the first META. Of several ranks, all call it; the others get NULL.
json_t *film_header(const struct film_options *options);

// ---- file.c: the file ---------------------------------------------------------------------------

struct film_file;

// Blocks go to a stream that stays the caller's. limit: in bytes; a block that would make the file
// larger ends the film.
struct film_file *film_file_create(FILE *to, uint64_t limit);
// film_options.take with the file as its context.
bool film_file_take(void *file, const struct film_block *block);
// Whether it became too large.
bool film_file_full(const struct film_file *file);
// Ends the file with INDX, which has these keys, and TAIL, and frees it; keys: NULL is fine.
// Returns 0, or -errno of the first error of writing.
int film_file_close(struct film_file *file, json_t *keys);

// ---- summary.c: what INDX has, from blocks ------------------------------------------------------

struct film_summary;

struct film_summary *film_summary_create(void);
void film_summary_destroy(struct film_summary *s);
// Reads a META or CHNK, the first interval of a film being 0; others are skipped. Intervals that
// are missing count as zeros.
void film_summary_take(struct film_summary *s, const struct film_block *block);
// The keys "overview" and "peaks" for film_file_close(); none of them if a block could not be read.
json_t *film_summary_keys(const struct film_summary *s);
