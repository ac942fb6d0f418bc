// The matcher's entries by name, and its saved state.
#include "policy/ask.h"
#include "policy/gossip_matcher.h"

namespace rubato::policy {

const std::vector<Entry> &GossipMatcher::entries() const {
  using enum ValueType;
  static const std::vector<Entry> list = {{"constants", {}, {F64, F64}},
                                          {"report", {I64, I64}, {I1}},
                                          {"next", {}, {I64, I64, I1}}};
  return list;
}

Status GossipMatcher::ask(std::string_view entry, Asker asker,
                          std::span<const Value> inputs,
                          std::span<Value> outputs) {
  RB_TRY(checkAsk(*this, entry, inputs, outputs));
  if (entry == "constants") {
    double eta = 0, alpha = 0;
    RB_TRY(constants(asker, eta, alpha));
    outputs[0] = eta;
    outputs[1] = alpha;
    return Status::ok();
  }
  if (entry == "report") {
    bool go = false;
    RB_TRY(report(asker, std::get<int64_t>(inputs[0]),
                  std::get<int64_t>(inputs[1]), go));
    outputs[0] = go;
    return Status::ok();
  }
  std::optional<Match> match;
  RB_TRY(offer(asker, match));
  if (!match)
    return pending();
  outputs[0] = match->peer;
  outputs[1] = match->tag;
  outputs[2] = match->go;
  return Status::ok();
}

void GossipMatcher::save(StateWriter &out) const {
  out.i64(options.members);
  for (const Member &member : state.members) {
    for (int64_t value :
         {int64_t(member.live), member.last, member.samples, member.nextCall,
          int64_t(member.answered), member.match.peer, member.match.tag,
          int64_t(member.match.go), member.reportCall, int64_t(member.reportGo),
          member.constantsCall, member.earlier})
      out.i64(value);
    out.f64(member.eta);
    out.f64(member.alpha);
  }
  out.i64s(usage ? usage->counts() : std::vector<int64_t>());
  out.i64s(state.waiting);
  out.i64(state.stopping);
  out.i64(state.matches);
  out.i64(state.repeats);
}

static bool readFlag(StateReader &in, bool &flag) {
  int64_t value = 0;
  if (!in.i64(value) || (value != 0 && value != 1))
    return false;
  flag = value;
  return true;
}

/// Whether the parts of a state agree: a damaged one must not send a member
/// to nobody, or let it wait for ever.
bool GossipMatcher::isSound(const State &state) {
  int64_t n = static_cast<int64_t>(state.members.size());
  std::vector<bool> queued(state.members.size());
  for (int64_t member : state.waiting) {
    if (member < 0 || member >= n || queued[static_cast<size_t>(member)])
      return false;
    queued[static_cast<size_t>(member)] = true;
  }
  for (size_t i = 0; i < state.members.size(); ++i) {
    const Member &member = state.members[i];
    if (queued[i] != (member.live && member.nextCall >= 0 && !member.answered))
      return false;
    if (member.last < -1 || member.last >= n || member.match.peer < -1 ||
        member.match.peer >= n || member.samples < 0 || member.earlier < 0)
      return false;
  }
  return state.repeats >= 0 && state.matches >= state.repeats;
}

Status GossipMatcher::load(StateReader &in) {
  auto damaged = [] {
    return Status::user("gossip.matcher: the saved state is damaged; take "
                        "another checkpoint");
  };
  int64_t members = 0;
  if (!in.i64(members))
    return damaged();
  if (members != options.members)
    return Status::user("gossip.matcher: the saved state is of " +
                        std::to_string(members) + " members, the group has " +
                        std::to_string(options.members) +
                        "; start the matcher afresh");
  State read;
  std::vector<int64_t> uses;
  read.members.resize(static_cast<size_t>(members));
  for (Member &member : read.members)
    if (!readFlag(in, member.live) || !in.i64(member.last) ||
        !in.i64(member.samples) || !in.i64(member.nextCall) ||
        !readFlag(in, member.answered) || !in.i64(member.match.peer) ||
        !in.i64(member.match.tag) || !readFlag(in, member.match.go) ||
        !in.i64(member.reportCall) || !readFlag(in, member.reportGo) ||
        !in.i64(member.constantsCall) || !in.i64(member.earlier) ||
        !in.f64(member.eta) || !in.f64(member.alpha))
      return damaged();
  if (!in.i64s(uses) || !in.i64s(read.waiting) ||
      !readFlag(in, read.stopping) || !in.i64(read.matches) ||
      !in.i64(read.repeats) || !isSound(read))
    return damaged();
  GossipMatcher made(*this);
  made.state = std::move(read);
  made.refresh();
  if (made.usage ? !made.usage->setCounts(uses) : !uses.empty())
    return damaged();
  *this = std::move(made);
  return Status::ok();
}

} // namespace rubato::policy
