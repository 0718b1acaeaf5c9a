// SPDX-License-Identifier: BSD-3-Clause
// Sizes of published models against their published figures, worked out beside the formulas of the
// papers.
#include "control/model/workload/model_sizes.h"

#include "control/model/workload/model_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct config_model gpt3 = {
	.transformer =
		{.layers = 96, .hidden = 12288, .heads = 96, .ffn = 49152, .vocabulary = 51200},
	.batch = {.sequence = 2048, .micro_batch = 1, .micro_batches = 1},
	.parallel = {.tp = 1, .pp = 1, .ep = 1},
	.gpu = {.tflops = 312, .efficiency_ppm = 1000000},
	.simulate = {.share_ppm = 1000000},
};

static const struct config_model llama = {
	.transformer = {.layers = 80,
			.hidden = 8192,
			.heads = 64,
			.kv_heads = 8,
			.ffn = 28672,
			.gated = true,
			.vocabulary = 128256},
	.batch = {.sequence = 8192, .micro_batch = 1, .micro_batches = 16},
	.parallel = {.tp = 8, .pp = 4, .ep = 1},
	.gpu = {.tflops = 989, .efficiency_ppm = 500000},
	.simulate = {.share_ppm = 1000000},
};

static const struct config_model deepseek = {
	.transformer = {.layers = 61,
			.hidden = 7168,
			.heads = 128,
			.head = 128,
			.ffn = 18432,
			.gated = true,
			.vocabulary = 129280,
			.latent = {.query = 1536, .key_value = 512, .rope = 64},
			.experts = {.count = 256,
				    .top_k = 8,
				    .ffn = 2048,
				    .shared = 1,
				    .dense_layers = 3,
				    .nodes = 4}},
	.batch = {.sequence = 4096, .micro_batch = 1, .micro_batches = 120},
	.parallel = {.tp = 1, .pp = 16, .ep = 64},
	.gpu = {.tflops = 989, .efficiency_ppm = 500000},
	.simulate = {.share_ppm = 1000000},
};

// SC'21: 72 B s l h^2 (1 + s / 6h + V / 12lh), and 96 B s l h^2 (1 + s / 6h + V / 16lh) where
// layers are computed again.
static void
test_published_operations(void **state)
{
	struct config_model again = gpt3;

	(void)state;
	again.gpu.recompute = true;
	assert_int_equal(model_stage_flops(&gpt3, 0, false) * 2048, 2204555173429248);
	assert_int_equal(model_stage_flops(&again, 0, false) * 2048, 2936829917528064);
	// All of it at 312 TFLOP/s.
	assert_int_equal(model_compute_ps(&gpt3, model_stage_flops(&gpt3, 0, false)),
			 2204555173429248 / 312);
}

static void
test_published_parameters(void **state)
{
	(void)state;
	// 12 l h^2 + 2 V h: 175 billion.
	assert_int_equal(model_parameters(&gpt3), 175204466688);
	// 2 (64 + 8) 128 8192; 3 8192 28672: 70.6 billion.
	assert_int_equal(model_attention_parameters(&llama), 150994944);
	assert_int_equal(model_ffn_parameters(&llama, 79), 704643072);
	assert_int_equal(model_parameters(&llama), 70552387584);
	// 7168 1536 + 1536 128 192 + 7168 576 + 512 128 256 + 128 128 7168; 671 billion in all.
	assert_int_equal(model_attention_parameters(&deepseek), 187105280);
	assert_int_equal(model_expert_parameters(&deepseek), 44040192);
	assert_int_equal(model_ffn_parameters(&deepseek, 2), 396361728);
	assert_int_equal(model_ffn_parameters(&deepseek, 3), 7168 * 256 + 44040192);
	assert_int_equal(model_parameters(&deepseek), 671025397760);
}

static void
test_operations_of_a_token(void **state)
{
	(void)state;
	// Twice the parameters, and 4 s times the width of all heads.
	assert_int_equal(model_attention_flops(&llama), 301989888 + 4 * 8192 * 8192);
	assert_int_equal(model_ffn_flops(&llama, 0), 2 * 704643072);
	assert_int_equal(model_output_flops(&llama), UINT64_C(2) * 8192 * 128256);
	// Keys of 192, values of 128; 8 experts and the one that all share.
	assert_int_equal(model_attention_flops(&deepseek),
			 2 * 187105280 + 2 * 4096 * 128 * (192 + 128));
	assert_int_equal(model_ffn_flops(&deepseek, 3), 796393472);
	assert_int_equal(model_ffn_flops(&deepseek, 0), 2 * 396361728);
	// 8192 tokens, eight GPUs of 494.5 TFLOP/s: 1.18 ms.
	assert_int_equal(model_compute_ps(&llama, model_attention_flops(&llama)), 1181224575);
}

