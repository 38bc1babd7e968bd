// SPDX-License-Identifier: Apache-2.0
//
// The model's own functions, and attributes.

#include "Support.h"

#include <gmock/gmock.h>

using namespace spyre;
using namespace spyre::onnxfile;
using namespace spyre::onnxfile::test;
using testing::HasSubstr;

namespace {

/// A function of domain "local" with one input and one output.
std::string function(const std::string &name, const std::string &body,
                     const std::string &parameters = "") {
  return "function <domain: \"local\", opset_import: [\"\" : 17]> " + name +
         parameters + "(x) => (y) { " + body + " }\n";
}

std::string errorOf(const std::string &functions,
                    const std::string &nodes = "") {
  return readText(withHeader("graph (float x) => () { " + nodes + " }\n" +
                             functions))
      .error();
}

TEST(Functions, AreFoundByDomainNameAndOverload) {
  const ReadResult result = readText(withHeader(
      "graph (float x) => () { a = local.f(x) b = local.f:two(x) c = f(x) "
      "d = local.g(x) }\n" +
      function("f", "y = A(x)") + function("f:two", "y = B(x)") +
      function("g", "y = local.f:two(x)")));
  ASSERT_TRUE(result.model) << result.error();
  const Model &model = *result.model;
  const auto body = [&](size_t node) {
    const Function *called = model.findFunction(model.graph.nodes[node]);
    return called ? operators(called->nodes) : "none";
  };
  EXPECT_EQ(body(0), "A");
  EXPECT_EQ(body(1), "B");
  EXPECT_EQ(body(2), "none");
  EXPECT_EQ(body(3), "f");
}

TEST(Functions, BringTheirOwnVersions) {
  const ReadResult result = readText(
      "<ir_version: 8, opset_import: [\"\" : 17, \"m\" : 2]> graph (float x) "
      "=> () { = local.f(x) }\n"
      "function <domain: \"local\", opset_import: [\"\" : 13]> f(x) => (y) "
      "{ y = m.B(x) }");
  ASSERT_TRUE(result.model) << result.error();
  const Function *f = &result.model->functions[0];
  EXPECT_EQ(result.model->opsetVersion("", f), 13);
  EXPECT_EQ(result.model->opsetVersion(""), 17);
  // What a function does not import, the model may.
  EXPECT_EQ(result.model->opsetVersion("m", f), 2);
  EXPECT_THAT(errorOf(function("f", "y = m.B(x)")),
              HasSubstr("node 0 (m.B) is of domain \"m\""));
}

TEST(Functions, AreDefinedOnce) {
  EXPECT_THAT(errorOf(function("f", "y = A(x)") + function("f", "y = A(x)")),
              HasSubstr("function \"local.f\" is defined twice"));
  EXPECT_THAT(errorOf(function("\"\"", "y = A(x)")),
              HasSubstr("a function has no name"));
  EXPECT_THAT(errorOf("", "= A:three(x)"),
              HasSubstr("node 0 (A) calls the overload \"three\""));
}

TEST(Functions, SeeNothingOutside) {
  EXPECT_THAT(errorOf(function("f", "y = A(z)"), "z = A(x)"),
              HasSubstr("of function \"local.f\" uses \"z\""));
  EXPECT_THAT(errorOf(function("f", "z = A(x)")),
              HasSubstr("function \"local.f\" has the output \"y\""));
}

TEST(Functions, AreSorted) {
  const ReadResult result = readText(
      withHeader("graph () => () { }\n" + function("f", "y = B(a) a = A(x)")));
  ASSERT_TRUE(result.model) << result.error();
  EXPECT_EQ(operators(result.model->functions[0].nodes), "A B");
}

TEST(Functions, DoNotCallThemselves) {
  EXPECT_THAT(errorOf(function("f", "y = local.f(x)")),
              HasSubstr("functions call themselves: function \"local.f\" -> "
                        "function \"local.f\""));
  const std::string text = errorOf(
      function("f", "y = local.g(x)") +
      function("g", "y = If<b = graph () => (float z) { z = local.h(x) }>(x)") +
      function("h", "y = local.g(x)"));
  EXPECT_THAT(text, HasSubstr("E0106"));
  EXPECT_THAT(text, HasSubstr("\"local.g\" -> function \"local.h\" -> function "
                              "\"local.g\""));
}

TEST(Functions, MayNotExpandWithoutBounds) {
  // Each calls the one before twice, the last one 2^20 times in effect.
  std::string functions = function("f0", "y = A(x)");
  for (int i = 1; i <= 40; ++i) {
    const std::string callee = "local.f" + std::to_string(i - 1);
    functions += function("f" + std::to_string(i),
                          "a = " + callee + "(x) y = " + callee + "(a)");
  }
  EXPECT_EQ(errorOf(functions, "= local.f10(x)"), "accepted");
  EXPECT_THAT(errorOf(functions, "= local.f40(x)"), HasSubstr("E0107"));
  // Calls count even if nothing is behind them.
  std::string empty = "function <domain: \"local\"> e0() => () { }\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string callee = "= local.e" + std::to_string(i - 1) + "() ";
    empty += "function <domain: \"local\"> e" + std::to_string(i) +
             "() => () { " + callee + callee + "}\n";
  }
  EXPECT_THAT(errorOf(empty, "= local.e40()"), HasSubstr("E0107"));
}

