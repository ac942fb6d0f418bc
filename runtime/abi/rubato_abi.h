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

#define RUBATO_ABI_VERSION 2

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

/* Memory. A unit sees four regions of bytes, each aligned to 64.
 *   private: this worker only (cells, and values that outlive a segment)
 *   shared:  written by this worker, readable by its peers (operands)
 *   result:  one copy for the whole group (reduced values)
 *   scratch: of one strand, and only from one visible call to the next: a
 *            simulation lends the same bytes to all its workers              */
typedef enum rb_region {
  RB_PRIVATE = 0,
  RB_SHARED = 1,
  RB_RESULT = 2,
  RB_SCRATCH = 3,
  RB_REGION_COUNT = 4,
  RB_FIRST_VALUE = 4,
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

typedef enum rb_collective_kind { RB_ALL_REDUCE_SUM = 0 } rb_collective_kind;

/* A kernel computes the part [lo, hi) of its outermost independent
 * dimension; args are the addresses of its operands and results.           */
typedef void (*rb_kernel_fn)(void *const *args, int64_t lo, int64_t hi);

typedef struct rb_kernel {
  const char *name; /* for people: "fc1.forward"                            */
  rb_kernel_fn fn;
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

/* The base addresses of the regions: RB_REGION_COUNT of them, fixed for the
 * life of the context, and those of the values, which change.               */
void *const *rb_regions(rb_ctx *ctx);
int32_t rb_renew(rb_ctx *ctx, int32_t value, int32_t keep);
int32_t rb_drop(rb_ctx *ctx, int32_t value);
int32_t rb_look(rb_ctx *ctx, int32_t value, int32_t region, int64_t offset,
                int32_t lock);

/* Marks the start of a segment: for the trace, the timeline and messages.   */
int32_t rb_segment(rb_ctx *ctx, const char *name);

int32_t rb_launch(rb_ctx *ctx, int32_t lane, const rb_kernel *kernel,
                  void *const *args, int64_t lo, int64_t hi,
                  const rb_access *accesses, int64_t access_count);

/* Events have CUDA's semantics: record captures what the lane has been given
 * so far, wait holds a lane back until the latest record has been reached,
 * query asks without blocking (1 reached, 0 not). Events are numbered per
 * unit.                                                                     */
int32_t rb_record(rb_ctx *ctx, int32_t lane, int32_t event);
int32_t rb_wait(rb_ctx *ctx, int32_t lane, int32_t event);
int32_t rb_query(rb_ctx *ctx, int32_t event);

/* Starts a collective over all members. The order of calls on a channel is
 * the same on every member; `seq` says which call this is and is checked.
 * Inputs lie in the shared region and are never written; outputs lie in the
 * result region. The future completes when the outputs are complete.        */
int32_t rb_collective(rb_ctx *ctx, int32_t lane, int32_t kind, int32_t channel,
                      int64_t seq, const rb_range *ins, int64_t in_count,
                      const rb_range *outs, int64_t out_count, int32_t future);

/* Futures are numbered per unit. done: 1 or 0, never blocks, a failed future
 * is done. await: blocks until done or until the context's deadline.        */
int32_t rb_future_done(rb_ctx *ctx, int32_t future);
int32_t rb_future_await(rb_ctx *ctx, int32_t future);

/* Host access to device memory, after everything given to the compute lane. */
int32_t rb_read(rb_ctx *ctx, int32_t region, int64_t offset, void *to,
                int64_t size);
int32_t rb_write(rb_ctx *ctx, int32_t region, int64_t offset, const void *from,
                 int64_t size);

/* Bytes of the arena, in order with the compute lane.                       */
int32_t rb_copy(rb_ctx *ctx, int32_t to_region, int64_t to_offset,
                int32_t from_region, int64_t from_offset, int64_t size);
int32_t rb_clear(rb_ctx *ctx, int32_t region, int64_t offset, int64_t size);

/* Facts of the round, fixed until the round returns. quanta is how many
 * micro-batches this member computes in the round, the same on every member.*/
int64_t rb_members(rb_ctx *ctx);
int64_t rb_rank(rb_ctx *ctx);
int64_t rb_quanta(rb_ctx *ctx);
int64_t rb_stop_requested(rb_ctx *ctx);

/* Fills the unit's batch buffers with the member's next micro-batch.        */
int32_t rb_next_batch(rb_ctx *ctx);

/* ---- Programs: what strands do besides computing ------------------------
 *
 * A context belongs to one strand of one worker; strands of a worker have the
 * private, shared and result regions in common. Channels, policies, entries,
 * rendezvous and locks are numbered as the manifest lists them.
 *
 * Values are ranges: scalars of the host too (i64, f64, f32 as they are, i1 as
 * an i64 of 0 or 1). Whatever starts something copies its operands, or keeps
 * the memory of whole values, so they may be overwritten, or renewed, at once.
 *
 * Except for rb_work, rb_computed and rb_unlock every call below is *visible*:
 * others can notice it, or its outcome depends on them. A simulation switches
 * workers there and nowhere else. */

/* Work that takes time, for the clock of a simulation, for telemetry and for
 * workers that are slowed down: `begin` 1 before a piece of it, 0 behind.    */
int32_t rb_work(rb_ctx *ctx, const char *name, int32_t begin);
/* What a gradient was made of, for progress and metrics: not visible.        */
int32_t rb_computed(rb_ctx *ctx, int64_t samples, double loss);

/* Cells that appear together in an atomic share a lock. `cells` names those
 * of this atomic, separated by spaces, for the log.                          */
int32_t rb_lock(rb_ctx *ctx, int32_t lock, const char *cells);
int32_t rb_unlock(rb_ctx *ctx, int32_t lock);

/* Futures of programs are handles that the worker owns. 0 is a future of
 * zeros that is done. start: all_reduce, or broadcast from `root`. await
 * consumes the future and fills `outs`.                                      */
typedef enum rb_start_kind {
  RB_START_ALL_REDUCE = 0,
  RB_START_BROADCAST = 1
} rb_start_kind;
int32_t rb_start(rb_ctx *ctx, int32_t kind, int32_t channel, int64_t root,
                 const rb_range *ins, int64_t in_count, int64_t *future);
int32_t rb_exchange(rb_ctx *ctx, int32_t channel, int64_t peer, int64_t tag,
                    const rb_range *ins, int64_t in_count, int64_t *future);
int32_t rb_pull(rb_ctx *ctx, int32_t channel, int64_t after, int64_t *future);
int32_t rb_done(rb_ctx *ctx, int64_t future);
int32_t rb_await(rb_ctx *ctx, int64_t future, const rb_range *outs,
                 int64_t out_count);
/* A repeat has ended after `count` bodies: for the log.                      */
int32_t rb_repeated(rb_ctx *ctx, int64_t count);

/* The mailbox. Sets of workers are bits, worker 0 (of the channel) lowest.
 * A grant with `to_all` opens the ledger: tickets for every worker.          */
int32_t rb_push(rb_ctx *ctx, int32_t channel, int64_t ticket,
                const rb_range *ins, int64_t in_count);
int32_t rb_collect(rb_ctx *ctx, int32_t channel, int64_t first,
                   int32_t by_staleness, const rb_range *outs,
                   int64_t out_count, int64_t *who);
int32_t rb_grant(rb_ctx *ctx, int32_t channel, int32_t to_all, int64_t to,
                 int64_t stale_after, const rb_range *ins, int64_t in_count);
int32_t rb_close(rb_ctx *ctx, int32_t channel);
int64_t rb_workers(rb_ctx *ctx, int32_t channel);

/* Questions. Every value is 64 bits: an i64, an f64, or an i1 as 0 or 1; the
 * manifest says which.                                                       */
int32_t rb_ask(rb_ctx *ctx, int32_t policy, int32_t entry,
               const uint64_t *inputs, int64_t input_count, uint64_t *answers,
               int64_t answer_count);

int32_t rb_meet(rb_ctx *ctx, int32_t rendezvous, int32_t *met);
int32_t rb_commit(rb_ctx *ctx, int64_t seen, int64_t expected, int32_t *ok);
double rb_now(rb_ctx *ctx);
int64_t rb_round_samples(rb_ctx *ctx);
int64_t rb_data_samples(rb_ctx *ctx);

/* A micro-batch from another source than the member's own rounds. `channel`
 * of a queue: the channel whose next reduction acknowledges it, or -1. Keys:
 * of a queue its lease (one or none), of a range its two ends, of the whole
 * data set the number of the micro-batch.                                    */
typedef enum rb_batch_source {
  RB_BATCH_CURSOR = 0,
  RB_BATCH_QUEUE = 1,
  RB_BATCH_KEYED = 2,
  RB_BATCH_RANGE = 3,
  RB_BATCH_PEEK = 4,
  RB_BATCH_WHOLE = 5
} rb_batch_source;
int32_t rb_batch(rb_ctx *ctx, int32_t source, int32_t channel,
                 const int64_t *keys, int64_t key_count);

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
  rb_round_fn round;
  rb_segment_fn gradient; /* accumulates the gradient of the present batch */
  rb_segment_fn evaluate; /* evaluates the present batch                   */
  const rb_function *functions; /* of the program's roles                  */
  uint64_t function_count;
} rb_unit;

#ifdef __cplusplus
}
#endif

#endif /* RUBATO_ABI_H */
