// Every member's values on a device of its own, in front of any fabric: what
// host parts a test has are brought there, and what arrives is fetched back.
#pragma once

#include "device/device.h"
#include "device/staged_fabric.h"
#include "sample_unit.h"

#include <map>
#include <mutex>

class DeviceFabric final : public rubato::Fabric {
  using Status = rubato::Status;
  using Part = rubato::Part;
  using Parts = rubato::Parts;
  using Deadline = rubato::Deadline;

public:
  DeviceFabric(std::unique_ptr<rubato::Fabric> its, int channels)
      : inner(std::move(its)) {
    for (int rank = 0; rank < inner->members(); ++rank)
      ends.push_back(std::make_unique<End>(*inner, rank, channels));
  }

  int members() const override { return inner->members(); }
  Status mapBlocks(std::span<const rubato::BlockDemand> demands) override {
    return inner->mapBlocks(demands);
  }
  rubato::BlockSource &blocks(int rank) override { return inner->blocks(rank); }
  rubato::CopyCounters copied(int rank) override { return inner->copied(rank); }
  rubato::SumCounters summed(int rank) override { return inner->summed(rank); }

  Status ready(int rank, int channel, const Part &operand,
               int64_t bytes) override {
    End &end = *ends[size_t(rank)];
    std::lock_guard lock(end.mutex);
    Growing &growing = end.growing[channel];
    if (!operand.block) {
      Part far{operand.dtype, operand.count, nullptr, nullptr, &end.comm()};
      return end.staged.ready(rank, channel, far, bytes);
    }
    if (growing.from != dataOf(operand))
      growing = {dataOf(operand), end.comm().take(bytesOf(operand)), 0};
    end.bring(growing, bytes, end.comm());
    Part far{operand.dtype, operand.count, growing.block->data, &growing.block,
             &end.comm()};
    RB_TRY(end.staged.ready(rank, channel, far, bytes));
    return end.pass();
  }
  Status startAllReduce(int rank, int channel, Parts ins,
                        int64_t &future) override {
    End &end = *ends[size_t(rank)];
    Far far = end.send(ins, channel);
    return end.staged.startAllReduce(rank, channel, far.parts, future);
  }
  Status startBroadcast(int rank, int channel, int root, Parts ins,
                        int64_t &future) override {
    End &end = *ends[size_t(rank)];
    Far far = end.send(ins);
    return end.staged.startBroadcast(rank, channel, root, far.parts, future);
  }
  Status startExchange(int rank, int channel, int peer, int64_t tag, Parts ins,
                       int64_t &future) override {
    End &end = *ends[size_t(rank)];
    Far far = end.send(ins);
    return end.staged.startExchange(rank, channel, peer, tag, far.parts,
                                    future);
  }
  Status startPull(int rank, int channel, int64_t after,
                   int64_t &future) override {
    return ends[size_t(rank)]->staged.startPull(rank, channel, after, future);
  }
  bool done(int rank, int64_t future) override {
    return ends[size_t(rank)]->staged.done(rank, future);
  }
  Status awaitFirst(int rank, int64_t future, Parts outs, int64_t first,
                    Deadline deadline) override {
    End &end = *ends[size_t(rank)];
    Far far = end.room(outs);
    RB_TRY(end.staged.awaitFirst(rank, future, far.parts, first, deadline));
    end.receive(far, outs);
    if (first >= 0 && !outs.empty()) {
      std::lock_guard lock(end.mutex);
      end.arriving[future] = {far.blocks[0],
                              outs[0].block ? *outs[0].block : nullptr};
    }
    return Status::ok();
  }
  Status arrive(int rank, int64_t future, int64_t bytes, Deadline deadline,
                rubato::Lane *) override {
    End &end = *ends[size_t(rank)];
    RB_TRY(end.staged.arrive(rank, future, bytes, deadline, &end.comm()));
    std::lock_guard lock(end.mutex);
    auto [far, near] = end.arriving[future];
    if (!near) // it had come at once
      return Status::ok();
    return end.comm().waitFor(
        end.comm().fetch(near->data, far->data, near->bytes));
  }
  void cancel(int rank, int64_t future) override {
    ends[size_t(rank)]->staged.cancel(rank, future);
  }
  Status push(int rank, int channel, int64_t ticket, Parts ins) override {
    End &end = *ends[size_t(rank)];
    Far far = end.send(ins);
    RB_TRY(end.staged.push(rank, channel, ticket, far.parts));
    return end.pass();
  }
  Status collect(int rank, int channel, int64_t first, bool byStaleness,
                 Parts outs, rubato::Collected &collected,
                 Deadline deadline) override {
    End &end = *ends[size_t(rank)];
    Far far = end.room(outs);
    RB_TRY(end.staged.collect(rank, channel, first, byStaleness, far.parts,
                              collected, deadline));
    end.receive(far, outs);
    return Status::ok();
  }
  Status grant(int rank, int channel, bool toAll, int64_t staleAfter, Parts ins,
               rubato::Granted &granted) override {
    End &end = *ends[size_t(rank)];
    Far far = end.send(ins);
    return end.staged.grant(rank, channel, toAll, staleAfter, far.parts,
                            granted);
  }
  int64_t workers(int rank, int channel) override {
    return ends[size_t(rank)]->staged.workers(rank, channel);
  }
  Status close(int rank, int channel, Deadline deadline) override {
    return ends[size_t(rank)]->staged.close(rank, channel, deadline);
  }
  rubato::MailboxCounters counters(int channel) override {
    return inner->counters(channel);
  }
  Status barrier(int rank, Deadline deadline) override {
    return ends[size_t(rank)]->staged.barrier(rank, deadline);
  }
  Status limitRate(const rubato::RateLimit &limit) override {
    return inner->limitRate(limit);
  }
  void excuse(std::function<bool()> heldUp) override {
    inner->excuse(std::move(heldUp));
  }
  void leave(int rank) noexcept override { inner->leave(rank); }
  void lost(int rank) noexcept override { inner->lost(rank); }
  void abort() noexcept override { inner->abort(); }

private:
  /// Parts on a device, and what holds them.
  struct Far {
    std::vector<Part> parts;
    std::vector<rubato::SharedBlock> blocks, numbers;
  };
  /// A value that is brought to the device as it becomes final.
  struct Growing {
    const char *from = nullptr;
    rubato::SharedBlock block;
    int64_t brought = 0;
  };