TEST(Functions, AttributesAreDeclared) {
  const std::string body = "y = A<k: float = @alpha>(x)";
  const ReadResult result =
      readText(withHeader("graph () => () { }\n" +
                          function("f", body, "<alpha, beta: float = 0.5>")));
  ASSERT_TRUE(result.model) << result.error();
  const Function &f = result.model->functions[0];
  EXPECT_EQ(f.attributes, std::vector<std::string>{"alpha"});
  ASSERT_EQ(f.attributeDefaults.size(), 1U);
  EXPECT_EQ(f.attributeDefaults[0].f, 0.5F);
  EXPECT_EQ(f.nodes[0].attributes[0].refAttrName, "alpha");
  EXPECT_EQ(f.nodes[0].attributes[0].type, AttributeType::Float);
  EXPECT_THAT(errorOf(function("f", body)),
              HasSubstr("refers to the attribute \"alpha\", which the function "
                        "does not declare"));
  EXPECT_THAT(errorOf(function("f", body, "<alpha, alpha = 1.0>")),
              HasSubstr("declares the attribute \"alpha\" twice"));
  EXPECT_THAT(errorOf("", "= A<k: float = @alpha>(x)"),
              HasSubstr("refers to the attribute \"alpha\" of a function, but "
                        "is in none"));
}

TEST(Attributes, HaveTheValueOfTheirType) {
  const ReadResult result = readText(withHeader(
      "graph () => () { = A<i = -5, f = 0.5, s = \"a\", is = [1, 2], fs = "
      "[1.0], ss = [\"b\"], none: ints = [], t = int64[2] {3, 4}, tp = type "
      "float[n]>() }"));
  ASSERT_TRUE(result.model) << result.error();
  const Node &node = result.model->graph.nodes[0];
  const auto at = [&](const char *name) -> const Attribute & {
    return *node.findAttribute(name);
  };
  EXPECT_EQ(at("i").i, -5);
  EXPECT_EQ(at("f").f, 0.5F);
  EXPECT_EQ(at("s").s, "a");
  EXPECT_EQ(at("is").ints, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(at("fs").floats, std::vector<float>{1});
  EXPECT_EQ(at("ss").strings, std::vector<std::string>{"b"});
  EXPECT_EQ(at("none").type, AttributeType::Ints);
  EXPECT_EQ(valuesOf<int64_t>(*result.model, at("t").tensors[0]),
            (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(at("tp").types[0].dims[0].param, "n");
  EXPECT_EQ(node.findAttribute("absent"), nullptr);
}

TEST(Attributes, MayLeaveOutAZero) {
  // AttributeProto: name "a" (1), type INT (20: 2) and no i.
  const ReadResult result = readBytes(fromHex(
      "08 08 42 02 10 11 3a 10 0a 0e 22 02 4f70 2a 08 0a 01 61 a0 01 02"));
  EXPECT_THAT(result.error(), HasSubstr("E0101"));
  const ReadResult exact = readBytes(fromHex(
      "08 08 42 02 10 11 3a 0e 0a 0c 22 02 4f70 2a 06 0a 01 61 a0 01 02"));
  ASSERT_TRUE(exact.model) << exact.error();
  EXPECT_EQ(exact.model->graph.nodes[0].attributes[0].i, 0);
  EXPECT_EQ(exact.model->graph.nodes[0].attributes[0].type, AttributeType::Int);
}

TEST(Attributes, OfAnotherTypeAreRefused) {
  // Type INT (20: 2) with f (2); type TENSOR (4) with nothing; twice t (5).
  const auto error = [](const std::string &hex) {
    return readBytes(fromHex("08 08 42 02 10 11 3a" + hex)).error();
  };
  EXPECT_THAT(error("10 0a 0e 22 02 4f70 2a 08 a0 01 02 15 00000000"),
              HasSubstr("its type is int, it has a value of another type"));
  EXPECT_THAT(error("0b 0a 09 22 02 4f70 2a 03 a0 01 04"),
              HasSubstr("its type is tensor, it has no value"));
  EXPECT_THAT(error("17 0a 15 22 02 4f70 2a 0f a0 01 04"
                    "2a 04 08 00 10 01 2a 04 08 00 10 01"),
              HasSubstr("its type is tensor, it has several values"));
  // Both a reference (21) and a value.
  EXPECT_THAT(error("0e 0a 0c 22 02 4f70 2a 06 aa 01 01 61 18 05"),
              HasSubstr("it refers to an attribute of its function and has a "
                        "value too"));
}

} // namespace
