// SPDX-License-Identifier: Apache-2.0
//
// The JSON dump and the manifest. Keys stand in the order of Fields.h; nothing
// depends on time, place or hash order.

#include "spyre/LaunchPlan/Fields.h"
#include "spyre/LaunchPlan/HostFunction.h"
#include "spyre/LaunchPlan/Names.h"
#include "spyre/LaunchPlan/Serialize.h"

#include <fmt/format.h>

namespace spyre::launch {
namespace {

using Json = nlohmann::ordered_json;

/// JSON numbers are doubles to many readers: hashes are strings.
std::string hashText(uint64_t hash) { return fmt::format("{:016x}", hash); }

class JsonVisitor {
public:
  template <typename T>
  void operator()(std::string_view name, FieldKind kind, const T &value) {
    if constexpr (std::is_same_v<T, uint64_t>) {
      object[std::string(name)] =
          kind == FieldKind::Hash ? Json(hashText(value)) : Json(value);
    } else {
      object[std::string(name)] = convert(value);
    }
  }

  Json object = Json::object();

private:
  template <typename T> static Json convert(const T &value) {
    if constexpr (std::is_enum_v<T>) {
      return std::string(nameOf(value));
    } else if constexpr (std::is_integral_v<T>) {
      return value;
    } else {
      JsonVisitor visitor;
      fields(visitor, value);
      return std::move(visitor.object);
    }
  }

  static Json convert(const std::string &value) { return value; }

  template <typename T> static Json convert(const std::optional<T> &value) {
    return value ? convert(*value) : Json(nullptr);
  }

  template <typename T> static Json convert(const std::vector<T> &values) {
    return list(values);
  }

  template <typename T, size_t N>
  static Json convert(const std::array<T, N> &values) {
    return list(values);
  }

  template <typename Range> static Json list(const Range &values) {
    Json array = Json::array();
    for (const auto &value : values) {
      array.push_back(convert(value));
    }
    return array;
  }
};

} // namespace

Json toJson(const LaunchPlan &plan) {
  JsonVisitor visitor;
  fields(visitor, plan);
  return std::move(visitor.object);
}

Json toJson(const Program &program) {
  JsonVisitor visitor;
  fields(visitor, program);
  return std::move(visitor.object);
}

Json manifestOf(const LaunchPlan &plan) {
  Json manifest;
  manifest["producer"] = plan.producer;
  manifest["model"] = plan.modelName;
  manifest["target"] = {{"name", plan.targetName},
                        {"hash", hashText(plan.targetHash)}};
  manifest["arguments"] = Json::array();
  for (const Argument &argument : plan.arguments) {
    manifest["arguments"].push_back(
        {{"name", argument.name},
         {"role", std::string(nameOf(argument.role))},
         {"host_type", std::string(nameOf(argument.hostType))},
         {"shape", argument.shape},
         {"device_type", std::string(nameOf(argument.deviceType))}});
  }
  manifest["segments"] = Json::array();
  for (const Segment &segment : plan.segments) {
    manifest["segments"].push_back({{"kind", std::string(nameOf(segment.kind))},
                                    {"size_bytes", segment.sizeBytes}});
  }
  manifest["weights"] = Json::array();
  for (const Weight &weight : plan.weights) {
    manifest["weights"].push_back(
        {{"name", weight.name},
         {"storage", std::string(nameOf(weight.storage))},
         {"size_bytes", weight.sizeBytes},
         {"hash", hashText(weight.hash)}});
  }
  manifest["programs"] = Json::array();
  for (const Program &program : plan.programs) {
    manifest["programs"].push_back({{"name", program.name},
                                    {"cores", program.numCores},
                                    {"phases", program.phases.size()}});
  }
  manifest["steps"] = Json::array();
  for (const Step &step : plan.steps) {
    manifest["steps"].push_back({{"kind", std::string(nameOf(step.kind))},
                                 {"name", step.name},
                                 {"index", step.index}});
  }
  manifest["host_calls"] = Json::array();
  for (const HostCall &call : plan.hostCalls) {
    manifest["host_calls"].push_back(
        {{"call", describe(call)}, {"reason", call.reason}});
  }
  return manifest;
}

std::string dumpJson(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace spyre::launch
