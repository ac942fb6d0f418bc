// The futures of a member that are under way: what each is, and since when.
#pragma once

#include "environment/environment.h"
#include "program/waiting.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace rubato {

struct OpenFuture {
  FutureHandle handle = 0;
  Call what = Call::None;
  int channel = -1, peer = -1;
  int64_t round = 0; // in which it was started
};

/// Init may start what a strand awaits, and a strand what drain does; so
/// strands share the list.
class OpenFutures {
public:
  void add(const OpenFuture &future) {
    std::lock_guard lock(mutex);
    open.push_back(future);
  }
  /// The future of this handle; one of nothing if there is none.
  OpenFuture find(FutureHandle handle) {
    std::lock_guard lock(mutex);
    auto found = std::ranges::find(open, handle, &OpenFuture::handle);
    return found == open.end() ? OpenFuture() : *found;
  }
  /// The newest on a channel.
  OpenFuture newest(int channel) {
    std::lock_guard lock(mutex);
    auto found =
        std::find_if(open.rbegin(), open.rend(), [&](const OpenFuture &future) {
          return future.channel == channel;
        });
    return found == open.rend() ? OpenFuture() : *found;
  }
  void erase(FutureHandle handle) {
    std::lock_guard lock(mutex);
    std::erase_if(open, [&](const OpenFuture &future) {
      return future.handle == handle;
    });
  }

private:
  std::mutex mutex;
  std::vector<OpenFuture> open;
};

} // namespace rubato
