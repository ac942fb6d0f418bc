// Messages, and their sums in the order of ranks.
#include "sim/payload.h"

#include "fabric/reduce.h"
#include "support/processor_meter.h"

#include <cstring>

namespace rubato::sim {

std::vector<Payload::Slot> slotsOf(Parts parts) {
  std::vector<Payload::Slot> slots;
  slots.reserve(parts.size());
  for (const Part &part : parts)
    slots.push_back({part.dtype, part.count});
  return slots;
}

std::string shapeOf(const std::vector<Payload::Slot> &slots) {
  std::string text;
  for (const Payload::Slot &slot : slots) {
    text += text.empty() ? "" : ", ";
    text += dtypeName(slot.dtype);
    text += " x " + std::to_string(slot.count);
  }
  return text.empty() ? "nothing" : text;
}

static SharedBlock copied(const void *data, int64_t bytes) {
  SharedBlock block = takeBlock(bytes);
  SpendingBlock spending(Spending::Copies);
  if (bytes)
    std::memcpy(block->data, data, static_cast<size_t>(bytes));
  return block;
}

Payload::Payload(Parts parts, bool withData) : shape(slotsOf(parts)) {
  size = rubato::bytesOf(parts);
  if (!withData)
    return;
  for (const Part &part : parts) {
    SharedBlock block = part.block && *part.block
                            ? *part.block
                            : copied(part.data, rubato::bytesOf(part));
    char *data = block->data;
    contents.push_back({std::move(block), data});
  }
}

Payload Payload::shown(Parts parts) {
  Payload result;
  result.shape = slotsOf(parts);
  result.size = rubato::bytesOf(parts);
  for (const Part &part : parts)
    result.contents.push_back({nullptr, static_cast<char *>(part.data)});
  return result;
}

Status Payload::copyTo(Parts outs) const {
  if (slotsOf(outs) != shape)
    return {ErrorCode::Internal, "expects " + shapeOf(slotsOf(outs)) +
                                     ", but was sent " + shapeOf(shape)};
  for (size_t i = 0; i != outs.size(); ++i) {
    const Content &content = contents[i];
    if (outs[i].block)
      *outs[i].block =
          content.block ? content.block : copied(content.data, bytesOf(i));
    else if (outs[i].count && outs[i].data != content.data) {
      SpendingBlock spending(Spending::Copies);
      std::memcpy(outs[i].data, content.data, static_cast<size_t>(bytesOf(i)));
    }
  }
  return Status::ok();
}

void bringZeros(const Part &out) {
  char *data = static_cast<char *>(out.data);
  if (out.block) {
    SharedBlock block = takeBlock(bytesOf(out));
    data = block->data;
    *out.block = std::move(block);
  }
  SpendingBlock spending(Spending::Copies);
  if (out.count)
    std::memset(data, 0, static_cast<size_t>(bytesOf(out)));
}

template <typename T>
static void scaleAll(const char *from, char *to, int64_t n, T factor) {
  const T *values = reinterpret_cast<const T *>(from);
  T *scaled = reinterpret_cast<T *>(to);
  for (int64_t i = 0; i != n; ++i)
    scaled[i] = values[i] * factor;
}

void Payload::scale(size_t slot, double factor) {
  if (shape[slot].dtype == RB_I64)
    return;
  // Others may hold it too.
  SharedBlock scaled = takeBlock(bytesOf(slot));
  SpendingBlock spending(Spending::Mathematics);
  if (shape[slot].dtype == RB_F32)
    scaleAll(contents[slot].data, scaled->data, shape[slot].count,
             static_cast<float>(factor));
  else
    scaleAll(contents[slot].data, scaled->data, shape[slot].count, factor);
  char *data = scaled->data;
  contents[slot] = {std::move(scaled), data};
}

Payload Payload::sum(std::span<const Payload *const> all, Parts outs) {
  Payload result;
  if (all.empty())
    return result;
  result.shape = all[0]->shape;
  result.size = all[0]->size;
  std::vector<const char *> ins(all.size());
  for (size_t i = 0; i != result.shape.size(); ++i) {
    for (size_t j = 0; j != all.size(); ++j)
      ins[j] = all[j]->contents[i].data;
    Content content;
    if (outs.empty())
      content.block = takeBlock(result.bytesOf(i));
    content.data =
        outs.empty() ? content.block->data : static_cast<char *>(outs[i].data);
    SpendingBlock spending(Spending::Mathematics);
    sumInRankOrder(result.shape[i].dtype, ins.data(),
                   static_cast<int>(ins.size()), content.data,
                   result.bytesOf(i));
    result.contents.push_back(std::move(content));
  }
  return result;
}

} // namespace rubato::sim
