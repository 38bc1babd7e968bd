/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A C11 program that uses the C interface, called from the C++ tests.
 */

#ifndef SPYRE_TEST_UNIT_RUNTIME_CAPIPROGRAM_H
#define SPYRE_TEST_UNIT_RUNTIME_CAPIPROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the model y = x + w (w = 10, 20, ..., 60) at `path` with x = 1, 2, ...,
 * 6. NULL if everything is as it should be, else what is not. */
const char *runAddModel(const char *path);

/* Misuses the interface; likewise. */
const char *misuse(const char *path);

#ifdef __cplusplus
}
#endif

#endif /* SPYRE_TEST_UNIT_RUNTIME_CAPIPROGRAM_H */
