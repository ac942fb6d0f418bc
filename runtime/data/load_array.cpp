// From a file to an Array: plain files are mapped, gzipped ones unpacked.
#include "data/array.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

using namespace rubato;

namespace {

/// Unpacks gzip members one after the other, never past the caller's buffer.
class Gunzip {
public:
  explicit Gunzip(const Mapping &packed) : packed(packed) {
    ready = inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK;
  }
  ~Gunzip() {
    if (ready)
      inflateEnd(&stream);
  }
  Gunzip(const Gunzip &) = delete;
  Gunzip &operator=(const Gunzip &) = delete;

  /// Writes up to `size` bytes; fewer only at the end of the data.
  Status read(char *to, size_t size, size_t &written) {
    written = 0;
    if (!ready)
      return Status::user("cannot start unpacking: out of memory");
    while (written < size && !done) {
      constexpr size_t chunk = 1 << 30; // zlib counts in unsigned int
      stream.next_in = reinterpret_cast<unsigned char *>(packed.data()) + used;
      stream.avail_in =
          static_cast<uInt>(std::min(chunk, packed.size() - used));
      stream.next_out = reinterpret_cast<unsigned char *>(to) + written;
      stream.avail_out = static_cast<uInt>(std::min(chunk, size - written));
      uInt in = stream.avail_in, out = stream.avail_out;
      int result = inflate(&stream, Z_NO_FLUSH);
      used += in - stream.avail_in;
      written += out - stream.avail_out;
      if (result == Z_STREAM_END) {
        done = used == packed.size();
        if (!done && inflateReset(&stream) != Z_OK)
          return Status::user("cannot be unpacked");
      } else if (result == Z_BUF_ERROR || (result == Z_OK && in == 0)) {
        return Status::user("is cut short: its gzip data end too early");
      } else if (result != Z_OK) {
        return Status::user(std::string("has damaged gzip data") +
                            (stream.msg ? std::string(" (") + stream.msg + ")"
                                        : std::string()));
      }
    }
    return Status::ok();
  }

private:
  const Mapping &packed;
  z_stream stream = {};
  size_t used = 0;
  bool ready = false, done = false;
};

Status parseHeader(const char *data, size_t size, ArrayHeader &header) {
  auto *bytes = reinterpret_cast<const unsigned char *>(data);
  if (size >= 6 && std::memcmp(bytes, "\x93NUMPY", 6) == 0)
    return parseNpyHeader(bytes, size, header);
  if (size >= 4 && bytes[0] == 0 && bytes[1] == 0)
    return parseIdxHeader(bytes, size, header);
  if (size >= 4 && std::memcmp(bytes, "PK\3\4", 4) == 0)
    return Status::user("is a zip archive (npz?); unpack it and give one .npy "
                        "file per input");
  return Status::user("is neither an IDX nor an npy file (wrong magic bytes); "
                      "save the array with numpy.save");
}

Status sizeMismatch(const ArrayHeader &header, const std::string &actual) {
  return Status::user("holds " + actual + " bytes, but its header (" +
                      elementName(header.type) + " " + shapeText(header.shape) +
                      ") implies " +
                      std::to_string(header.dataOffset + header.dataBytes) +
                      "; the file is damaged, fetch it again");
}

/// Unpacks into pages that hold the header and exactly what it implies.
Status loadGzip(const Mapping &packed, ArrayHeader &header,
                std::shared_ptr<Mapping> &owner) {
  Gunzip gunzip(packed);
  std::string head(maxHeaderBytes, '\0');
  size_t headSize = 0;
  RB_TRY(gunzip.read(head.data(), head.size(), headSize));
  RB_TRY(parseHeader(head.data(), headSize, header));

  // Deflate packs at most 1032 to 1, so a header that implies more lies, and
  // is found out before any memory is asked for.
  auto limit = static_cast<int64_t>(packed.size()) * 1032;
  if (header.dataBytes > limit)
    return sizeMismatch(header, "at most " + std::to_string(limit));
  auto total = static_cast<size_t>(header.dataOffset + header.dataBytes);
  if (headSize > total)
    return sizeMismatch(header, "more than " + std::to_string(total));
  RB_TRY(Mapping::anonymous(total, "unpacking", owner));
  std::memcpy(owner->data(), head.data(), headSize);
  size_t written = 0, extra = 0;
  RB_TRY(gunzip.read(owner->data() + headSize, total - headSize, written));
  if (headSize + written != total)
    return sizeMismatch(header, std::to_string(headSize + written));
  // Reading on also makes zlib check the trailing checksum.
  RB_TRY(gunzip.read(head.data(), 1, extra));
  if (extra)
    return sizeMismatch(header, "more than " + std::to_string(total));
  return Status::ok();
}

void swapBytes(char *data, int64_t bytes, int64_t width) {
  for (char *p = data, *end = data + bytes; p != end; p += width)
    std::reverse(p, p + width);
}

Status load(const std::string &path, Array &array) {
  std::shared_ptr<Mapping> file;
  if (Status opened = Mapping::file(path, file); !opened)
    return opened;
  const char *bytes = file->data();
  ArrayHeader header;
  bool packed = file->size() >= 2 && std::memcmp(bytes, "\x1f\x8b", 2) == 0;
  Status status;
  if (packed) {
    status = loadGzip(*file, header, array.owner);
  } else {
    status = parseHeader(bytes, std::min(file->size(), maxHeaderBytes), header);
    auto size = static_cast<int64_t>(file->size());
    if (status && header.dataOffset + header.dataBytes != size)
      status = sizeMismatch(header, std::to_string(size));
    array.owner = file;
  }
  int64_t width = elementBytes(header.type);
  if (status && header.bigEndian && width > 1) {
    if (!packed) {
      auto size = file->size();
      status = Mapping::anonymous(size, "reading", array.owner);
      if (status)
        std::memcpy(array.owner->data(), bytes, size);
    }
    if (status)
      swapBytes(array.owner->data() + header.dataOffset, header.dataBytes,
                width);
  }
  if (!status)
    return std::move(status).annotate(path);
  array.file = path;
  array.type = header.type;
  array.shape = header.shape;
  array.data = array.owner->data() + header.dataOffset;
  return Status::ok();
}

} // namespace

Status rubato::loadArray(const std::string &path, Array &array) {
  Array loaded;
  RB_TRY(load(path, loaded));
  array = std::move(loaded);
  return Status::ok();
}
