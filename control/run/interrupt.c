// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void catch (int number)
{
	caught = number;
}

static void
catch_one(int number)
{
	// SA_RESETHAND: the second signal has its default action.
	struct sigaction action = {.sa_handler = catch, .sa_flags = SA_RESETHAND | SA_RESTART};
	struct sigaction before;

	if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

void
interrupt_catch(void)
{
	catch_one(SIGINT);
	catch_one(SIGTERM);
}

bool
interrupt_pending(void)
{
	return caught != 0;
}

int
interrupt_status(void)
{
	return caught == 0 ? 0 : 128 + caught;
}
