// SPDX-License-Identifier: Apache-2.0
//
// Names and order of values, and versions.

#include "Support.h"

#include "spyre/OnnxFile/Validate.h"

#include <gmock/gmock.h>

using namespace spyre;
using namespace spyre::onnxfile;
using namespace spyre::onnxfile::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string errorOf(std::string_view graph) {
  return readText(withHeader(graph)).error();
}

Model read(std::string_view graph) {
  ReadResult result = readText(withHeader(graph));
  EXPECT_TRUE(result.model) << result.error();
  return result.model ? std::move(*result.model) : Model();
}

TEST(GraphOrder, SortedNodesStay) {
  // B depends on nothing and could stand first.
  const Model model = read("graph (float x) => (float y) "
                           "{ a = A(x) b = B(x) c = C(a) y = D(c, b) }");
  EXPECT_EQ(operators(model.graph.nodes), "A B C D");
}

TEST(GraphOrder, UsersComeAfterWhatTheyUse) {
  // D needs B and C, which need A; E was last and stays so.
  const Model model = read("graph (float x) => (float y, float z) { y = D(b, c)"
                           " c = C(a) b = B(a) a = A(x) z = E(x) }");
  EXPECT_EQ(operators(model.graph.nodes), "A B C D E");
  // The places in the file are kept.
  std::vector<int64_t> indices;
  for (const Node &node : model.graph.nodes) {
    indices.push_back(node.index);
  }
  EXPECT_THAT(indices, ElementsAre(3, 2, 1, 0, 4));
}

TEST(GraphOrder, ASubgraphNeedsWhatItUsesOfGraphsAround) {
  const Model model =
      read("graph (bool[] c, float x) => (float y) { y = If<then_branch = graph"
           " () => (float t) { t = T(a) }, else_branch = graph () => (float e) "
           "{ e = If<then_branch = graph () => (float f) { f = F(b) }, "
           "else_branch = graph () => (float x) { }>(c) }>(c) "
           "a = A(b) b = B(x) }");
  EXPECT_EQ(operators(model.graph.nodes), "B A If");
  const std::vector<Attribute> &branches = model.graph.nodes[2].attributes;
  EXPECT_THAT(branches[0].graphs[0].captures, ElementsAre("a"));
  // Those of the inner graphs, then the inner node's input.
  EXPECT_THAT(branches[1].graphs[0].captures, ElementsAre("c", "b", "x"));
  EXPECT_THAT(model.graph.captures, ElementsAre());
}

TEST(GraphOrder, CyclesAreNamed) {
  const std::string text =
      errorOf("graph (float x) => (float y) { ok = Ok(x) [\"first\"] a = A(c) "
              "[\"second\"] b = B(a) c = C(b) y = D(c) }");
  EXPECT_THAT(text, HasSubstr("E0106"));
  EXPECT_THAT(text, HasSubstr("node \"first\" (A) -> node \"second\" (B) -> "
                              "node 3 (C) -> node \"first\" (A)"));
  EXPECT_THAT(errorOf("graph () => (float y) { y = A(y) }"),
              HasSubstr("node 0 (A) -> node 0 (A)"));
  // Through a subgraph.
  EXPECT_THAT(errorOf("graph (bool[] c) => (float y) { y = If<then_branch = "
                      "graph () => (float t) { t = T(z) }>(c) z = Z(y) }"),
              HasSubstr("cycle"));
  // A long one is cut.
  std::string longCycle = "graph () => () { ";
  for (int i = 0; i < 100; ++i) {
    longCycle += "v" + std::to_string(i) + " = A(v" +
                 std::to_string((i + 1) % 100) + ") ";
  }
  EXPECT_THAT(errorOf(longCycle + "}"), HasSubstr("-> ..."));
}

TEST(GraphOrder, LongChainsNeedNoStack) {
  // 100000 nodes in reverse order.
  std::string text = "graph (float v0) => (float v100000) {";
  for (int i = 100000; i > 0; --i) {
    text += " v" + std::to_string(i) + " = A(v" + std::to_string(i - 1) + ")";
  }
  const Model model = read(text + " }");
  ASSERT_EQ(model.graph.nodes.size(), 100000U);
  EXPECT_EQ(model.graph.nodes.front().outputs[0], "v1");
  EXPECT_EQ(model.graph.nodes.back().outputs[0], "v100000");
}

