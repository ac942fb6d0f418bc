// A rendezvous of the strands of one member.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

namespace rubato {

class Meeting {
public:
  /// The strands that ever meet here.
  explicit Meeting(std::vector<int> strands) : running(std::move(strands)) {}

  enum class Outcome { Met, Alone, Abandoned };

  /// Waits for another strand; alone once all the others have ended.
  Outcome meet(int strand);

  /// This strand will not come any more.
  void ended(int strand);
  /// Nobody waits here any more.
  void abandon();

private:
  bool hasSibling(int strand) const;

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> running;
  bool someoneWaits = false, abandoned = false;
  int64_t meetings = 0;
};

} // namespace rubato
