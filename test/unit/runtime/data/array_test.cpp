// Readers of IDX and npy, plain and gzipped, and what they refuse.
#include "data/array.h"
#include "data/files.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace rubato;
using namespace rubato::test;

namespace {

template <class T> T element(const Array &array, int64_t i) {
  T value;
  std::memcpy(&value, array.data + i * sizeof(T), sizeof(T));
  return value;
}

/// Loads `bytes` and expects an error that holds `part` and the file's name.
void expectError(const std::string &bytes, const std::string &part) {
  Folder folder;
  Array array;
  Status status = loadArray(folder.write("bad.bin", bytes), array);
  ASSERT_FALSE(status) << "accepted: " << part;
  EXPECT_EQ(status.code(), ErrorCode::User);
  EXPECT_NE(status.message().find("bad.bin: "), std::string::npos);
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  EXPECT_EQ(array.data, nullptr);
}

TEST(Array, ReadsIdxBytes) {
  Folder folder;
  Array array;
  Status status = loadArray(folder.write("a", idx(8, {2, 3}, "abcdef")), array);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(array.type, ElementType::U8);
  EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(array.elementsPerSample(), 3);
  EXPECT_EQ(std::string(array.data, 6), "abcdef");
}

TEST(Array, SwapsIdxWords) {
  for (bool packed : {false, true}) {
    Folder folder;
    std::string bytes =
        idx(0x0C, {2}, std::string("\0\0\1\2\xff\xff\xff\xff", 8));
    Array array;
    Status status =
        loadArray(folder.write("a", packed ? gzip(bytes) : bytes), array);
    ASSERT_TRUE(status) << status.message();
    EXPECT_EQ(element<int32_t>(array, 0), 258);
    EXPECT_EQ(element<int32_t>(array, 1), -1);
  }
}

TEST(Array, ReadsGzippedIdxLargerThanTheHeaderWindow) {
  Folder folder;
  std::string data(300 * 1000, 'q');
  data.back() = 'z';
  Array array;
  Status status =
      loadArray(folder.write("a.gz", gzip(idx(8, {300, 1000}, data))), array);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(std::string(array.data, data.size()), data);
}

TEST(Array, ReadsConcatenatedGzipMembers) {
  Folder folder;
  std::string bytes = idx(8, {4}, "abcd");
  Array array;
  Status status = loadArray(
      folder.write("a.gz", gzip(bytes.substr(0, 5)) + gzip(bytes.substr(5))),
      array);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(std::string(array.data, 4), "abcd");
}

TEST(Array, ReadsEveryNpyTypeAndVersion) {
  struct Case {
    const char *descr;
    ElementType type;
    int64_t size;
  };
  for (auto [descr, type, size] :
       std::initializer_list<Case>{{"<f4", ElementType::F32, 4},
                                   {"<f8", ElementType::F64, 8},
                                   {"|i1", ElementType::I8, 1},
                                   {"|u1", ElementType::U8, 1},
                                   {"<i2", ElementType::I16, 2},
                                   {"<i4", ElementType::I32, 4},
                                   {"<i8", ElementType::I64, 8}})
    for (int version : {1, 2, 3}) {
      Folder folder;
      Array array;
      Status status = loadArray(
          folder.write("a.npy",
                       npy(descr, "(3, 2)", std::string(6 * size, 1), version)),
          array);
      ASSERT_TRUE(status) << descr << ": " << status.message();
      EXPECT_EQ(array.type, type);
      EXPECT_EQ(array.shape, (std::vector<int64_t>{3, 2}));
    }
}

TEST(Array, ReadsNpyValues) {
  Folder folder;
  Array array;
  ASSERT_TRUE(loadArray(
      folder.write("a.npy", npy("<f4", "(2,)", bytesOf<float>({1.5f, -2}))),
      array));
  EXPECT_EQ(element<float>(array, 0), 1.5f);
  EXPECT_EQ(element<float>(array, 1), -2.f);
}

TEST(Array, RefusesWrongMagic) {
  expectError("hello, world", "neither an IDX nor an npy");
  expectError(std::string("PK\3\4rest", 8), "zip archive");
  expectError("\1", "neither");
}

TEST(Array, RefusesDamagedIdx) {
  expectError(idx(8, {2, 3}, "abcde"), "implies 18");   // truncated
  expectError(idx(8, {2, 3}, "abcdefg"), "implies 18"); // trailing bytes
  expectError(idx(7, {2}, "ab"), "unknown IDX element type 7");
  expectError(idx(8, {2, 3}, "").substr(0, 9), "cut short inside");
  expectError(idx(8, {}, ""), "scalar");
  expectError(idx(8, {0, 3}, ""), "no elements");
  expectError(idx(8, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "a"), "at most 8");
  std::vector<uint32_t> huge(4, 0xffffffff);
  expectError(idx(8, huge, "a"), "impossible shape");
}

TEST(Array, RefusesDamagedNpy) {
  std::string four(16, 'x');
  expectError(npy("<f4", "(2, 3)", four), "implies");
  expectError(npy("<f4", "(2, 1)", four), "implies");
  expectError(npy(">f4", "(4,)", four), "little-endian");
  expectError(npy("<c8", "(2,)", four), "astype");
  expectError(npy("<f4", "()", four), "scalar");
  expectError(npy("<f4", "(-4,)", four), "cannot be read");
  expectError(npy("<f4", "(99999999999999999999,)", four), "cannot be read");
  expectError(npy("<f4", "(4294967296, 4294967296)", four), "impossible");
  expectError(npy("<f4", "(4,)", four, 9), "version 9");
  expectError(npy("<f4", "(4,)", four).substr(0, 30), "cut short inside");
  expectError(npyDict("{'descr': '<f4', 'fortran_order': True, "
                      "'shape': (4,), }\n",
                      four),
              "ascontiguousarray");
  expectError(npyDict("{'descr': [('a', '<f4')], 'fortran_order': False, "
                      "'shape': (4,), }\n",
                      four),
              "structured");
  expectError(npyDict("{'descr': '<f4', 'shape': (4,), }\n", four),
              "cannot be read");
  expectError(npyDict("{'descr': '<f4", four), "structured");
  expectError(npyDict("", four), "cannot be read");
  std::string longHeader = npy("<f4", "(4,)", four, 2);
  longHeader[11] = 0x7f; // a header of 2 GB
  expectError(longHeader, "header of");
}

TEST(Array, RefusesDamagedGzip) {
  std::string good = gzip(idx(8, {2, 3}, "abcdef"));
  for (size_t cut : {size_t{3}, size_t{12}, good.size() - 8, good.size() - 1})
    expectError(good.substr(0, cut), "cut short");
  expectError(good + "garbage", "gzip");
  std::string flipped = good;
  flipped[flipped.size() - 6] ^= 1; // the checksum
  expectError(flipped, "damaged gzip");
  expectError(gzip("hello, world"), "neither");
}

TEST(Array, RefusesGzipOfTheWrongSize) {
  expectError(gzip(idx(8, {2, 3}, "abcdefg")), "implies 18");
  expectError(gzip(idx(8, {2, 3}, "abcde")), "implies 18");
  // Large both ways: unpacked size above and below what the header says.
  std::string zeros(1 << 20, '\0');
  expectError(gzip(idx(8, {1 << 19}, zeros)), "more than");
  expectError(gzip(idx(8, {1 << 20, 2}, zeros)), "implies");
  // A header that implies far more than the packed bytes could hold.
  expectError(gzip(idx(8, {0xffffffff, 1000}, "a")), "at most");
}

TEST(Array, RefusesWhatIsNotAFile) {
  Folder folder;
  Array array;
  EXPECT_NE(loadArray(folder.file("none"), array).message().find("No such"),
            std::string::npos);
  EXPECT_NE(loadArray(folder.path, array).message().find("not a regular"),
            std::string::npos);
  EXPECT_NE(loadArray(folder.write("empty", ""), array).message().find("empty"),
            std::string::npos);
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(loadArray(folder.file("pipe"), array));
}

/// Every prefix and every flipped byte of the head: an error or an array,
/// never a crash (the sanitizer build gives this test its teeth).
TEST(Array, SurvivesMutations) {
  Folder folder;
  for (const std::string &good :
       {idx(8, {2, 3}, "abcdef"), npy("<f4", "(2, 2)", std::string(16, 'x')),
        gzip(idx(8, {2, 3}, "abcdef"))}) {
    for (size_t i = 0; i < good.size(); ++i) {
      Array array;
      (void)loadArray(folder.write("p", good.substr(0, i)), array);
      for (int bit = 0; bit < 8; ++bit) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
        Array other;
        if (loadArray(folder.write("m", bad), other)) {
          EXPECT_LE(other.samples() * other.elementsPerSample() *
                        elementBytes(other.type),
                    64);
        }
      }
    }
  }
}

} // namespace