static void
test_stages_and_slices(void **state)
{
	struct config_model m = deepseek;

	(void)state;
	// 61 layers of 16 stages: 13 of 4, then 3 of 3.
	assert_int_equal(model_stage(&m, 0).count, 4);
	assert_int_equal(model_stage(&m, 12).first, 48);
	assert_int_equal(model_stage(&m, 13).first, 52);
	assert_int_equal(model_stage(&m, 15).first, 58);
	assert_int_equal(model_stage(&m, 15).count, 3);
	assert_int_equal(model_micro_batches(&m), 120);
	assert_int_equal(model_slice_bytes(&m, 12345), 12345);
	m.simulate = (struct config_slice){.layers = 1, .micro_batches = 2, .share_ppm = 10000};
	assert_int_equal(model_stage_slice(&m, 0).first, 3);
	assert_int_equal(model_stage_slice(&m, 0).count, 1);
	assert_int_equal(model_micro_batches(&m), 2);
	assert_int_equal(model_slice_bytes(&m, 12345), 123);
	assert_int_equal(model_slice_bytes(&m, 3), 1);
	assert_int_equal(model_stage_flops(&m, 0, true),
			 3 * (model_attention_flops(&m) + model_ffn_flops(&m, 3)));
	assert_int_equal(model_stage_flops(&m, 1, false), 4 * model_stage_flops(&m, 0, true));
	assert_int_equal(model_compute_ps(&m, 1000000),
			 (model_compute_ps(&deepseek, 1000000) + 50) / 100);
}

// The largest sizes that a file may give.
static void
test_large(void **state)
{
	const uint32_t wide = 1 << 18, many = 4096;
	struct config_model m = {
		.transformer =
			{.layers = many,
			 .hidden = wide,
			 .heads = many,
			 .head = many,
			 .ffn = wide,
			 .latent = {.query = wide, .key_value = wide, .rope = many},
			 .experts = {.count = many, .top_k = 1024, .ffn = wide, .shared = 1024}},
		.batch = {.sequence = 1 << 22, .micro_batch = 256, .micro_batches = many},
		.parallel = {.tp = 1, .pp = 1, .ep = 1},
		.gpu = {.tflops = 1, .efficiency_ppm = 1000000, .recompute = true},
		.simulate = {.share_ppm = 1000000},
	};

	(void)state;
	assert_true(model_parameters(&m) < INT64_MAX);
	assert_true(model_attention_flops(&m) + model_ffn_flops(&m, 0) < INT64_MAX / 4);
	m.transformer.gated = true;
	assert_true(model_parameters(&m) < INT64_MAX);
	assert_true(model_stage_flops(&m, 0, false) == UINT64_MAX);
	m.transformer.layers = 1;
	assert_true(model_stage_flops(&m, 0, false) < INT64_MAX);
	assert_int_equal(model_compute_ps(&m, UINT64_MAX), MODEL_TIME_MAX);
}

static void
test_text(void **state)
{
	struct config_work work = {.model = gpt3};
	char text[MODEL_TEXT_MAX];

	(void)state;
	model_text(&work, 8, text);
	assert_string_equal(text,
			    "model: 175.2 billion parameters, dp 8; a step computes for 7.066 s");
	// Of 3 micro-batches one takes both stages, and two more the second one, which has the
	// output layer too.
	work.model.parallel.pp = 2;
	work.model.batch.micro_batches = 3;
	work.model.simulate = (struct config_slice){.layers = 12, .share_ppm = 500000};
	work.name.text = "gpt3";
	model_text(&work, 8, text);
	assert_string_equal(
		text, "gpt3: 175.2 billion parameters, dp 4; a step computes for 14.16 s, its "
		      "simulated part for 1.797 s: 12 of 48 layers of a stage, 3 of 3 "
		      "micro-batches, 50% of bytes and computing");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_operations),
		cmocka_unit_test(test_published_parameters),
		cmocka_unit_test(test_operations_of_a_token),
		cmocka_unit_test(test_stages_and_slices),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
