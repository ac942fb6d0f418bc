// The reader of a unit's manifest: from JSON to Unit, with every place checked
// against its region, so that nothing later needs to.
#pragma once

#include "unit/json_reader.h"
#include "unit/unit.h"

namespace rubato {

/// Reads the manifest. The first problem is kept and ends the reading of the
/// part it is in; the values read after it are never used.
class ManifestReader : JsonReader {
public:
  explicit ManifestReader(Unit &unit)
      : JsonReader("manifest of the unit",
                   "this is a bug of the compiler or a damaged executable"),
        unit(unit) {}
  Status read(const json &root);

private:
  /// "cells[2]"
  static std::string item(const std::string &list, size_t index) {
    return list + "[" + std::to_string(index) + "]";
  }
  rb_dtype dtype(const json &in, const std::string &where, const char *key);
  std::vector<int64_t> shape(const json &in, const std::string &where,
                             int64_t &count);

  // Parts of the manifest, in this order.
  void readHead(const json &root);
  void readCells(const json &root);
  void readLayout(const json &root);
  void readBatch(const json &root);
  BatchBuffer readBuffer(const json &in, const std::string &where, bool shaped);
  void readPlaces(const json &root);
  void readBuckets(const json &root);

  // Who runs what: manifest_program.cpp.
  void readProgram(const json &root);
  void readFunctions(const json &program);
  void readRoles(const json &program);
  StrandSpec readStrand(const json &in, const std::string &where);
  FrameSpec readFrame(const json &in, const std::string &where);
  void readChannels(const json &program);
  void readPolicies(const json &program);
  void readSettings(const json &in, const std::string &where,
                    PolicySpec &policy);
  policy::Entry readEntry(const json &in, const std::string &where);
  void readRendezvous(const json &program);
  const RoleSpec *roleNamed(const std::string &name) const;

  void checkFlatVectors();
  void checkSlots(const std::vector<Slot> &slots);

  /// A place that holds `count` elements, inside its region and aligned.
  Place place(const json &in, const std::string &where, rb_dtype type,
              int64_t count);
  rb_region region(const json &in, const std::string &where);
  void checkPlace(const Place &place, const std::string &where, rb_dtype type,
                  int64_t count);

  /// The bytes of somebody, in a region.
  struct Extent {
    Place place;
    int64_t bytes;
    std::string who;
  };
  void checkDisjoint(std::vector<Extent> extents);

  Unit &unit;
  std::vector<Extent> extents; // of cells and batch buffers
  std::vector<Extent> frames;  // of the role that is being read
};

} // namespace rubato
