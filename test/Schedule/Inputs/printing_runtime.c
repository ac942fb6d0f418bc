/* A runtime for one member that prints every call and runs it at once. The
 * argument N makes the N-th fallible call fail. */
#include "rubato_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rb_ctx {
  void *regions[RB_REGION_COUNT];
  int until_failure;
  int again;
};

extern const rb_unit rubato_unit;
const char rubato_weights[4] = "abc";

static const char *const region_names[] = {"private", "shared", "result"};
static const char *const dtype_names[] = {"f32", "f64", "i64"};
static const int64_t dtype_sizes[] = {4, 8, 8};

void scale(void *const *args, int64_t lo, int64_t hi) {
  for (int64_t i = lo; i < hi; ++i)
    ((float *)args[1])[i] = ((const float *)args[0])[i] * 2;
}

void move(void *const *args, int64_t lo, int64_t hi) {
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
  printf("segment %s, launches %d, collectives %d\n", segment->name,
         segment->launches, segment->collectives);
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
  kernel->fn(args, lo, hi);
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

int32_t rb_collective(rb_ctx *ctx, int32_t lane, int32_t kind, int32_t channel,
                      int64_t seq, const rb_range *ins, int64_t in_count,
                      const rb_range *outs, int64_t out_count, int32_t future) {
  printf("collective kind %d lane %d channel %d seq %ld future %d", kind, lane,
         channel, seq, future);
  print_ranges("in", ins, in_count);
  print_ranges("out", outs, out_count);
  printf("\n");
  for (int64_t i = 0; i < in_count; ++i)
    memcpy(at(ctx, outs[i].region, outs[i].offset),
           at(ctx, ins[i].region, ins[i].offset),
           (size_t)(ins[i].count * dtype_sizes[ins[i].dtype]));
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

int32_t rb_next_batch(rb_ctx *ctx) {
  printf("batch\n");
  return status(ctx);
}

int main(int argc, char **argv) {
  static _Alignas(64) char memory[RB_REGION_COUNT][64];
  int again = argc > 1 && strcmp(argv[1], "again") == 0;
  rb_ctx ctx = {{memory[0], memory[1], memory[2]},
                argc > 1 && !again ? atoi(argv[1]) : -1,
                again};
  for (int i = 0; i < 4; ++i)
    ((float *)(memory[0] + 16))[i] = (float)(i + 1);

  printf("abi %u manifest %s (%lu) weights %s (%lu) evaluate %s\n",
         rubato_unit.abi, rubato_unit.manifest, rubato_unit.manifest_size,
         (const char *)rubato_unit.weights, rubato_unit.weights_size,
         rubato_unit.evaluate ? "some" : "none");
  int32_t go = -1;
  printf("== round\n");
  int32_t result = rubato_unit.round(&ctx, &go);
  printf("status %d go %d\n", result, go);
  printf("== gradient\n");
  result = rubato_unit.gradient(&ctx);
  printf("status %d\n", result);
  return 0;
}
