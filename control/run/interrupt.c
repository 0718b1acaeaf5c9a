// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static struct {
	unsigned int after_ms;
	void (*end)(void *context); // NULL: no limit
	void *context;
} limit;

static void catch (int number)
{
	const struct itimerval once = {
		.it_value = {limit.after_ms / 1000, limit.after_ms % 1000 * 1000}};

	caught = number;
	if (number == SIGTERM && limit.end != NULL)
		setitimer(ITIMER_REAL, &once, NULL);
}

static void
end_at_limit(int number)
{
	(void)number;
	limit.end(limit.context);
	_exit(interrupt_status());
}

void
interrupt_limit(unsigned int after_ms, void (*end)(void *context), void *context)
{
	const struct itimerval none = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = end != NULL ? end_at_limit : SIG_IGN,
				   .sa_flags = SA_RESTART};

	if (end == NULL)
		setitimer(ITIMER_REAL, &none, NULL);
	limit.after_ms = after_ms;
	limit.end = end;
	limit.context = context;
	sigaction(SIGALRM, &action, NULL);
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
