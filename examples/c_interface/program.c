/* SPDX-License-Identifier: BSL-1.0
 * A program in C that runs the model of denoiser.h, and checks what it promises. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "denoiser.h"

static int failures = 0;

static void check(const char* what, int holds) {
    if (holds) return;
    printf("FAILED: %s\n", what);
    ++failures;
}

int main(void) {
    const size_t alignment = denoiser_alignment(), bytes = (denoiser_bytes() + alignment - 1) / alignment * alignment;
    char* memory = aligned_alloc(alignment, bytes);
    denoiser *model = NULL, *other = NULL;
    check("a model", denoiser_create(memory, bytes, 1, &model) == denoiser_ok && model != NULL);
    if (failures != 0) return 1;

    float x[denoiser_rows][denoiser_width], y[denoiser_rows][denoiser_width], few[denoiser_rows][denoiser_width];
    for (int i = 0; i < denoiser_rows; ++i)
        for (int j = 0; j < denoiser_width; ++j) x[i][j] = (float)((7 * i + 3 * j) % 11) / 11.0f;
    check("all rows", denoiser_run(model, &x[0][0], &y[0][0], denoiser_rows) == denoiser_ok);
    memset(few, 0, sizeof few);
    check("five rows", denoiser_run(model, &x[0][0], &few[0][0], 5) == denoiser_ok);
    int differs = 0, written = 0;
    for (int j = 0; j < denoiser_width; ++j) {
        differs |= few[4][j] != y[4][j]; /* they attend to five rows and not to sixteen */
        written |= few[5][j] != 0.0f;
    }
    check("rows attend to those that are there", differs);
    check("nothing is written beyond", !written);
    check("in place", denoiser_run(model, &x[0][0], &x[0][0], denoiser_rows) == denoiser_ok && memcmp(x, y, sizeof x) == 0);

    check("null", denoiser_run(model, NULL, &y[0][0], 1) == denoiser_null);
    check("too many rows", denoiser_run(model, &x[0][0], &y[0][0], denoiser_rows + 1) == denoiser_too_many);
    check("misaligned", denoiser_create(memory + 1, bytes, 1, &other) == denoiser_misaligned);
    check("too small", denoiser_create(memory, denoiser_bytes() - 1, 1, &other) == denoiser_too_small);
    check("no such file", denoiser_load(model, "no_such.safetensors") == denoiser_no_weights);
    check("the message names the file's error", strlen(denoiser_message(model)) > 0);
    printf("%zu bytes of model and scratch; no file: %s\n", denoiser_bytes(), denoiser_message(model));
    free(memory);
    return failures == 0 ? 0 : 1;
}
