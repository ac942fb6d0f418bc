/* A runtime for one member that prints every call and runs it at once. The
 * argument N makes the N-th fallible call fail. */
#include "rubato_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 2, REGIONS = RB_REGION_COUNT + VALUES };

struct rb_ctx {
  void *regions[REGIONS];
  int until_failure;
  int again;
};

extern const rb_unit rubato_unit;
/* A unit finds rounds in its table of functions; this one has none. */
extern int32_t program_round(rb_ctx *ctx, int32_t *go) __asm__("program.round");
const char rubato_weights[4] = "abc";

static const char *const region_names[] = {"private", "scratch", "host",
                                           "value0", "value1"};
static const char *const dtype_names[] = {"f32", "f64", "i64"};
static const int64_t dtype_sizes[] = {4, 8, 8};

void scale(void *const *args, int64_t lo, int64_t hi, void *workspace) {
  for (int64_t i = lo; i < hi; ++i)
    ((float *)args[1])[i] = ((const float *)args[0])[i] * 2;
}

void move(void *const *args, int64_t lo, int64_t hi, void *workspace) {
  memcpy((float *)args[1] + lo, (const float *)args[0] + lo,
         (size_t)(hi - lo) * sizeof(float));
}

static int32_t status(rb_ctx *ctx) {
  return ctx->until_failure-- == 0 ? RB_PEER_LOST : RB_OK;
}

static char *at(rb_ctx *ctx, int32_t region, int64_t offset) {
  return (char *)ctx->regions[region] + offset;
}

void *const *rb_regions(rb_ctx *ctx) { return ctx->regions; }

/* The argument "again" makes every segment one that was replayed. */
int32_t rb_segment_begin(rb_ctx *ctx, const rb_segment_info *segment,
                         int32_t *replayed) {
  printf("segment %s, launches %ld, values", segment->name, segment->launches);
  for (int64_t i = 0; i < segment->value_count; ++i)
    printf(" %s", region_names[segment->values[i]]);
  printf("\n");
  *replayed = ctx->again;
  return status(ctx);
}

int32_t rb_segment_end(rb_ctx *ctx) {
  (void)ctx;
  puts("end");
  return RB_OK;
}

int32_t rb_launch(rb_ctx *ctx, int32_t lane, const rb_kernel *kernel,
                  void *const *args, int64_t lo, int64_t hi,
                  const rb_access *accesses, int64_t access_count) {
  printf("launch %s lane %d [%ld, %ld)", kernel->name, lane, lo, hi);
  for (int64_t i = 0; i < access_count; ++i)
    printf(" %s[%ld,%ld] %s%s", region_names[accesses[i].region],
           accesses[i].offset, accesses[i].size,
           accesses[i].mode & RB_READ ? "r" : "",
           accesses[i].mode & RB_WRITE ? "w" : "");
  printf("\n");
  kernel->forms[RB_WIDTH_BASE](args, lo, hi, 0);
  return status(ctx);
}

int32_t rb_record(rb_ctx *ctx, int32_t lane, int32_t event) {
  printf("record lane %d event %d\n", lane, event);
  return status(ctx);
}

int32_t rb_wait(rb_ctx *ctx, int32_t lane, int32_t event) {
  printf("wait lane %d event %d\n", lane, event);
  return status(ctx);
}

static void print_ranges(const char *what, const rb_range *ranges,
                         int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    printf(" %s %s[%ld] %s x%ld", what, region_names[ranges[i].region],
           ranges[i].offset, dtype_names[ranges[i].dtype], ranges[i].count);
}

int32_t rb_ready(rb_ctx *ctx, int32_t lane, int32_t channel,
                 const rb_range *operand, int64_t from, int64_t to,
                 double done) {
  printf("ready lane %d channel %d bytes %ld to %ld of", lane, channel, from,
         to);
  print_ranges("in", operand, 1);
  printf(" done %g\n", done);
  return status(ctx);
}

int32_t rb_arrive(rb_ctx *ctx, int32_t lane, int32_t value, int64_t bytes,
                  double done) {
  printf("arrive lane %d %s, %ld bytes, done %g\n", lane, region_names[value],
         bytes, done);
  return status(ctx);
}

/* The sum over one member: await finds the operands where they were. */
static const rb_range *reduced;

int32_t rb_all_reduce(rb_ctx *ctx, int32_t channel, const rb_range *ins,
                      int64_t in_count, int64_t *future) {
  printf("all-reduce channel %d", channel);
  print_ranges("in", ins, in_count);
  printf("\n");
  reduced = ins;
  *future = 7;
  return status(ctx);
}

int32_t rb_await(rb_ctx *ctx, int64_t future, const rb_range *outs,
                 int64_t out_count, int64_t first) {
  printf("await %ld first %ld", future, first);
  print_ranges("out", outs, out_count);
  printf("\n");
  for (int64_t i = 0; i < out_count; ++i)
    memcpy(at(ctx, outs[i].region, outs[i].offset),
           at(ctx, reduced[i].region, reduced[i].offset),
           (size_t)(outs[i].count * dtype_sizes[outs[i].dtype]));
  return status(ctx);
}

int32_t rb_renew(rb_ctx *ctx, int32_t value, int32_t keep) {
  printf("renew %s%s\n", region_names[value], keep ? " keep" : "");
  return status(ctx);
}

int32_t rb_read(rb_ctx *ctx, int32_t region, int64_t offset, void *to,
                int64_t size) {
  printf("read %s[%ld,%ld]\n", region_names[region], offset, size);
  memcpy(to, at(ctx, region, offset), (size_t)size);
  return status(ctx);
}

int32_t rb_write(rb_ctx *ctx, int32_t region, int64_t offset, const void *from,
                 int64_t size) {
  printf("write %s[%ld,%ld] %ld\n", region_names[region], offset, size,
         *(const int64_t *)from);
  memcpy(at(ctx, region, offset), from, (size_t)size);
  return status(ctx);
}

int64_t rb_quanta(rb_ctx *ctx) {
  printf("quanta\n");
  return 2;
}

int64_t rb_stop_requested(rb_ctx *ctx) {
  printf("stop requested\n");
  return 5;
}

int32_t rb_batch(rb_ctx *ctx, int32_t source, int32_t channel,
                 const int64_t *keys, int64_t key_count) {
  (void)keys;
  printf("batch source %d channel %d keys %ld\n", source, channel, key_count);
  return status(ctx);
}

int main(int argc, char **argv) {
  static _Alignas(64) char memory[REGIONS][64];
  int again = argc > 1 && strcmp(argv[1], "again") == 0;
  rb_ctx ctx = {{memory[0], memory[1], memory[2], memory[3], memory[4]},
                argc > 1 && !again ? atoi(argv[1]) : -1,
                again};
  for (int i = 0; i < 4; ++i)
    ((float *)(memory[0] + 16))[i] = (float)(i + 1);

  printf("abi %u manifest %s (%lu) weights %s (%lu) evaluate %s functions %lu\n",
         rubato_unit.abi, rubato_unit.manifest, rubato_unit.manifest_size,
         (const char *)rubato_unit.weights, rubato_unit.weights_size,
         rubato_unit.evaluate ? "some" : "none", rubato_unit.function_count);
  int32_t go = -1;
  printf("== round\n");
  int32_t result = program_round(&ctx, &go);
  printf("status %d go %d\n", result, go);
  printf("== gradient\n");
  result = rubato_unit.gradient(&ctx);
  printf("status %d\n", result);
  return 0;
}
