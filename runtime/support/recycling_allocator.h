// Memory of small objects that are made and ended again and again.
#pragma once

#include <cstddef>
#include <mutex>
#include <new>

namespace rubato {

/// Keeps what was given back for the next of the same type, for ever: in the
/// steady state of a run nothing is asked of the heap. Any thread may give
/// back.
template <typename T> class RecyclingAllocator {
public:
  using value_type = T;

  RecyclingAllocator() = default;
  template <typename Other>
  RecyclingAllocator(const RecyclingAllocator<Other> &) {}

  T *allocate(size_t count) {
    if (count == 1) {
      Unused &unused = Unused::ofAll();
      std::lock_guard lock(unused.mutex);
      if (Slot *slot = unused.first) {
        unused.first = slot->next;
        return reinterpret_cast<T *>(slot);
      }
    }
    return static_cast<T *>(
        ::operator new(count * sizeof(Slot), std::align_val_t(alignof(Slot))));
  }

  void deallocate(T *object, size_t count) {
    if (count != 1)
      return ::operator delete(object, std::align_val_t(alignof(Slot)));
    Unused &unused = Unused::ofAll();
    std::lock_guard lock(unused.mutex);
    unused.first = new (object) Slot{unused.first};
  }

  template <typename Other>
  bool operator==(const RecyclingAllocator<Other> &) const {
    return true;
  }

private:
  union Slot {
    Slot *next;
    alignas(T) char object[sizeof(T)];
  };
  struct Unused {
    std::mutex mutex;
    Slot *first = nullptr;
    static Unused &ofAll() {
      static Unused unused;
      return unused;
    }
  };
};

} // namespace rubato
