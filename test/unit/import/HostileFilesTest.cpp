// Damaged and hostile files: one clear error, no crash, no large allocation.
#include "TestModel.h"

#include <random>
#include <sys/stat.h>

using namespace rubato::onnx;
using namespace rubato::onnx::test;

TEST(HostileFiles, NotAModel) {
  for (std::string bytes : {std::string(), std::string("\x08", 1),
                            std::string(64, '\xff'), std::string("hello\n")}) {
    Diagnostics diagnostics("m.onnx");
    EXPECT_FALSE(loadModel(bytes, "m.onnx", diagnostics));
    EXPECT_EQ(diagnostics.exitCode(), 1);
    EXPECT_NE(diagnostics.str().find("not an ONNX model"), std::string::npos);
  }
}

TEST(HostileFiles, MissingFolderPipe) {
  Folder folder;
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  for (const std::string &path :
       {folder.file("none.onnx"), folder.path.string(), folder.file("pipe")}) {
    Diagnostics diagnostics(path);
    EXPECT_FALSE(loadModel(path, diagnostics));
    EXPECT_NE(diagnostics.str().find("cannot be read"), std::string::npos);
  }
}

TEST(HostileFiles, EveryTruncationIsRefusedOrSound) {
  std::string bytes = smallModel().SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    Diagnostics diagnostics("m.onnx");
    auto model =
        loadModel(std::string_view(bytes).substr(0, size), "", diagnostics);
    EXPECT_EQ(model.has_value(), !diagnostics.failed()) << size;
  }
}

TEST(HostileFiles, EveryBitFlipIsRefusedOrSound) {
  std::string bytes = smallModel().SerializeAsString();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    Diagnostics diagnostics("m.onnx");
    auto model = loadModel(flipped, "", diagnostics);
    EXPECT_EQ(model.has_value(), !diagnostics.failed()) << bit;
  }
}

