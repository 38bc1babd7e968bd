/* SPDX-License-Identifier: Apache-2.0 */

#include "CApiProgram.h"

#include "spyre-c/runtime.h"

#include <string.h>

#define REQUIRE(condition)                                                     \
  do {                                                                         \
    if (!(condition)) {                                                        \
      return #condition;                                                       \
    }                                                                          \
  } while (0)

const char *runAddModel(const char *path) {
  spyre_model *model = NULL;
  spyre_error *error = NULL;
  REQUIRE(spyre_model_open(path, NULL, &model, &error) == SPYRE_OK);
  REQUIRE(error == NULL);
  REQUIRE(spyre_model_num_arguments(model) == 2);

  spyre_argument x;
  REQUIRE(spyre_model_get_argument(model, 0, &x, NULL) == SPYRE_OK);
  REQUIRE(strcmp(x.name, "x") == 0);
  REQUIRE(x.role == SPYRE_ROLE_INPUT && x.type == SPYRE_TYPE_F32);
  REQUIRE(x.rank == 2 && x.shape[0] == 2 && x.shape[1] == 3);
  REQUIRE(x.size_bytes == 24 && x.index_bound == 0);

  const float input[6] = {1, 2, 3, 4, 5, 6};
  REQUIRE(spyre_model_set_input(model, 0, input, 24, NULL) == SPYRE_OK);
  REQUIRE(spyre_model_total_seconds(model) == 0);
  REQUIRE(spyre_model_run(model, &error) == SPYRE_OK);
  float output[6] = {0};
  REQUIRE(spyre_model_get_output(model, 1, output, 24, NULL) == SPYRE_OK);
  for (int i = 0; i < 6; ++i) {
    REQUIRE(output[i] == 11.0F * (float)(i + 1));
  }
  REQUIRE(spyre_model_compute_seconds(model) > 0);
  REQUIRE(spyre_model_total_seconds(model) >
          spyre_model_compute_seconds(model));
  spyre_model_close(model);

  const spyre_open_options timing = {.target = "spyre-32", .timing_only = 1};
  REQUIRE(spyre_model_open(path, &timing, &model, NULL) == SPYRE_OK);
  REQUIRE(spyre_model_run(model, NULL) == SPYRE_OK);
  REQUIRE(spyre_model_compute_seconds(model) > 0);
  /* E0822: timing only has no outputs. */
  REQUIRE(spyre_model_get_output(model, 1, output, 24, NULL) == 822);
  spyre_model_close(model);
  return NULL;
}

const char *misuse(const char *path) {
  spyre_model *model = NULL;
  spyre_error *error = NULL;
  REQUIRE(spyre_model_open("no such file.spyre", NULL, &model, &error) !=
          SPYRE_OK);
  REQUIRE(model == NULL && error != NULL);
  REQUIRE(strlen(spyre_error_message(error)) > 0);
  REQUIRE(spyre_error_status(error) != SPYRE_OK);
  spyre_error_free(error);
  spyre_error_free(NULL);
  spyre_model_close(NULL);
  REQUIRE(strcmp(spyre_error_message(NULL), "") == 0);
  REQUIRE(spyre_error_status(NULL) == SPYRE_OK);
  REQUIRE(spyre_model_open(NULL, NULL, &model, NULL) == 822);
  const spyre_open_options unknown = {.target = "no such target"};
  REQUIRE(spyre_model_open(path, &unknown, &model, NULL) != SPYRE_OK);

  REQUIRE(spyre_model_open(path, NULL, &model, NULL) == SPYRE_OK);
  spyre_argument argument;
  float values[6] = {0};
  /* E0807: there are two arguments, and y is not an input. */
  REQUIRE(spyre_model_get_argument(model, 2, &argument, NULL) == 807);
  REQUIRE(spyre_model_set_input(model, 2, values, 24, NULL) == 807);
  REQUIRE(spyre_model_set_input(model, 1, values, 24, NULL) == 807);
  REQUIRE(spyre_model_get_output(model, 2, values, 24, NULL) == 807);
  /* E0806: wrong size. */
  REQUIRE(spyre_model_set_input(model, 0, values, 20, &error) == 806);
  REQUIRE(strstr(spyre_error_message(error), "E0806") != NULL);
  spyre_error_free(error);
  /* E0808: x is not set. */
  REQUIRE(spyre_model_run(model, NULL) == 808);
  REQUIRE(spyre_model_get_output(model, 1, values, 24, NULL) == 822);
  REQUIRE(spyre_model_set_input(model, 0, values, 24, NULL) == SPYRE_OK);
  REQUIRE(spyre_model_run(model, NULL) == SPYRE_OK);
  REQUIRE(spyre_model_get_output(model, 1, values, 20, NULL) == 808);
  REQUIRE(spyre_model_get_output(model, 0, values, 24, NULL) == 822);
  spyre_model_close(model);
  return NULL;
}
