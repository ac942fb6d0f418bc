// Files that are either whole or not there.
#pragma once

#include "support/status.h"

#include <cstddef>
#include <string>
#include <vector>

namespace rubato {

/// A piece of a file's content; not owned.
struct FilePart {
  const void *data = nullptr;
  size_t size = 0;
};

/// Writes `parts` one after the other to a temporary file next to `path`,
/// then renames it to `path`. On an error (a full disk, say) `path` is as it
/// was before and the temporary file is gone. What is no regular file, such as
/// /dev/stdout, is written to as it is.
Status writeFileAtomically(const std::string &path,
                           const std::vector<FilePart> &parts);

} // namespace rubato
