// SPDX-License-Identifier: Apache-2.0
// RUN: spyre-opt %s --spyre-schedule --verify-diagnostics

// expected-error @below {{E0550 [schedule] op builtin.module: the module has 2 functions}}
// expected-note @below {{help: keep one function per module}}
module {
  func.func @a() {
    return
  }
  func.func @b() {
    return
  }
}
