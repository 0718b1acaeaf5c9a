// SPDX-License-Identifier: BSD-3-Clause
#include "filter.h"

#include "control/base/memory.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#define SNAPLEN 262144
#define STEP_TEXT 32 // "65535 255 255 4294967295 "

struct filter {
	struct bpf_insn *steps;
	uint32_t count;
};

static char *
program_text(const struct bpf_program *program)
{
	const size_t room = (size_t)(program->bf_len + 1) * STEP_TEXT;
	char *text = memory_array(room, 1, "bytes of a filter");
	size_t at = (size_t)snprintf(text, room, "%u", program->bf_len);

	for (unsigned i = 0; i < program->bf_len; i++) {
		const struct bpf_insn *s = &program->bf_insns[i];

		at += (size_t)snprintf(text + at, room - at, "\n%u %u %u %u", s->code, s->jt, s->jf,
				       s->k);
	}
	return text;
}

int
filter_compile(const char *text, char **program, struct diag *diag)
{
	struct bpf_program compiled;
	pcap_t *pcap;
	int rc = 0;

	*program = NULL;
	if (strlen(text) > FILTER_TEXT_MAX)
		return diag_fail(diag, EINVAL, "the filter is longer than %d bytes",
				 FILTER_TEXT_MAX);
	pcap = pcap_open_dead(DLT_EN10MB, SNAPLEN);
	if (pcap == NULL)
		memory_exhausted(1, sizeof(struct bpf_program), "a filter");
	if (pcap_compile(pcap, &compiled, text, 1, PCAP_NETMASK_UNKNOWN) != 0) {
		rc = diag_fail(diag, EINVAL,
			       "the filter \"%.100s\": %s (pcap-filter(7) has the rules)", text,
			       pcap_geterr(pcap));
	} else {
		if (compiled.bf_len > FILTER_STEPS_MAX)
			rc = diag_fail(diag, EINVAL, "the filter makes %u steps, more than %d",
				       compiled.bf_len, FILTER_STEPS_MAX);
		else
			*program = program_text(&compiled);
		pcap_freecode(&compiled);
	}
	pcap_close(pcap);
	return rc;
}

// A number up to `most`, with blanks or newlines before it.
static bool
read_number(const char **at, uint64_t most, uint64_t *out)
{
	const char *from = *at + strspn(*at, " \n");
	char *end;

	if (*from < '0' || *from > '9')
		return false;
	errno = 0;
	*out = strtoull(from, &end, 10);
	*at = end;
	return errno == 0 && *out <= most;
}

// Every instruction there is (bpf(4)). libpcap's own check looks at parts of a code only, and
// bpf_filter() ends the process at one that it does not know.
static const uint16_t known_codes[] = {
	BPF_LD | BPF_W | BPF_ABS,
	BPF_LD | BPF_H | BPF_ABS,
	BPF_LD | BPF_B | BPF_ABS,
	BPF_LD | BPF_W | BPF_IND,
	BPF_LD | BPF_H | BPF_IND,
	BPF_LD | BPF_B | BPF_IND,
	BPF_LD | BPF_W | BPF_LEN,
	BPF_LD | BPF_IMM,
	BPF_LD | BPF_MEM,
	BPF_LDX | BPF_W | BPF_LEN,
	BPF_LDX | BPF_W | BPF_IMM,
	BPF_LDX | BPF_W | BPF_MEM,
	BPF_LDX | BPF_MSH | BPF_B,
	BPF_ST,
	BPF_STX,
	BPF_ALU | BPF_ADD | BPF_K,
	BPF_ALU | BPF_SUB | BPF_K,
	BPF_ALU | BPF_MUL | BPF_K,
	BPF_ALU | BPF_DIV | BPF_K,
	BPF_ALU | BPF_MOD | BPF_K,
	BPF_ALU | BPF_AND | BPF_K,
	BPF_ALU | BPF_OR | BPF_K,
	BPF_ALU | BPF_XOR | BPF_K,
	BPF_ALU | BPF_LSH | BPF_K,
	BPF_ALU | BPF_RSH | BPF_K,
	BPF_ALU | BPF_ADD | BPF_X,
	BPF_ALU | BPF_SUB | BPF_X,
	BPF_ALU | BPF_MUL | BPF_X,
	BPF_ALU | BPF_DIV | BPF_X,
	BPF_ALU | BPF_MOD | BPF_X,
	BPF_ALU | BPF_AND | BPF_X,
	BPF_ALU | BPF_OR | BPF_X,
	BPF_ALU | BPF_XOR | BPF_X,
	BPF_ALU | BPF_LSH | BPF_X,
	BPF_ALU | BPF_RSH | BPF_X,
	BPF_ALU | BPF_NEG,
	BPF_JMP | BPF_JA,
	BPF_JMP | BPF_JEQ | BPF_K,
	BPF_JMP | BPF_JGT | BPF_K,
	BPF_JMP | BPF_JGE | BPF_K,
	BPF_JMP | BPF_JSET | BPF_K,
	BPF_JMP | BPF_JEQ | BPF_X,
	BPF_JMP | BPF_JGT | BPF_X,
	BPF_JMP | BPF_JGE | BPF_X,
	BPF_JMP | BPF_JSET | BPF_X,
	BPF_RET | BPF_K,
	BPF_RET | BPF_A,
	BPF_MISC | BPF_TAX,
	BPF_MISC | BPF_TXA,
};

