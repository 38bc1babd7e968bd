/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C interface of the runtime: open a compiled model on a simulated device,
 * set its inputs, run it, read its outputs.
 *
 *     spyre_model *model = NULL;
 *     spyre_error *error = NULL;
 *     if (spyre_model_open("model.spyre", NULL, &model, &error) != SPYRE_OK) {
 *       fprintf(stderr, "%s\n", spyre_error_message(error));
 *       spyre_error_free(error);
 *       return 1;
 *     }
 *     spyre_model_set_input(model, 0, data, size, &error);
 *     spyre_model_run(model, &error);
 *     spyre_model_get_output(model, 1, result, resultSize, &error);
 *     spyre_model_close(model);
 *
 * Every function that can fail returns a status, and takes a place for an
 * error object, which may be NULL. On failure a new error object is stored
 * there, to be freed by the caller; on success nothing is stored. Outputs of a
 * failed call are left as they were.
 *
 * A model may be used by one thread at a time; different models are
 * independent. Numbers of enumerations and names of functions do not change;
 * structures only grow at their end.
 */

#ifndef SPYRE_C_RUNTIME_H
#define SPYRE_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 is success. Anything else is the number of an error code: 806 for E0806
 * of the documentation of errors. */
typedef int32_t spyre_status;
#define SPYRE_OK ((spyre_status)0)

/* Opaque handles. */
typedef struct spyre_model spyre_model;
typedef struct spyre_error spyre_error;

/* What went wrong, in full, as text of one or more lines. Valid until the
 * error is freed. NULL is allowed and has the empty message. */
const char *spyre_error_message(const spyre_error *error);
/* The status that the failed call returned. */
spyre_status spyre_error_status(const spyre_error *error);
/* NULL is allowed. */
void spyre_error_free(spyre_error *error);

/* Element types in host memory. */
typedef enum spyre_type {
  SPYRE_TYPE_F16 = 0,
  SPYRE_TYPE_F32 = 1,
  SPYRE_TYPE_F64 = 2,
  SPYRE_TYPE_I8 = 3,
  SPYRE_TYPE_U8 = 4,
  SPYRE_TYPE_I16 = 5,
  SPYRE_TYPE_I32 = 6,
  SPYRE_TYPE_I64 = 7,
  SPYRE_TYPE_BOOL = 8,
  SPYRE_TYPE_BF16 = 9
} spyre_type;

typedef enum spyre_role {
  SPYRE_ROLE_INPUT = 0,
  SPYRE_ROLE_OUTPUT = 1,
  /* Read and overwritten: an input and an output. */
  SPYRE_ROLE_INOUT = 2
} spyre_role;

/* How to open a model. Set every field; zero is the default of each. */
typedef struct spyre_open_options {
  /* Name of a built-in target or path of a target file. NULL: the default
   * target. The model must have been compiled for it. */
  const char *target;
  /* Not 0: load no weights and compute nothing, only predict time. */
  int32_t timing_only;
} spyre_open_options;

/* Opens an artifact, checks it and loads its weights onto a simulated device.
 * `options` may be NULL. */
spyre_status spyre_model_open(const char *path,
                              const spyre_open_options *options,
                              spyre_model **model, spyre_error **error);
/* Frees the model and its device. NULL is allowed. */
void spyre_model_close(spyre_model *model);

/* One argument of a model. Pointers stay valid until the model is closed. */
typedef struct spyre_argument {
  const char *name;
  spyre_role role;
  spyre_type type;
  int32_t rank;
  /* `rank` extents. */
  const int64_t *shape;
  /* Bytes of the dense row-major tensor. */
  size_t size_bytes;
  /* Values must lie in [0, index_bound); 0: any value. */
  int64_t index_bound;
} spyre_argument;

/* Arguments are numbered from 0; inputs and outputs share the numbers. */
size_t spyre_model_num_arguments(const spyre_model *model);
spyre_status spyre_model_get_argument(const spyre_model *model, size_t index,
                                      spyre_argument *argument,
                                      spyre_error **error);

/* Copies a dense row-major tensor of the argument's type and shape. It serves
 * for every run until it is set again. */
spyre_status spyre_model_set_input(spyre_model *model, size_t index,
                                   const void *data, size_t size_bytes,
                                   spyre_error **error);

/* Runs once. Every input must have been set. A failed run leaves no outputs,
 * and the model may be run again. */
spyre_status spyre_model_run(spyre_model *model, spyre_error **error);

/* Copies the result of the last run. `size_bytes` must be the argument's. */
spyre_status spyre_model_get_output(const spyre_model *model, size_t index,
                                    void *data, size_t size_bytes,
                                    spyre_error **error);

/* Predicted time of the last run in seconds: of the compute steps alone, and
 * in total with launch and transfers. 0 before the first run. */
double spyre_model_compute_seconds(const spyre_model *model);
double spyre_model_total_seconds(const spyre_model *model);

#ifdef __cplusplus
}
#endif

#endif /* SPYRE_C_RUNTIME_H */
