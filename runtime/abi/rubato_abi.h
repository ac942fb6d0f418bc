/* The C ABI between a compiled training unit and the Rubato runtime.
 *
 * Compiled code calls these functions and nothing else; the compiler includes
 * this header and nothing else of the runtime. Every function takes the
 * worker's context, so many workers fit in one process. Fallible functions
 * return an rb_status; a non-zero status makes the round return at once, and
 * the runtime, which owns the loop, decides what happens next.
 */
#ifndef RUBATO_ABI_H
#define RUBATO_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RUBATO_ABI_VERSION 3

typedef struct rb_ctx rb_ctx;

typedef enum rb_status {
  RB_OK = 0,
  RB_INVALID = 1,   /* the unit asked for something that does not exist */
  RB_PEER_LOST = 2, /* a member died; the message names it */
  RB_TIMED_OUT = 3, /* a wait passed its deadline */
  RB_ABORTED = 4,   /* the group was ended from outside */
  RB_DATA = 5,      /* a batch could not be produced */
  RB_AGAIN = 6      /* the round is to be run again from its boundary */
} rb_status;

/* Memory. A unit sees three regions of bytes, each aligned to 256, and values.
 *   private: of one member (cells, and numbers that outlive a segment)
 *   scratch: of one strand, and only from one visible call to the next: a
 *            simulation lends the same bytes to all its workers
 *   host:    of one member: numbers that no kernel touches, in memory of the
 *            host whatever the device. Addresses in the others are the
 *            device's: compiled code hands them to rb_launch and no more.    */
typedef enum rb_region {
  RB_PRIVATE = 0,
  RB_SCRATCH = 1,
  RB_HOST = 2,
  RB_REGION_COUNT = 3,
  RB_FIRST_VALUE = 3,
  RB_LAST_VALUE = 0x7fffffff
} rb_region;

/* Values: the regions from RB_FIRST_VALUE on, of one value each. They belong
 * to one strand. What starts something may keep the memory of a value instead
 * of copying it, what arrives may be shown where it lies, and a copy of a whole
 * value to another may be the same memory. So a base address changes, and
 *   rb_renew  makes a value writable for the launches that follow; its content
 *             is undefined unless `keep`. All functions below do so themselves.
 *   rb_drop   says that its content is not needed any more.
 *   rb_look   gives it the present content of a cell, as a copy or until
 *             somebody takes `lock` for an atomic, by showing the cell.      */

typedef enum rb_lane { RB_COMPUTE = 0, RB_COMM = 1, RB_LANE_COUNT = 2 } rb_lane;

typedef enum rb_dtype { RB_F32 = 0, RB_F64 = 1, RB_I64 = 2 } rb_dtype;

typedef enum rb_mode { RB_READ = 1, RB_WRITE = 2 } rb_mode;

/* A kernel computes the part [lo, hi) of its outermost independent
 * dimension; args are the addresses of its operands and results, and workspace
 * is memory of the thread, aligned to 64, whose content means nothing.       */
typedef void (*rb_kernel_fn)(void *const *args, int64_t lo, int64_t hi,
                             void *workspace);

/* Widths of vectors that a kernel may be compiled for.                      */
typedef enum rb_width {
  RB_WIDTH_BASE = 0, /* what the unit was compiled for: always there         */
  RB_WIDTH_512 = 1,
  RB_WIDTH_COUNT = 2
} rb_width;

/* The form of a kernel for another device than the CPU; none exists yet.    */
typedef struct rb_device_kernel rb_device_kernel;

typedef struct rb_kernel {
  const char *name; /* for people: "fc1.forward"                            */
  rb_kernel_fn forms[RB_WIDTH_COUNT]; /* null: none of that width           */
  int64_t arg_count;
  int64_t split;     /* a launch may be cut into parts of [0, split)        */
  int64_t workspace; /* bytes                                               */
  int64_t cost;      /* iterations of all its loops, for who shares out work */
  const rb_device_kernel *device; /* null: none                             */
} rb_kernel;

/* A declared access: bytes [offset, offset + size) of a region.             */
typedef struct rb_access {
  int32_t region;
  int32_t mode; /* RB_READ, RB_WRITE or both */
  int64_t offset;
  int64_t size;
} rb_access;

/* A typed operand of a collective: `count` elements at byte `offset`.       */
typedef struct rb_range {
  int32_t region;
  int32_t dtype;
  int64_t offset;
  int64_t count;
} rb_range;

/* A segment: the values whose addresses its launches have, by their regions,
 * and how many launches it has. A device that keeps a segment knows by them
 * whether it is still the same.                                             */
typedef struct rb_segment_info {
  const char *name; /* for people: "worker.gradient.0" */
  const int32_t *values;
  int64_t value_count;
  int64_t launches;
} rb_segment_info;

/* Where a micro-batch comes from: see rb_batch.                             */
typedef enum rb_batch_source {
  RB_BATCH_CURSOR = 0,
  RB_BATCH_QUEUE = 1,
  RB_BATCH_KEYED = 2,
  RB_BATCH_RANGE = 3,
  RB_BATCH_PEEK = 4,
  RB_BATCH_WHOLE = 5
} rb_batch_source;

/* The functions, which calls.def lists and explains.                        */
#define RB_FACT(type, name, tag, method) type rb_##name(rb_ctx *ctx);
#define RB_CALL(result, name, params) result rb_##name params;
#include "calls.def"

/* What a compiled object exports, as the symbol `rubato_unit`. A round
 * function returns a status and stores 1 or 0 in *go.                       */
typedef int32_t (*rb_round_fn)(rb_ctx *ctx, int32_t *go);
typedef int32_t (*rb_segment_fn)(rb_ctx *ctx);

/* A part of a role: its init, the round of a strand, its drain or its model.
 * Only rounds store to *go; the others get one all the same.                 */
typedef struct rb_function {
  const char *name; /* "worker.compute", as the manifest says */
  rb_round_fn fn;
} rb_function;

typedef struct rb_unit {
  uint32_t abi; /* RUBATO_ABI_VERSION                            */
  uint32_t reserved;
  const char *manifest; /* JSON: docs/unit.md                            */
  uint64_t manifest_size;
  const void *weights; /* safetensors: initial values and the template  */
  uint64_t weights_size;
  rb_segment_fn gradient; /* adds the gradient of the present batch        */
  rb_segment_fn evaluate; /* evaluates the present batch                   */
  const rb_function *functions; /* of the program's roles                  */
  uint64_t function_count;
} rb_unit;

#ifdef __cplusplus
}
#endif

#endif /* RUBATO_ABI_H */