  struct End {
    End(rubato::Fabric &inner, int rank, int channels)
        : device(rubato::makeApartDevice(uint64_t(rank) + 1)),
          staged(inner, rank, channels) {
      (void)rubato::loadUnit(code.code, unit);
      // Nothing of the arena is used here.
      regions.assign(RB_REGION_COUNT + unit.valueBytes.size(), this);
      device->setCourier([this](bool all) { return staged.passOn(all); });
      strand = device->strand(
          {.unit = unit, .regions = regions.data(), .error = error});
    }
    /// It would be passed on when the member waits the next time; a test that
    /// looks at the other end must not wait for that.
    Status pass() { return device->settle(); }
    rubato::Lane &compute() { return *strand->lane(RB_COMPUTE); }
    rubato::Lane &comm() { return *strand->lane(RB_COMM); }

    void bring(Growing &value, int64_t bytes, rubato::Lane &lane) {
      // The test may change what it has sent: so the lane is waited for.
      if (bytes > value.brought)
        (void)lane.waitFor(lane.bring(value.block->data + value.brought,
                                      value.from + value.brought,
                                      bytes - value.brought));
      value.brought = bytes;
    }

    Far send(Parts ins, int channel = -1) {
      Far far;
      far.blocks.resize(ins.size());
      for (size_t i = 0; i != ins.size(); ++i) {
        const Part &in = ins[i];
        Growing value;
        {
          std::lock_guard lock(mutex);
          if (auto at = growing.find(channel); i == 0 && at != growing.end()) {
            if (at->second.from == dataOf(in))
              value = at->second;
            growing.erase(at);
          }
        }
        if (!value.block)
          value = {dataOf(in),
                   compute().take(std::max<int64_t>(bytesOf(in), 1)), 0};
        bring(value, bytesOf(in), compute());
        far.blocks[i] = value.block;
        far.parts.push_back({in.dtype, in.count, value.block->data,
                             in.block ? &far.blocks[i] : nullptr, &compute()});
      }
      return far;
    }
    Far room(Parts outs) {
      Far far;
      far.blocks.resize(outs.size());
      for (size_t i = 0; i != outs.size(); ++i) {
        Part part{outs[i].dtype, outs[i].count, nullptr, nullptr, &compute()};
        if (outs[i].block) {
          part.block = &far.blocks[i];
        } else {
          far.numbers.push_back(
              compute().take(std::max<int64_t>(bytesOf(part), 1)));
          part.data = far.numbers.back()->data;
        }
        far.parts.push_back(part);
      }
      return far;
    }
    void receive(const Far &far, Parts outs) {
      for (size_t i = 0; i != outs.size(); ++i) {
        if (outs[i].count == 0)
          continue;
        if (outs[i].block)
          *outs[i].block = rubato::takeBlock(bytesOf(outs[i]));
        (void)compute().waitFor(compute().fetch(
            dataOf(outs[i]), dataOf(far.parts[i]), bytesOf(outs[i])));
      }
    }

    SampleUnit code;
    rubato::Unit unit;
    std::vector<void *> regions;
    Status error;
    std::unique_ptr<rubato::MemberDevice> device;
    rubato::StagedFabric staged;
    std::unique_ptr<rubato::Device> strand;
    std::mutex mutex;
    std::map<int, Growing> growing; // by channel
    std::map<int64_t, std::pair<rubato::SharedBlock, rubato::SharedBlock>>
        arriving;
  };

  std::unique_ptr<rubato::Fabric> inner;
  std::vector<std::unique_ptr<End>> ends;
};
