// Ctrl-C and SIGTERM: the first asks for a stop at the next round's end, the
// second is taken at its word.
#include "launch/job.h"

#include <csignal>

using namespace rubato;

// A handler has no other way to find its flag.
static std::atomic<int> *stopFlag;
static volatile std::sig_atomic_t received;

static_assert(std::atomic<int>::is_always_lock_free);

static void onSignal(int signal) {
  if (received) {
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    raise(signal); // delivered when the handler returns
    return;
  }
  received = 1;
  stopFlag->store(signal, std::memory_order_relaxed);
}

void rubato::stopOnSignals(std::atomic<int> &stop) {
  stopFlag = &stop;
  received = 0;
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A limit on file sizes shall be an error of write(), like a full disk.
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
}