TEST(GraphNames, OneDefinition) {
  EXPECT_THAT(errorOf("graph (float x) => () { [\"p\"] a = A(x) b, a = B(x) }"),
              HasSubstr("\"a\" is defined twice in graph \"\": by node \"p\" "
                        "(A) and by node 1 (B)"));
  EXPECT_THAT(errorOf("graph (float x) => () { x = A() }"),
              HasSubstr("by an input and by node 0 (A)"));
  EXPECT_THAT(errorOf("graph () => () <float[1] w = {1}> { w = A() }"),
              HasSubstr("by an initializer and by node 0 (A)"));
  EXPECT_THAT(errorOf("graph () => () { a, a = A() }"),
              HasSubstr("defined twice"));
  EXPECT_THAT(errorOf("graph (float x, float x) => () { }"),
              HasSubstr("two inputs of graph \"\" are named \"x\""));
  EXPECT_THAT(errorOf("graph () => () <float[1] w = {1}, float[1] w = {1}> "
                      "{ }"),
              HasSubstr("two initializers of graph \"\" are named \"w\""));
  EXPECT_THAT(errorOf("graph (float x) => (float x, float x) { }"),
              HasSubstr("two outputs of the model are named \"x\""));
  EXPECT_THAT(errorOf("graph () => () { = A<k = 1, k = 2>() }"),
              HasSubstr("node 0 (A) has the attribute \"k\" twice"));
}

TEST(GraphNames, AnInitializerIsTheDefaultOfAnInput) {
  const Model model =
      read("graph (float[1] x = {1}) => (float[1] x) { y = A(x) }");
  EXPECT_EQ(model.graph.inputs.size(), 1U);
  EXPECT_EQ(model.graph.initializers.size(), 1U);
}

TEST(GraphNames, SomeAreNeeded) {
  EXPECT_THAT(errorOf("graph (float \"\") => () { }"),
              HasSubstr("an input of graph \"\" has no name"));
  EXPECT_THAT(errorOf("graph () => () <float[1] \"\" = {1}> { }"),
              HasSubstr("an initializer of graph \"\" has no name"));
  EXPECT_THAT(errorOf("graph () => (float \"\") { }"),
              HasSubstr("which nothing defines"));
  EXPECT_THAT(errorOf("graph () => () { = \"\"() }"),
              HasSubstr("it names no operator"));
}

TEST(GraphNames, EveryUndefinedNameIsListed) {
  const std::string text =
      errorOf("graph g (float x) => (float y) { a = A(x, p, q) "
              "b = If<then_branch = graph sub () => (float r) { }>(a) }");
  EXPECT_THAT(text, HasSubstr("E0106"));
  EXPECT_THAT(text, HasSubstr("node 0 (A) of graph \"g\" uses \"p\", which "
                              "nothing defines"));
  EXPECT_THAT(text, HasSubstr("note: also node 0 (A) of graph \"g\" uses "
                              "\"q\""));
  EXPECT_THAT(text, HasSubstr("note: also graph \"sub\" has the output \"r\""));
  EXPECT_THAT(text, HasSubstr("note: also graph \"g\" has the output \"y\""));
  std::string many = "graph () => () { = A(";
  for (int i = 0; i < 30; ++i) {
    many += (i == 0 ? "u" : ", u") + std::to_string(i);
  }
  // 10 are shown.
  EXPECT_THAT(errorOf(many + ") }"), HasSubstr("note: and 20 more"));
}

TEST(GraphNames, AreShownEscaped) {
  const std::string text =
      errorOf("graph () => () { = A(\"evil\\n\\x1b[31m\") }");
  EXPECT_THAT(text, HasSubstr("\"evil\\n\\x1b[31m\""));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(GraphNames, ASubgraphMayHideOnes) {
  // v of the body is its own; captured is only w.
  const Model model =
      read("graph (int64[] n, float w, float v) => (float y) { y = Loop<body = "
           "graph (int64[] i, float v) => (float w2, float u) { u = A(v) "
           "w2 = B(w) }>(n, v) }");
  EXPECT_THAT(model.graph.nodes[0].attributes[0].graphs[0].captures,
              ElementsAre("w"));
  // Defined by a node of the subgraph before it is used.
  EXPECT_EQ(errorOf("graph (bool[] c, float v) => (float y) { y = If<b = graph "
                    "() => (float t) { v = A() t = B(v) }>(c) }"),
            "accepted");
  // Used first: the outer or the inner v could be meant.
  EXPECT_THAT(errorOf("graph (bool[] c, float v) => (float y) { y = If<b = "
                      "graph () => (float t) { t = B(v) v = A() }>(c) }"),
              HasSubstr("node 0 (B) uses \"v\", which is ambiguous"));
  // Names of a subgraph do not reach outside.
  EXPECT_THAT(errorOf("graph (bool[] c) => (float t) { y = If<b = graph () => "
                      "(float t) { t = A() }>(c) }"),
              HasSubstr("has the output \"t\", which nothing defines"));
}

TEST(GraphDepth, IsLimited) {
  const auto nested = [](int depth) {
    std::string text = "graph () => () { }";
    for (int i = 1; i < depth; ++i) {
      text = "graph () => () { = If<b = " + text + ">() }";
    }
    return text;
  };
  EXPECT_EQ(errorOf(nested(kMaxGraphDepth)), "accepted");
  EXPECT_THAT(errorOf(nested(kMaxGraphDepth + 1)), HasSubstr("E0107"));
  // A model that does not come from a file is limited too.
  Expected<Model> model =
      text::parseModelText(withHeader(nested(kMaxGraphDepth + 1)), "test");
  ASSERT_TRUE(model);
  const Status status = validateModel(*model);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().str(), HasSubstr("more than 32 deep"));
}

