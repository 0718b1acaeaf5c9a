// SPDX-License-Identifier: BSD-3-Clause
#include "store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// "12.yaml" -> 12; 0: no revision's name.
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
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *open = fd >= 0 ? fdopendir(fd) : NULL;
	uint32_t *numbers = NULL;
	struct dirent *entry;
	unsigned room = 0;
	int rc;

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
		if (*count == room) {
			void *grown;

			room = room != 0 ? 2 * room : 2 * STORE_KEPT;
			grown = realloc(numbers, room * sizeof(*numbers));
			if (grown == NULL) {
				free(numbers);
				closedir(open);
				return -ENOMEM;
			}
			numbers = grown;
		}
		numbers[(*count)++] = number;
	}
	rc = -errno;
	closedir(open);
	if (rc != 0) { // what is not seen would be written over
		free(numbers);
		*count = 0;
		return rc;
	}
	if (*count != 0)
		qsort(numbers, *count, sizeof(*numbers), compare_numbers);
	*out = numbers;
	return 0;
}
