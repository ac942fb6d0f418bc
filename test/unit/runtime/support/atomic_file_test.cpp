// A file is replaced as a whole or not at all.
#include "support/atomic_file.h"

#include "../common/scratch_dir.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace rubato;

TEST(AtomicFile, WritesPartsInOrder) {
  ScratchDir dir;
  ASSERT_TRUE(writeFileAtomically(dir.file("f"), {{"ab", 2}, {"c", 1}}));
  ASSERT_TRUE(writeFileAtomically(dir.file("f"), {{"de", 2}}));
  EXPECT_EQ(readFile(dir.file("f")), "de");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(AtomicFile, NamesTheFileItCannotWrite) {
  ScratchDir dir;
  Status status = writeFileAtomically(dir.file("no/f"), {{"a", 1}});
  EXPECT_EQ(status.code(), ErrorCode::User);
  EXPECT_NE(status.message().find("no/f': No such file"), std::string::npos);
}

TEST(AtomicFile, KeepsTheOldFileWhenThereIsNoRoom) {
  ScratchDir dir;
  ASSERT_TRUE(writeFileAtomically(dir.file("f"), {{"old", 3}}));
  // A limit on file sizes acts like a full disk; in a process of its own.
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string big(100000, 'x');
    Status status =
        writeFileAtomically(dir.file("f"), {{big.data(), big.size()}});
    bool clear = !status &&
                 status.message().find("free some space") != std::string::npos;
    _exit(clear ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(readFile(dir.file("f")), "old");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(AtomicFile, WritesToAPipeInsteadOfReplacingIt) {
  ScratchDir dir;
  std::string path = dir.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  int reader = open(path.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(writeFileAtomically(path, {{"ab", 2}, {"c", 1}}));
  char text[4] = {};
  EXPECT_EQ(read(reader, text, 3), 3);
  EXPECT_STREQ(text, "abc");
  close(reader);
  struct stat info = {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_TRUE(S_ISFIFO(info.st_mode));
}
