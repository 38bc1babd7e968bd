// SPDX-License-Identifier: Apache-2.0
//
// The C interface: handles around Simulator, Model and Session. No C++
// exception passes the boundary; running out of memory becomes an error too.

#include "spyre-c/runtime.h"

#include "spyre/Runtime/Runtime.h"
#include "spyre/Simulator/Simulator.h"

#include <algorithm>
#include <fmt/format.h>
#include <new>

using namespace spyre;

struct spyre_error {
  spyre_status status;
  std::string message;
};

struct spyre_model {
  explicit spyre_model(const target::Target &target) : simulator(target) {}

  // In this order: a session lives on a model, a model on a device.
  sim::Simulator simulator;
  std::unique_ptr<rt::Model> model;
  std::unique_ptr<rt::Session> session;
  rt::LaunchStats stats;
};

namespace {

constexpr auto kInternal = static_cast<spyre_status>(ErrorCode::Internal);

spyre_status report(const Error &failure, spyre_error **error) {
  const auto status = static_cast<spyre_status>(failure.code);
  if (error != nullptr) {
    *error = new spyre_error{status, failure.str()};
  }
  return status;
}

/// Runs the body of a function of the interface.
template <typename Body> spyre_status guarded(spyre_error **error, Body body) {
  try {
    const Status status = body();
    return status ? SPYRE_OK : report(status.error(), error);
  } catch (...) {
    // Memory is the only thing that can be missing here; the text fits the
    // string's own buffer.
    if (error != nullptr) {
      *error = new (std::nothrow) spyre_error{kInternal, "out of memory"};
    }
    return kInternal;
  }
}

tl::unexpected<Error> invalidCall(std::string message) {
  return makeError(ErrorCode::InvalidCall, {}, std::move(message));
}

Status open(const char *path, const spyre_open_options &options,
            spyre_model **result) {
  target::Target machine;
  if (options.target == nullptr) {
    machine = target::defaultTarget();
  } else {
    Expected<target::Target> loaded = target::loadTarget(options.target);
    if (!loaded) {
      return tl::unexpected(loaded.error());
    }
    machine = std::move(*loaded);
  }
  auto handle = std::make_unique<spyre_model>(machine);
  Expected<std::unique_ptr<rt::Model>> model =
      rt::load(path, handle->simulator, machine,
               {.timingOnly = options.timing_only != 0});
  if (!model) {
    return tl::unexpected(model.error());
  }
  handle->model = std::move(*model);
  Expected<std::unique_ptr<rt::Session>> session =
      rt::Session::create(*handle->model);
  if (!session) {
    return tl::unexpected(session.error());
  }
  handle->session = std::move(*session);
  *result = handle.release();
  return {};
}

/// The argument at an index, or an error naming both numbers.
Expected<const launch::Argument *> argumentAt(const spyre_model *model,
                                              size_t index) {
  const std::vector<launch::Argument> &arguments =
      model->model->plan().arguments;
  if (index >= arguments.size()) {
    return makeError(ErrorCode::UnknownArgument, {},
                     fmt::format("argument {} of {}", index, arguments.size()));
  }
  return &arguments[index];
}

} // namespace

const char *spyre_error_message(const spyre_error *error) {
  return error != nullptr ? error->message.c_str() : "";
}

spyre_status spyre_error_status(const spyre_error *error) {
  return error != nullptr ? error->status : SPYRE_OK;
}

void spyre_error_free(spyre_error *error) { delete error; }

spyre_status spyre_model_open(const char *path,
                              const spyre_open_options *options,
                              spyre_model **model, spyre_error **error) {
  return guarded(error, [&]() -> Status {
    if (path == nullptr || model == nullptr) {
      return invalidCall("the path and the place of the model must be given");
    }
    return open(path, options != nullptr ? *options : spyre_open_options{},
                model);
  });
}

void spyre_model_close(spyre_model *model) { delete model; }

size_t spyre_model_num_arguments(const spyre_model *model) {
  return model->model->plan().arguments.size();
}

spyre_status spyre_model_get_argument(const spyre_model *model, size_t index,
                                      spyre_argument *argument,
                                      spyre_error **error) {
  return guarded(error, [&]() -> Status {
    const Expected<const launch::Argument *> found = argumentAt(model, index);
    if (!found) {
      return tl::unexpected(found.error());
    }
    const launch::Argument &from = **found;
    argument->name = from.name.c_str();
    argument->role = static_cast<spyre_role>(from.role);
    argument->type = static_cast<spyre_type>(from.hostType);
    argument->rank = static_cast<int32_t>(from.shape.size());
    argument->shape = from.shape.data();
    argument->size_bytes = static_cast<size_t>(
        rt::denseBytes(from.hostType, from.shape).value_or(0));
    argument->index_bound = from.indexBound;
    return {};
  });
}

spyre_status spyre_model_set_input(spyre_model *model, size_t index,
                                   const void *data, size_t size_bytes,
                                   spyre_error **error) {
  return guarded(error, [&]() -> Status {
    const Expected<const launch::Argument *> argument =
        argumentAt(model, index);
    if (!argument) {
      return tl::unexpected(argument.error());
    }
    const auto *bytes = static_cast<const std::byte *>(data);
    rt::HostTensor tensor{(*argument)->hostType, (*argument)->shape, {}};
    tensor.bytes.assign(bytes, bytes + size_bytes);
    return model->session->setInput(static_cast<uint32_t>(index),
                                    std::move(tensor));
  });
}

spyre_status spyre_model_run(spyre_model *model, spyre_error **error) {
  return guarded(error, [&]() -> Status {
    Expected<rt::LaunchStats> stats = model->session->run();
    if (!stats) {
      return tl::unexpected(stats.error());
    }
    model->stats = std::move(*stats);
    return {};
  });
}

spyre_status spyre_model_get_output(const spyre_model *model, size_t index,
                                    void *data, size_t size_bytes,
                                    spyre_error **error) {
  return guarded(error, [&]() -> Status {
    const Expected<const launch::Argument *> argument =
        argumentAt(model, index);
    if (!argument) {
      return tl::unexpected(argument.error());
    }
    const std::string subject =
        fmt::format("argument \"{}\"", (*argument)->name);
    const rt::HostTensor *tensor =
        model->session->output(static_cast<uint32_t>(index));
    if (tensor == nullptr) {
      return makeError(ErrorCode::InvalidCall, subject,
                       "there is no output before a successful run, for an "
                       "input, or with timing only");
    }
    if (tensor->bytes.size() != size_bytes) {
      return makeError(ErrorCode::InvalidBinding, subject,
                       fmt::format("the output has {} bytes, there is room for "
                                   "{}",
                                   tensor->bytes.size(), size_bytes));
    }
    std::copy(tensor->bytes.begin(), tensor->bytes.end(),
              static_cast<std::byte *>(data));
    return {};
  });
}

double spyre_model_compute_seconds(const spyre_model *model) {
  return model->stats.computeSeconds;
}

double spyre_model_total_seconds(const spyre_model *model) {
  return model->stats.totalSeconds;
}