TEST(GraphDepth, OfTypesToo) {
  std::string type = "float";
  for (int i = 0; i < 40; ++i) {
    type = "seq(" + type + ")";
  }
  EXPECT_THAT(errorOf("graph (" + type + " x) => () { }"), HasSubstr("E0107"));
}

TEST(ValueTypes, Dims) {
  const Model model =
      read("graph (float16[batch,4,?,-1] x, float s, seq(int64[]) q, _ n) => "
           "() { }");
  const Type &x = model.graph.inputs[0].type;
  EXPECT_EQ(x.elemType, DataType::Float16);
  ASSERT_EQ(x.dims.size(), 4U);
  EXPECT_EQ(x.dims[0].param, "batch");
  EXPECT_EQ(x.dims[1].value, 4);
  EXPECT_EQ(x.dims[2].kind, Dim::Kind::Unknown);
  // Some exporters write -1 for unknown.
  EXPECT_EQ(x.dims[3].kind, Dim::Kind::Unknown);
  EXPECT_FALSE(model.graph.inputs[1].type.hasShape);
  const Type &q = model.graph.inputs[2].type;
  EXPECT_EQ(q.kind, TypeKind::Sequence);
  EXPECT_TRUE(q.element[0].hasShape);
  EXPECT_TRUE(q.element[0].dims.empty());
  EXPECT_EQ(model.graph.inputs[3].type.kind, TypeKind::None);
  EXPECT_THAT(errorOf("graph (float[-2] x) => () { }"),
              HasSubstr("a dim is -2"));
  EXPECT_THAT(errorOf("graph (float[n,4611686018427387904] x) => () { }"),
              HasSubstr("2^63 or more bytes"));
}

TEST(Versions, OfTheIr) {
  const auto error = [](const std::string &version) {
    return readText("<ir_version: " + version +
                    ", opset_import: [\"\" : 17]> graph () => () { }")
        .error();
  };
  EXPECT_EQ(error("3"), "accepted");
  EXPECT_EQ(error("13"), "accepted");
  EXPECT_THAT(error("14"), HasSubstr("E0102"));
  EXPECT_THAT(error("14"), HasSubstr("is 14, at most 13"));
  EXPECT_THAT(error("0"), HasSubstr("is 0, expected 1 to 13"));
  EXPECT_THAT(error("-1"), HasSubstr("E0102"));
}

TEST(Versions, OfOperators) {
  const auto error = [](const std::string &opsets) {
    return readText("<ir_version: 8, opset_import: [" + opsets +
                    "]> graph () => () { = A() = com.microsoft.B() }")
        .error();
  };
  EXPECT_EQ(error("\"\" : 17, \"com.microsoft\" : 1"), "accepted");
  EXPECT_EQ(error("\"ai.onnx\" : 17, \"com.microsoft\" : 1, \"other\" : 3"),
            "accepted");
  EXPECT_EQ(error("\"ai.onnx\" : 17, \"\" : 17, \"com.microsoft\" : 1"),
            "accepted");
  EXPECT_THAT(error("\"ai.onnx\" : 17, \"\" : 18, \"com.microsoft\" : 1"),
              HasSubstr("in the versions 17 and 18"));
  EXPECT_THAT(error("\"\" : 17"),
              HasSubstr("node 1 (com.microsoft.B) is of domain "
                        "\"com.microsoft\", which the model does not import"));
  EXPECT_THAT(error(""), HasSubstr("node 0 (A) is of domain \"\""));
  EXPECT_THAT(error("\"\" : 0"), HasSubstr("version 0 of domain \"\""));
}

} // namespace
