#include "cmediashim_ffmpeg.h"

#include <stdatomic.h>
#include <string.h>

void shim_error_text(int code, char *buffer, size_t size) {
    if (size == 0) return;
    buffer[0] = 0;
    av_strerror(code, buffer, size);
}

// Channel layouts

AVChannelLayout shim_layout_mono(void) { return (AVChannelLayout)AV_CHANNEL_LAYOUT_MONO; }
AVChannelLayout shim_layout_stereo(void) { return (AVChannelLayout)AV_CHANNEL_LAYOUT_STEREO; }
AVChannelLayout shim_layout_surround51(void) { return (AVChannelLayout)AV_CHANNEL_LAYOUT_5POINT1_BACK; }
AVChannelLayout shim_layout_surround51_side(void) { return (AVChannelLayout)AV_CHANNEL_LAYOUT_5POINT1; }
AVChannelLayout shim_layout_surround71(void) { return (AVChannelLayout)AV_CHANNEL_LAYOUT_7POINT1; }

// Logging

static _Atomic(shim_log_sink) log_sink;
static atomic_int log_max_level;

static void forward_log(void *context, int level, const char *format, va_list arguments) {
    level &= 0xff;
    shim_log_sink sink = atomic_load(&log_sink);
    if (!sink || level > atomic_load(&log_max_level)) return;
    const char *source = "";
    if (context) {
        const AVClass *class = *(const AVClass **)context;
        if (class && class->item_name) source = class->item_name(context);
        if (!source) source = "";
    }
    char line[1024];
    vsnprintf(line, sizeof line, format, arguments);
    sink(level, source, line);
}

void shim_log_install(shim_log_sink sink, int max_level) {
    atomic_store(&log_max_level, max_level);
    atomic_store(&log_sink, sink);
    av_log_set_callback(sink ? forward_log : av_log_default_callback);
}

void shim_log(int level, const char *line) { av_log(NULL, level, "%s\n", line); }

// Side data of a stream

#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
#define SIDE_DATA(stream) ((stream)->codecpar->coded_side_data)
#define SIDE_DATA_COUNT(stream) ((stream)->codecpar->nb_coded_side_data)
#else
#define SIDE_DATA(stream) ((stream)->side_data)
#define SIDE_DATA_COUNT(stream) ((stream)->nb_side_data)
#endif

int shim_stream_side_data_count(const AVStream *stream) { return SIDE_DATA_COUNT(stream); }

int shim_stream_side_data_at(const AVStream *stream, int index, enum AVPacketSideDataType *type, const uint8_t **data,
                             size_t *size) {
    if (index < 0 || index >= SIDE_DATA_COUNT(stream)) return -1;
    const AVPacketSideData *entry = &SIDE_DATA(stream)[index];
    *type = entry->type;
    *data = entry->data;
    *size = entry->size;
    return 0;
}

// Frame properties

#ifdef AV_FRAME_FLAG_INTERLACED
int shim_frame_is_interlaced(const AVFrame *frame) { return !!(frame->flags & AV_FRAME_FLAG_INTERLACED); }
int shim_frame_is_top_field_first(const AVFrame *frame) { return !!(frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST); }
int shim_frame_is_key(const AVFrame *frame) { return !!(frame->flags & AV_FRAME_FLAG_KEY); }
void shim_frame_set_interlaced(AVFrame *frame, int interlaced, int top_field_first) {
    frame->flags &= ~(AV_FRAME_FLAG_INTERLACED | AV_FRAME_FLAG_TOP_FIELD_FIRST);
    if (interlaced) frame->flags |= AV_FRAME_FLAG_INTERLACED;
    if (top_field_first) frame->flags |= AV_FRAME_FLAG_TOP_FIELD_FIRST;
}
#else
int shim_frame_is_interlaced(const AVFrame *frame) { return frame->interlaced_frame != 0; }
int shim_frame_is_top_field_first(const AVFrame *frame) { return frame->top_field_first != 0; }
int shim_frame_is_key(const AVFrame *frame) { return frame->key_frame != 0; }
void shim_frame_set_interlaced(AVFrame *frame, int interlaced, int top_field_first) {
    frame->interlaced_frame = interlaced != 0;
    frame->top_field_first = top_field_first != 0;
}
#endif

#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
int64_t shim_frame_duration(const AVFrame *frame) { return frame->duration; }
void shim_frame_set_duration(AVFrame *frame, int64_t duration) { frame->duration = duration; }
#else
int64_t shim_frame_duration(const AVFrame *frame) { return frame->pkt_duration; }
void shim_frame_set_duration(AVFrame *frame, int64_t duration) { frame->pkt_duration = duration; }
#endif

// What an encoder takes

#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
#define SUPPORTED(function, type, config, member, isEnd)                                              \
    int function(const AVCodec *codec, type *values, int capacity) {                                  \
        const void *list = NULL;                                                                      \
        int count = 0;                                                                                \
        if (avcodec_get_supported_config(NULL, codec, config, 0, &list, &count) < 0) return -1;       \
        if (!list) return -1;                                                                         \
        if (count > capacity) count = capacity;                                                       \
        if (count > 0) memcpy(values, list, (size_t)count * sizeof *values);                          \
        return count;                                                                                 \
    }
#else
#define SUPPORTED(function, type, config, member, isEnd)                                              \
    int function(const AVCodec *codec, type *values, int capacity) {                                  \
        const type *list = codec->member;                                                             \
        if (!list) return -1;                                                                         \
        int count = 0;                                                                                \
        for (; count < capacity; count++) {                                                           \
            const type *entry = &list[count];                                                         \
            if (isEnd) break;                                                                         \
            values[count] = *entry;                                                                   \
        }                                                                                             \
        return count;                                                                                 \
    }
#endif

SUPPORTED(shim_supported_sample_rates, int, AV_CODEC_CONFIG_SAMPLE_RATE, supported_samplerates, *entry == 0)
SUPPORTED(shim_supported_sample_formats, enum AVSampleFormat, AV_CODEC_CONFIG_SAMPLE_FORMAT, sample_fmts,
          *entry == AV_SAMPLE_FMT_NONE)
SUPPORTED(shim_supported_pixel_formats, enum AVPixelFormat, AV_CODEC_CONFIG_PIX_FORMAT, pix_fmts,
          *entry == AV_PIX_FMT_NONE)
SUPPORTED(shim_supported_channel_layouts, AVChannelLayout, AV_CODEC_CONFIG_CHANNEL_LAYOUT, ch_layouts,
          entry->nb_channels == 0)

// Index

int shim_index_entry_at(AVStream *stream, int index, shim_index_entry *entry) {
    const AVIndexEntry *found = avformat_index_get_entry(stream, index);
    if (!found) return -1;
    entry->timestamp = found->timestamp;
    entry->position = found->pos;
    entry->size = found->size;
    entry->flags = found->flags;
    return 0;
}

// Byte transfer

AVIOContext *shim_io_alloc(unsigned char *buffer, int size, int writable, void *opaque, shim_io_read read,
                           shim_io_write write, shim_io_seek seek) {
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    return avio_alloc_context(buffer, size, writable, opaque, read, write, seek);
#else
    return avio_alloc_context(buffer, size, writable, opaque, read, (int (*)(void *, uint8_t *, int))write, seek);
#endif
}
