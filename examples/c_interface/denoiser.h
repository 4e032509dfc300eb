/* SPDX-License-Identifier: BSL-1.0
 * A compiled model behind a C interface: plain memory of the caller's, error codes, no allocation. */
#ifndef DENOISER_H
#define DENOISER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { denoiser_rows = 16, denoiser_width = 32 };

typedef enum {
    denoiser_ok = 0,
    denoiser_null = 1,       /* a pointer is null */
    denoiser_misaligned = 2, /* the memory does not begin at a multiple of denoiser_alignment() */
    denoiser_too_small = 3,  /* the memory has fewer bytes than denoiser_bytes() */
    denoiser_too_many = 4,   /* more rows than denoiser_rows */
    denoiser_no_weights = 5  /* the file cannot be loaded; denoiser_message tells why */
} denoiser_status;

/* A model in memory of the caller's. Only pointers to it leave this library. */
typedef struct denoiser denoiser;

size_t denoiser_bytes(void);
size_t denoiser_alignment(void);

/* Makes a model of seeded weights in the memory, and its address in *model. Nothing needs to be freed. */
denoiser_status denoiser_create(void* memory, size_t bytes, unsigned seed, denoiser** model);

/* Reads the weights of a safetensors file. */
denoiser_status denoiser_load(denoiser* model, const char* path);

/* y = model(x) for the first `rows` rows of denoiser_width numbers; x and y may be the same. */
denoiser_status denoiser_run(denoiser* model, const float* x, float* y, size_t rows);

/* What the last error of this model was; never null. */
const char* denoiser_message(const denoiser* model);

#ifdef __cplusplus
}
#endif

#endif
