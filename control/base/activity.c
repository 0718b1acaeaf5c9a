// SPDX-License-Identifier: BSD-3-Clause
// A thread of its own looks at the clock, so that a step of a minute is not silent for a minute and
// the steps themselves pay nothing. Where there is no thread to be had nothing is shown.
#include "activity.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define MS_PER_S 1000
#define NS_PER_MS 1000000

static const struct activity_times usual[] = {
	{.after_ms = 30000, .every_ms = 5000}, // into a file or a pipe
	{.after_ms = 1000, .every_ms = 500},   // on a terminal
};

static struct {
	_Atomic(const char *) what;
	FILE *to;
	bool terminal;
	struct activity_times times;
	struct timespec begun;
	pthread_t thread;
	pthread_mutex_t mutex; // of `ended`
	pthread_cond_t changed;
	bool ended;
	bool watches;
} watch;

void
activity(const char *what)
{
	atomic_store_explicit(&watch.what, what, memory_order_relaxed);
}

static struct timespec
later(struct timespec time, unsigned int ms)
{
	time.tv_sec += ms / MS_PER_S;
	time.tv_nsec += (long)(ms % MS_PER_S) * NS_PER_MS;
	if (time.tv_nsec >= (long)MS_PER_S * NS_PER_MS) {
		time.tv_sec++;
		time.tv_nsec -= (long)MS_PER_S * NS_PER_MS;
	}
	return time;
}

// Off a terminal each step is shown once.
static void
print_step(const char **shown)
{
	const char *what = atomic_load_explicit(&watch.what, memory_order_relaxed);
	struct timespec now;

	if (what == NULL || (!watch.terminal && what == *shown))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	fprintf(watch.to, watch.terminal ? "\rroost: %s, %ld s\033[K" : "roost: %s (after %ld s)\n",
		what, (long)(now.tv_sec - watch.begun.tv_sec));
	fflush(watch.to);
	*shown = what;
}

static void *
run(void *context)
{
	struct timespec due = later(watch.begun, watch.times.after_ms);
	const char *shown = NULL;

	(void)context;
	pthread_mutex_lock(&watch.mutex);
	while (!watch.ended) {
		if (pthread_cond_timedwait(&watch.changed, &watch.mutex, &due) == 0)
			continue; // it has ended, or woke up by itself
		print_step(&shown);
		due = later(due, watch.times.every_ms);
	}
	pthread_mutex_unlock(&watch.mutex);
	if (shown != NULL && watch.terminal) {
		fputs("\r\033[K", watch.to);
		fflush(watch.to);
	}
	return NULL;
}

void
activity_begin(FILE *to, bool terminal, const struct activity_times *times)
{
	pthread_condattr_t monotonic;

	if (watch.watches)
		return;
	activity(NULL);
	watch.to = to;
	watch.terminal = terminal;
	watch.times = times != NULL ? *times : usual[terminal];
	watch.ended = false;
	clock_gettime(CLOCK_MONOTONIC, &watch.begun);
	pthread_mutex_init(&watch.mutex, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&watch.changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	watch.watches = pthread_create(&watch.thread, NULL, run, NULL) == 0;
}

void
activity_end(void)
{
	if (!watch.watches)
		return;
	pthread_mutex_lock(&watch.mutex);
	watch.ended = true;
	pthread_cond_signal(&watch.changed);
	pthread_mutex_unlock(&watch.mutex);
	pthread_join(watch.thread, NULL);
	pthread_cond_destroy(&watch.changed);
	pthread_mutex_destroy(&watch.mutex);
	watch.watches = false;
}