static bool
is_known(uint16_t code)
{
	for (size_t i = 0; i < sizeof(known_codes) / sizeof(known_codes[0]); i++)
		if (known_codes[i] == code)
			return true;
	return false;
}

// libpcap lets unconditional jumps go backwards, by an overflow: such a program might not end.
static bool
goes_back(const struct bpf_insn *step, uint32_t count)
{
	return step->code == (BPF_JMP | BPF_JA) && step->k >= count;
}

static bool
read_steps(struct filter *f, const char *at)
{
	for (uint32_t i = 0; i < f->count; i++) {
		uint64_t code, jt, jf, k;

		if (!read_number(&at, UINT16_MAX, &code) || !read_number(&at, UINT8_MAX, &jt) ||
		    !read_number(&at, UINT8_MAX, &jf) || !read_number(&at, UINT32_MAX, &k))
			return false;
		f->steps[i] =
			(struct bpf_insn){(uint16_t)code, (uint8_t)jt, (uint8_t)jf, (uint32_t)k};
		if (!is_known(f->steps[i].code) || goes_back(&f->steps[i], f->count))
			return false;
	}
	return at[strspn(at, " \n")] == '\0';
}

int
filter_read(struct filter **out, const char *program, struct diag *diag)
{
	struct filter *f;
	uint64_t count;

	*out = NULL;
	if (!read_number(&program, FILTER_STEPS_MAX, &count) || count == 0)
		return diag_fail(diag, EINVAL,
				 "the filter must be a program as `tcpdump -ddd` prints it, of at "
				 "most %d steps",
				 FILTER_STEPS_MAX);
	f = memory_new(sizeof(*f), "a filter");
	f->count = (uint32_t)count;
	f->steps = memory_array(f->count, sizeof(*f->steps), "steps of a filter");
	if (!read_steps(f, program) || !bpf_validate(f->steps, (int)f->count)) {
		filter_destroy(f);
		return diag_fail(diag, EINVAL,
				 "the filter is not a program as `tcpdump -ddd` prints it");
	}
	*out = f;
	return 0;
}

void
filter_destroy(struct filter *f)
{
	if (f == NULL)
		return;
	free(f->steps);
	free(f);
}

uint32_t
filter_steps(const struct filter *f)
{
	return f != NULL ? f->count : 0;
}

bool
filter_passes(const struct filter *f, const uint8_t *data, uint32_t data_len, uint32_t wire_bytes)
{
	return f == NULL || bpf_filter(f->steps, data, wire_bytes, data_len) != 0;
}
