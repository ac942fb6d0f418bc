// Members as threads of this process: for tests and for debuggers.
#include "launch/crew.h"

#include <thread>
#include <vector>

using namespace rubato;

int rubato::runThreads(const Crew &crew) {
  std::atomic<int> first{-1}, running{crew.members};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < crew.members; ++rank)
    threads.emplace_back([&, rank] {
      Status status = crew.run(rank);
      crew.slots[rank].finish(status);
      int none = -1;
      if (!status && first.compare_exchange_strong(none, rank))
        crew.abort(rank);
      --running;
    });
  while (running.load() > 0 && crew.wait)
    crew.wait(std::chrono::milliseconds(5));
  for (std::thread &thread : threads)
    thread.join();
  if (first.load() < 0)
    return 0;
  int rank = causeOf(crew.slots, crew.members, first.load());
  return reportError(crew.slots[rank], rank);
}
