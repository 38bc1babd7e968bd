// SPDX-License-Identifier: Apache-2.0
// The exact passes of every phase, each phase ending in its verifier.
//
// RUN: spyre-opt %s --spyre-normalize --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=NORMALIZE
// RUN: spyre-opt %s --spyre-layout --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: spyre-opt %s --spyre-plan --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: not spyre-opt %s --spyre-schedule --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=SCHEDULE

// NORMALIZE: func.func(
// NORMALIZE-NEXT: fold-onnx-nodes{{.*}},
// NORMALIZE-NEXT: onnx-merge-nodes,
// NORMALIZE-NEXT: cse,
// NORMALIZE-NEXT: convert-onnx-to-linalg{{.*}},
// NORMALIZE-NEXT: graph-narrow-types,
// NORMALIZE-NEXT: graph-drop-empty-tensors,
// NORMALIZE-NEXT: graph-flatten-gathers,
// NORMALIZE-NEXT: graph-decompose-softmax,
// NORMALIZE-NEXT: graph-generalize-named-ops,
// NORMALIZE-NEXT: graph-widen-arithmetic,
// NORMALIZE-NEXT: graph-fuse-elementwise,
// NORMALIZE-NEXT: canonicalize{{.*}},
// NORMALIZE-NEXT: cse
// NORMALIZE-NEXT: ),
// NORMALIZE-NEXT: graph-outline-constants,
// NORMALIZE-NEXT: func.func(
// NORMALIZE-NEXT: graph-verify-normalized

// LAYOUT: func.func(
// LAYOUT-NEXT: stick-inline-composite,
// LAYOUT-NEXT: stick-assign-layouts,
// LAYOUT-NEXT: cse,
// LAYOUT-NEXT: stick-verify-laid-out

// PLAN: func.func(
// PLAN-NEXT: convert-linalg-to-sdsc,
// PLAN-NEXT: sdsc-divide-work{{.*}},
// PLAN-NEXT: sdsc-place-tensors{{.*}},
// PLAN-NEXT: sdsc-allocate-scratchpad{{.*}},
// PLAN-NEXT: sdsc-verify-planned

// SCHEDULE: convert-sdsc-to-launch{{.*}},
// SCHEDULE-NEXT: launch-verify-scheduled
module {}