TEST(HostileFiles, RandomDamageOfExportedModels) {
  std::mt19937 random(7);
  for (const char *name : {"exported_new18.onnx", "exported_new_external.onnx",
                           "exported_old17_eval.onnx", "built_reshapes.onnx"}) {
    std::string path = std::string(RUBATO_MODELS) + "/" + name;
    std::ifstream stream(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    ASSERT_FALSE(bytes.empty());
    for (int round = 0; round < 500; ++round) {
      std::string damaged = bytes;
      for (int i = 0; i < 4; ++i)
        damaged[random() % damaged.size()] = static_cast<char>(random());
      Diagnostics diagnostics(name);
      auto model = loadModel(damaged, path, diagnostics);
      EXPECT_EQ(model.has_value(), !diagnostics.failed());
    }
  }
}

TEST(HostileFiles, Versions) {
  proto::Model file = smallModel();
  file.set_ir_version(6);
  expectRefused(file, "has IR version 6; Rubato reads 7 and newer");
  file = smallModel();
  file.mutable_opset_import(0)->set_version(12);
  expectRefused(file, "uses opset 12; Rubato reads 13 and newer");
  file.clear_opset_import();
  expectRefused(file, "does not say which opset");
}

TEST(HostileFiles, Shapes) {
  int64_t huge = int64_t(1) << 40;
  for (std::vector<int64_t> dims : {std::vector<int64_t>{-1, 2},
                                    {huge, huge},
                                    {INT64_MAX},
                                    {INT64_MIN},
                                    {0, INT64_MAX, INT64_MAX}}) {
    proto::Model file = smallModel();
    proto::Tensor &w = *file.mutable_graph()->mutable_initializer(0);
    w.mutable_dims()->Assign(dims.begin(), dims.end());
    expectRefused(file, "initializer 'w': error: has a negative or absurdly "
                        "large shape");
  }
  proto::Model file = smallModel();
  file.mutable_graph()->mutable_initializer(0)->set_dims(0, 1 << 20);
  expectRefused(file, "has 16 bytes of data, its shape asks for 8388608");
  file.mutable_graph()->mutable_initializer(0)->clear_raw_data();
  expectRefused(file, "has 0 values, its shape asks for 2097152");
  file = smallModel();
  file.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(1)
      ->set_dim_value(-3);
  expectRefused(file, "input 'x': error: has the dimension -3");
}

TEST(HostileFiles, Types) {
  for (auto [type, name] : {std::pair(10, "float16"),
                            {16, "bfloat16"},
                            {8, "string"},
                            {99, "an unknown type"}}) {
    proto::Model file = smallModel();
    file.mutable_graph()->mutable_initializer(0)->set_data_type(type);
    Diagnostics diagnostics("m.onnx");
    EXPECT_FALSE(loadModel(file.SerializeAsString(), "", diagnostics));
    EXPECT_EQ(diagnostics.exitCode(), 3);
    EXPECT_NE(diagnostics.str().find(name), std::string::npos);
  }
}

TEST(HostileFiles, Names) {
  proto::Model file = smallModel();
  file.mutable_graph()->mutable_node(1)->set_input(0, "nowhere");
  expectRefused(file, "node 's_node' (Add): error: uses 'nowhere', which "
                      "nothing defines");
  file = smallModel();
  file.mutable_graph()->mutable_node(1)->set_output(0, "h");
  expectRefused(file, "defines 'h' a second time");
  file = smallModel();
  addTensor(*file.mutable_graph(), "w", {1}, {1});
  expectRefused(file, "initializer 'w': error: defines 'w' a second time");
  file = smallModel();
  file.mutable_graph()->mutable_output(0)->set_name("lost");
  expectRefused(file, "output 'lost': error: is defined by no node");
}

TEST(HostileFiles, Cycle) {
  proto::Model file = smallModel();
  proto::Graph &graph = *file.mutable_graph();
  graph.mutable_node(0)->set_input(0, "s"); // h needs s, s needs h
  expectRefused(file, "depends on its own output: the graph has a cycle");
  // The node named is one of the cycle, not one behind it.
  std::string text;
  EXPECT_FALSE(load(file, &text));
  EXPECT_EQ(text.find("'out_node'"), std::string::npos) << text;
}

namespace {
/// A model whose `w` lies in a file beside it.
struct External : testing::Test {
  void point(const std::string &location, const std::string &offset = "0",
             const std::string &length = "16") {
    file = smallModel();
    proto::Tensor &w = *file.mutable_graph()->mutable_initializer(0);
    w.clear_raw_data();
    w.set_data_location(1);
    for (auto [key, value] : {std::pair("location", location),
                              {"offset", offset},
                              {"length", length}}) {
      proto::Entry &entry = *w.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
  }
  void refused(const std::string &message) {
    expectRefused(file, message, folder.file("models/m.onnx"));
  }
  void SetUp() override {
    std::filesystem::create_directory(folder.path / "models");
    folder.write("models/w.data", std::string(20, 'x'));
    folder.write("secret.data", std::string(20, 's'));
  }
  Folder folder;
  proto::Model file;
};
} // namespace

TEST_F(External, Outside) {
  for (std::string location :
       {std::string("../secret.data"), folder.file("secret.data"),
        std::string("a/../../secret.data"), std::string()}) {
    point(location);
    refused("outside the model's folder");
  }
}

TEST_F(External, OutsideThroughLinks) {
  namespace fs = std::filesystem;
  fs::create_symlink(folder.file("secret.data"), folder.file("models/link"));
  fs::create_directory_symlink(folder.path, folder.file("models/up"));
  for (const char *location : {"link", "up/secret.data"}) {
    point(location);
    refused("outside the model's folder");
  }
}

TEST_F(External, LinkInside) {
  std::filesystem::create_symlink("w.data", folder.file("models/link"));
  point("link");
  refused("behind a link");
}

TEST_F(External, BesideTheModel) {
  point("./w.data");
  EXPECT_TRUE(load(file, nullptr, folder.file("models/m.onnx")));
}

TEST_F(External, MissingOrNoFile) {
  point("none.data");
  refused("which cannot be opened");
  ASSERT_EQ(mkfifo(folder.file("models/pipe").c_str(), 0600), 0);
  point("pipe");
  refused("not a regular file");
}

TEST_F(External, Ranges) {
  point("w.data", "5");
  refused("lies at 5+16 of 'w.data', which has 20 bytes");
  point("w.data", "18446744073709551615");
  refused("which has 20 bytes");
  point("w.data", "-4");
  refused("external offset '-4', which is no number of bytes");
  point("w.data", "99999999999999999999");
  refused("which is no number of bytes");
  point("w.data", "0", "12");
  refused("has 12 bytes of external data, its shape asks for 16");
}

TEST_F(External, StandardInputHasNone) {
  point("w.data");
  expectRefused(file, "comes from standard input", "");
}

TEST_F(External, ManyTensorsOnTheSameBytes) {
  point("w.data");
  for (int i = 0; i < 64; ++i) {
    proto::Tensor &copy = *file.mutable_graph()->add_initializer();
    copy.CopyFrom(file.graph().initializer(0));
    copy.set_name("copy" + std::to_string(i));
  }
  refused("with too many other tensors");
}
