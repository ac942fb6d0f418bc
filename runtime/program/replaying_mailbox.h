// A mailbox of a replay: keeps what was pushed and granted until the log says
// who took it.
#pragma once

#include "fabric/mailbox_server.h"

#include <map>
#include <memory>
#include <vector>

namespace rubato {

/// A copy of values on their way.
struct ReplayedMessage {
  ReplayedMessage() = default;
  explicit ReplayedMessage(Parts parts)
      : shape(shapeOf(parts)), data(static_cast<size_t>(shape.bytes())) {
    pack(parts, data.data());
  }

  Shape shape;
  std::vector<char> data;
};

/// A copy of an upload: its large parts, one after another, and the rest.
struct ReplayedUpload {
  explicit ReplayedUpload(Parts parts);

  Shape shape;
  Layout layout;
  std::vector<char> data;
};

/// The server's end judges, adds and counts as in a real run. Only the order
/// of arrival is not a matter of time: `who` of a collect is known.
class ReplayedMailbox {
public:
  ReplayedMailbox(int members, int server, int64_t exempt, int64_t ahead);

  void push(int rank, int64_t ticket, Parts ins);

  /// The first worker of `who` whose upload is not there yet, as a rank; -1:
  /// all are.
  int missing(int64_t who) const;
  /// Takes exactly these. What is wrong is said without who and where.
  Status collect(int64_t who, int64_t first, bool byStaleness, Parts outs);
  void grant(bool toAll, int64_t staleAfter, Parts ins);
  void close();

  /// What `rank` was granted under a ticket; null: nothing yet.
  const ReplayedMessage *granted(int rank, int64_t ticket) const;
  /// It has been pulled: older ones never will be.
  void pulled(int rank, int64_t ticket);

private:
  class Uploads;

  struct Worker {
    int64_t ticket = 0; // the newest
    std::map<int64_t, ReplayedUpload> uploads;
    std::map<int64_t, std::shared_ptr<const ReplayedMessage>> grants;
  };
  Worker &workerOf(int rank) {
    return workers[static_cast<size_t>(rank - (rank > server))];
  }
  const Worker &workerOf(int rank) const {
    return workers[static_cast<size_t>(rank - (rank > server))];
  }

  int server; // rank
  MailboxServer ledger;
  std::vector<Worker> workers;
};

} // namespace rubato
