// Copies of messages, their sums in the order of ranks.
#include "sim/payload.h"

#include "fabric/reduce.h"

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

Payload::Payload(Parts parts, bool withData) : shape(slotsOf(parts)) {
  size = bytesOf(parts);
  if (!withData)
    return;
  size_t next = 0;
  for (const Part &part : parts) {
    offsets.push_back(next);
    next += static_cast<size_t>(bytesOf(part) + 7) / 8;
  }
  words.resize(next);
  for (size_t i = 0; i != parts.size(); ++i)
    if (parts[i].count)
      std::memcpy(at(i), parts[i].data, static_cast<size_t>(bytesOf(parts[i])));
}

Status Payload::copyTo(Parts outs) const {
  if (slotsOf(outs) != shape)
    return {ErrorCode::Internal, "expects " + shapeOf(slotsOf(outs)) +
                                     ", but was sent " + shapeOf(shape)};
  for (size_t i = 0; i != outs.size(); ++i)
    if (outs[i].count)
      std::memcpy(outs[i].data, at(i), static_cast<size_t>(bytesOf(outs[i])));
  return Status::ok();
}

template <typename T> static void scaleAll(T *values, int64_t n, T factor) {
  for (int64_t i = 0; i != n; ++i)
    values[i] *= factor;
}

void Payload::scale(size_t slot, double factor) {
  if (shape[slot].dtype == RB_F32)
    scaleAll(reinterpret_cast<float *>(at(slot)), shape[slot].count,
             static_cast<float>(factor));
  else if (shape[slot].dtype == RB_F64)
    scaleAll(reinterpret_cast<double *>(at(slot)), shape[slot].count, factor);
}

Payload Payload::sum(std::span<const Payload *const> all) {
  Payload result;
  if (all.empty())
    return result;
  result.shape = all[0]->shape;
  result.offsets = all[0]->offsets;
  result.size = all[0]->size;
  result.words.resize(all[0]->words.size());
  std::vector<const char *> ins(all.size());
  for (size_t i = 0; i != result.shape.size(); ++i) {
    for (size_t j = 0; j != all.size(); ++j)
      ins[j] = all[j]->at(i);
    const Slot &slot = result.shape[i];
    sumInRankOrder(slot.dtype, ins.data(), static_cast<int>(ins.size()),
                   result.at(i), slot.count * elementBytes(slot.dtype));
  }
  return result;
}

} // namespace rubato::sim
