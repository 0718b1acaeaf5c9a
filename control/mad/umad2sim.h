// SPDX-License-Identifier: BSD-3-Clause
// Programs that use libumad2sim, such as OpenSM and infiniband-diags without hardware. They speak
// to a simulated subnet by datagrams (linux-rdma/ibsim, include/ibsim.h): control messages, by
// which a program says at which node it is, and packets, each with a MAD. All numbers of control
// messages are in the byte order of the machine.
//
// This is their meaning alone; the sockets are the caller's. A message is never trusted: it may
// have any bytes. One thread.
#pragma once

#include "agents.h"

#define UMAD_CONTROL_BYTES 80
#define UMAD_PACKET_BYTES 288
#define UMAD_AT_MAD 32 // in a packet
#define UMAD_PROGRAMS_MAX 64

struct umad_program {
	bool connected;
	bool manager;        // a subnet manager
	uint16_t generation; // another for each program that gets this number; never 0
	struct agent_place place;
};

struct umad {
	struct agents *agents;
	uint32_t first; // where programs are that do not say
	struct umad_program programs[UMAD_PROGRAMS_MAX];
	void *context;
	// Opens the way to the program that calls itself `id`. Returns 0; -EADDRINUSE: another
	// number may do; or another -errno.
	int (*open)(void *context, unsigned program, uint32_t id);
	void (*close)(void *context, unsigned program);
	void (*send)(void *context, unsigned program, const uint8_t packet[UMAD_PACKET_BYTES]);
};

// Turns a control message into its answer. Returns false if it is none and gets no answer.
bool umad_control(struct umad *umad, uint8_t message[static UMAD_CONTROL_BYTES]);

// A packet of a program: it is answered, passed on to another program, or returned as one that
// nobody answered.
void umad_packet(struct umad *umad, unsigned program, uint8_t packet[static UMAD_PACKET_BYTES]);

// A program has ended without saying so.
void umad_forget(struct umad *umad, unsigned program);

// Sends the traps of switches whose links have changed and of which no manager has heard. Called
// again and again, since a trap may be lost.
void umad_send_traps(struct umad *umad);
