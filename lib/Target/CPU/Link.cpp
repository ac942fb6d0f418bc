// Linking with LLD in this process.
#include "rubato/Target/CPU/Link.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace rubato;

namespace {

/// Object files on disk for as long as the linker needs them.
class TemporaryObjects {
public:
  LogicalResult write(ArrayRef<StringRef> objects, EmitError emitError) {
    for (StringRef bytes : objects) {
      SmallString<128> path;
      int descriptor;
      if (std::error_code code = llvm::sys::fs::createTemporaryFile(
              "rubato", "o", descriptor, path))
        return emitError() << "cannot create a temporary object file: "
                           << code.message();
      removers.push_back(std::make_unique<llvm::FileRemover>(path));
      paths.push_back(path.str().str());
      llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
      stream << bytes;
      stream.close();
      if (stream.has_error()) {
        std::error_code code = stream.error();
        stream.clear_error();
        return emitError() << "cannot write '" << path
                           << "': " << code.message();
      }
    }
    return success();
  }

  SmallVector<std::string> paths;

private:
  SmallVector<std::unique_ptr<llvm::FileRemover>> removers;
};

LogicalResult runLinker(ArrayRef<std::string> arguments, StringRef output,
                        EmitError emitError) {
  SmallVector<const char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result =
      lld::lldMain(argv, llvm::nulls(), stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return success();
  // The first complaint is the cause; the rest mostly repeats it.
  auto [first, rest] = StringRef(messages).trim().split('\n');
  first.consume_front("ld.lld: ");
  first.consume_front("error: ");
  InFlightDiagnostic diagnostic = emitError();
  diagnostic << "cannot link '" << output << "': " << first;
  if (!rest.empty())
    diagnostic.attachNote() << rest;
  return diagnostic;
}

/// The linker maps its output, so a disk that fills up meanwhile would end us
/// by a signal, and it dies on devices that refuse bytes: look first. What goes
/// in is an upper bound of what comes out.
LogicalResult checkRoom(ArrayRef<std::string> inputs, StringRef output,
                        EmitError emitError) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(output, status) && output != "/dev/null" &&
      status.type() != llvm::sys::fs::file_type::regular_file)
    return emitError() << "cannot link '" << output
                       << "': it is not a regular file; name another with -o";
  uint64_t needed = 0, size = 0;
  for (const std::string &input : inputs)
    if (!llvm::sys::fs::file_size(input, size))
      needed += size;
  StringRef directory = llvm::sys::path::parent_path(output);
  auto space =
      llvm::sys::fs::disk_space(directory.empty() ? StringRef(".") : directory);
  if (space && space->available < needed)
    return emitError() << "cannot link '" << output << "': this may take "
                       << needed / 1000000 + 1 << " MB, but only "
                       << space->available / 1000000
                       << " MB are free there; make room or write elsewhere";
  return success();
}

/// A shared library of the system that every C program needs.
std::string findSystemLibrary(StringRef name) {
  for (StringRef directory :
       {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
        "/usr/lib64", "/usr/lib"}) {
    SmallString<128> path(directory);
    llvm::sys::path::append(path, name);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return {};
}

} // namespace

std::string rubato::linkFilesDirectory(StringRef executable) {
  SmallString<128> path(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(executable)));
  llvm::sys::path::append(path, "lib", "rubato");
  return path.str().str();
}

LogicalResult rubato::linkExecutable(ArrayRef<StringRef> objects,
                                     StringRef filesDirectory, StringRef output,
                                     EmitError emitError,
                                     const LinkOptions &options) {
  TemporaryObjects temporaries;
  if (failed(temporaries.write(objects, emitError)))
    return failure();
  SmallVector<std::string> arguments{"ld.lld",
                                     "-pie",
                                     "--eh-frame-hdr",
                                     "--hash-style=gnu",
                                     "--gc-sections",
                                     "--icf=safe",
                                     "-O2",
                                     options.symbols ? "--strip-debug"
                                                     : "--strip-all",
                                     "-z",
                                     "relro",
                                     "-dynamic-linker",
                                     "/lib64/ld-linux-x86-64.so.2",
                                     "-o",
                                     output.str()};
  auto file = [&](StringRef name) {
    SmallString<128> path(filesDirectory);
    llvm::sys::path::append(path, name);
    arguments.push_back(path.str().str());
    return llvm::sys::fs::exists(path);
  };
  auto missing = [&](StringRef name) {
    return emitError() << "cannot link '" << output << "': '" << name
                       << "' is missing from '" << filesDirectory
                       << "'; the installation is incomplete";
  };
  for (StringRef name : {"Scrt1.o", "crti.o", "crtbeginS.o"})
    if (!file(name))
      return missing(name);
  llvm::append_range(arguments, temporaries.paths);

  // The runtime, the C++ library and what the runtime was built with. There are
  // two mains; what the one that is taken does not refer to stays away.
  StringRef otherMain =
      options.simulator ? "librubato_core_main.a" : "librubato_train_main.a";
  SmallVector<std::string> archives;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(filesDirectory, code), end;
       it != end && !code; it.increment(code))
    if (StringRef(it->path()).ends_with(".a") &&
        llvm::sys::path::filename(it->path()) != otherMain)
      archives.push_back(it->path());
  llvm::sort(archives);
  arguments.push_back("--start-group");
  llvm::append_range(arguments, archives);
  for (StringRef name : {"libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"}) {
    std::string path = findSystemLibrary(name);
    if (path.empty())
      return emitError() << "cannot link '" << output << "': this machine has "
                         << "no " << name << " in the usual places";
    arguments.push_back(path);
  }
  arguments.push_back("--end-group");
  for (StringRef name : {"crtendS.o", "crtn.o"})
    if (!file(name))
      return missing(name);
  if (failed(checkRoom(arguments, output, emitError)))
    return failure();
  return runLinker(arguments, output, emitError);
}

LogicalResult rubato::linkShared(ArrayRef<StringRef> objects, StringRef output,
                                 EmitError emitError) {
  TemporaryObjects temporaries;
  if (failed(temporaries.write(objects, emitError)))
    return failure();
  SmallVector<std::string> arguments{"ld.lld", "-shared", "-o", output.str()};
  llvm::append_range(arguments, temporaries.paths);
  return runLinker(arguments, output, emitError);
}
