#include "data/sample_queue.h"

#include <algorithm>
#include <cerrno>
#include <new>

using namespace rubato;

SampleQueue *SampleQueue::make(void *bytes, int64_t samples, int64_t returns) {
  auto *queue = new (bytes) SampleQueue;
  queue->samples = samples;
  queue->room = returns;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  // Who dies with the lock leaves the queue as it was or as it will be: the
  // counts are written last.
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&queue->mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  return queue;
}

void SampleQueue::lock() {
  if (pthread_mutex_lock(&mutex) == EOWNERDEAD)
    pthread_mutex_consistent(&mutex);
}

int64_t SampleQueue::look(std::span<int64_t> places, int64_t &returnsTaken,
                          int64_t &freshTaken) const {
  auto most = static_cast<int64_t>(places.size());
  int64_t epoch = (returnedCount ? returned()[0] : fresh) / samples;
  returnsTaken = freshTaken = 0;
  while (returnsTaken < std::min(most, returnedCount) &&
         returned()[returnsTaken] / samples == epoch)
    ++returnsTaken;
  std::copy_n(returned(), returnsTaken, places.begin());
  int64_t count = returnsTaken;
  while (count < most && (fresh + freshTaken) / samples == epoch)
    places[static_cast<size_t>(count++)] = fresh + freshTaken++;
  return count;
}

int64_t SampleQueue::take(std::span<int64_t> places) {
  int64_t back = 0, more = 0;
  lock();
  int64_t count = look(places, back, more);
  std::move(returned() + back, returned() + returnedCount, returned());
  returnedCount -= back;
  fresh += more;
  unlock();
  return count;
}

int64_t SampleQueue::peek(std::span<int64_t> places) {
  int64_t back = 0, more = 0;
  lock();
  int64_t count = look(places, back, more);
  unlock();
  return count;
}

Status SampleQueue::giveBack(std::span<const int64_t> places) {
  auto count = static_cast<int64_t>(places.size());
  lock();
  bool fits = count <= room - returnedCount;
  if (fits) {
    std::copy(places.begin(), places.end(), returned() + returnedCount);
    returnedCount += count;
    std::sort(returned(), returned() + returnedCount);
  }
  unlock();
  if (fits)
    return Status::ok();
  return {ErrorCode::Internal, "more than " + std::to_string(room) +
                                   " samples were given back to the queue"};
}
