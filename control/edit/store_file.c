// SPDX-License-Identifier: BSD-3-Clause
#include "store_internal.h"

#include "control/base/memory.h"
#include "control/base/text.h"
#include "control/config/scalar.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---- comments -----------------------------------------------------------------------------------

struct lines {
	const char *at, *end;
};

size_t
header_write(const struct store_revision *revision, char out[static HEADER_MAX])
{
	struct store_revision r = *revision;
	char at[40];
	struct tm tm;
	time_t seconds = r.at;
	int length;

	text_hide_controls(r.user);
	text_hide_controls(r.what);
	text_hide_controls(r.file);
	if (gmtime_r(&seconds, &tm) == NULL || tm.tm_year < 70 || tm.tm_year > 8099)
		tm = (struct tm){.tm_year = 70, .tm_mday = 1};
	strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", &tm);
	length = snprintf(out, HEADER_MAX,
			  "# roost revision %" PRIu32
			  "\n# at %s\n# by %s (%ju)\n# what %s\n# file %s\n",
			  r.number, at, r.user, (uintmax_t)r.uid, r.what, r.file);
	if (r.bytes != 0)
		length += snprintf(out + length, HEADER_MAX - (size_t)length,
				   "# bytes %" PRIu64 "\n", r.bytes);
	if (r.part[0] != '\0')
		length +=
			snprintf(out + length, HEADER_MAX - (size_t)length, "# part %s\n", r.part);
	return (size_t)length;
}

// The rest of the next line after "# NAME ", into a text of `size` bytes. Returns false if the line
// begins otherwise, is too long, or contains control characters.
static bool
take_line(struct lines *l, const char *name, char *out, size_t size)
{
	const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
	size_t skip = strlen(name) + 3, length;

	if (newline == NULL || (size_t)(newline - l->at) < skip || memcmp(l->at, "# ", 2) != 0 ||
	    memcmp(l->at + 2, name, skip - 3) != 0 || l->at[skip - 1] != ' ')
		return false;
	length = (size_t)(newline - l->at) - skip;
	if (length >= size)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)l->at[skip + i] < ' ' || l->at[skip + i] == 0x7f)
			return false;
	memcpy(out, l->at + skip, length);
	out[length] = '\0';
	l->at = newline + 1;
	return true;
}

static bool
take_time(const char *text, int64_t *out)
{
	struct tm tm = {0};
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);

	if (end == NULL || *end != '\0')
		return false;
	*out = timegm(&tm);
	return *out >= 0;
}

// "root (0)", " (1001)".
static bool
take_user(char *text, struct store_revision *out)
{
	char *open = strrchr(text, '('), *close = open != NULL ? strchr(open, ')') : NULL;
	char why[SCALAR_WHY];
	int64_t uid;

	if (close == NULL || close[1] != '\0' || open == text || open[-1] != ' ')
		return false;
	*close = '\0';
	open[-1] = '\0';
	if (scalar_integer(open + 1, 0, (uid_t)-1, &uid, why) != 0 ||
	    strlen(text) >= sizeof(out->user))
		return false;
	out->uid = (uid_t)uid;
	strcpy(out->user, text);
	return true;
}

ssize_t
header_read(struct store_revision *out, const char *text, size_t length)
{
	struct lines l = {text, text + length};
	char number[16], at[32], by[STORE_USER_MAX + 16], bytes[16];
	char why[SCALAR_WHY];
	int64_t value, count = 0;

	*out = (struct store_revision){0};
	if (!take_line(&l, "roost revision", number, sizeof(number)) ||
	    scalar_integer(number, 1, UINT32_MAX, &value, why) != 0 ||
	    !take_line(&l, "at", at, sizeof(at)) || !take_time(at, &out->at) ||
	    !take_line(&l, "by", by, sizeof(by)) || !take_user(by, out) ||
	    !take_line(&l, "what", out->what, sizeof(out->what)) ||
	    !take_line(&l, "file", out->file, sizeof(out->file)))
		return -EBADMSG;
	// Those of earlier versions have no such line.
	if (take_line(&l, "bytes", bytes, sizeof(bytes)) &&
	    scalar_integer(bytes, 1, STORE_TEXT_MAX, &count, why) != 0)
		return -EBADMSG;
	(void)take_line(&l, "part", out->part, sizeof(out->part));
	out->number = (uint32_t)value;
	out->bytes = (uint64_t)count;
	return l.at - text;
}

// ---- names --------------------------------------------------------------------------------------

// "12.yaml" -> 12; 0: not a revision's name.
static uint32_t
number_of(const char *name)
{
	char same[NUMBERS_NAME];
	unsigned long long number = strtoull(name, NULL, 10);

	if (number == 0 || number > UINT32_MAX)
		return 0;
	snprintf(same, sizeof(same), "%llu.yaml", number);
	return strcmp(same, name) == 0 ? (uint32_t)number : 0;
}

void
numbers_name(uint32_t number, char name[static NUMBERS_NAME])
{
	snprintf(name, NUMBERS_NAME, "%" PRIu32 ".yaml", number);
}

static int
compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

int
numbers_list(int directory, uint32_t **out, unsigned *count)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;
	DIR *open = fd >= 0 ? fdopendir(fd) : NULL;
	uint32_t *numbers = NULL;
	struct dirent *entry;

	*out = NULL;
	*count = 0;
	if (open == NULL) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	for (errno = 0; (entry = readdir(open)) != NULL; errno = 0) {
		uint32_t number = number_of(entry->d_name);

		if (number == 0)
			continue;
		numbers = memory_grow(numbers, *count, sizeof(*numbers), "revisions");
		numbers[(*count)++] = number;
	}
	rc = -errno;
	closedir(open);
	if (rc != 0) { // a revision that was missed would be overwritten
		free(numbers);
		*count = 0;
		return rc;
	}
	if (*count != 0)
		qsort(numbers, *count, sizeof(*numbers), compare_numbers);
	*out = numbers;
	return 0;
}
