#pragma once
// The parts of FFmpeg that Swift cannot import (function-like macros, compound initialisers, variadic calls) and the
// places where versions 5.1 to 8 differ. No decisions are taken here.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include "../../CFFmpeg/cffmpeg.h"

// Error codes.
static const int shim_averror_eof = AVERROR_EOF;
static const int shim_averror_exit = AVERROR_EXIT;
static const int shim_averror_invalid_data = AVERROR_INVALIDDATA;
static const int shim_averror_decoder_not_found = AVERROR_DECODER_NOT_FOUND;
static const int shim_averror_encoder_not_found = AVERROR_ENCODER_NOT_FOUND;
static const int shim_averror_filter_not_found = AVERROR_FILTER_NOT_FOUND;
static const int shim_averror_option_not_found = AVERROR_OPTION_NOT_FOUND;
static const int shim_averror_patch_welcome = AVERROR_PATCHWELCOME;

/// AVERROR(): the libav code of a POSIX error number.
static inline int shim_averror(int posix) { return AVERROR(posix); }

/// av_err2str() into a caller's buffer; always terminated.
void shim_error_text(int code, char *buffer, size_t size);

// Time.
static const int64_t shim_nopts = AV_NOPTS_VALUE;
static inline AVRational shim_time_base_q(void) { return (AVRational){1, AV_TIME_BASE}; }
static inline AVRational shim_rational(int num, int den) { return (AVRational){num, den}; }

/// MKTAG(): a four-character code as libav keeps it, first character lowest.
static inline uint32_t shim_tag(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
    return (uint32_t)a | (uint32_t)b << 8 | (uint32_t)c << 16 | (uint32_t)d << 24;
}

// Channel layouts.
AVChannelLayout shim_layout_mono(void);
AVChannelLayout shim_layout_stereo(void);
AVChannelLayout shim_layout_surround51(void);
AVChannelLayout shim_layout_surround51_side(void);
AVChannelLayout shim_layout_surround71(void);

// Logging.
/// Receives one formatted line, without its prefix; `source` names the context that logged, or is "".
typedef void (*shim_log_sink)(int level, const char *source, const char *line);
/// Routes av_log lines of `max_level` or graver to `sink`; a null sink restores libav's own output.
void shim_log_install(shim_log_sink sink, int max_level);
/// av_log() of a ready line.
void shim_log(int level, const char *line);

// Side data of a stream: AVStream until 6.0, AVCodecParameters from 6.1.
int shim_stream_side_data_count(const AVStream *stream);
/// 0, or -1 where `index` is out of range.
int shim_stream_side_data_at(const AVStream *stream, int index, enum AVPacketSideDataType *type, const uint8_t **data,
                             size_t *size);

// Frame properties: members until 6.0, flags from 6.1.
int shim_frame_is_interlaced(const AVFrame *frame);
int shim_frame_is_top_field_first(const AVFrame *frame);
int shim_frame_is_key(const AVFrame *frame);
int64_t shim_frame_duration(const AVFrame *frame);
void shim_frame_set_interlaced(AVFrame *frame, int interlaced, int top_field_first);
void shim_frame_set_duration(AVFrame *frame, int64_t duration);

// What an encoder takes: members until 7.0, avcodec_get_supported_config() from 7.1. Each writes at most `capacity`
// values and returns how many, or -1 where the encoder does not restrict the choice.
int shim_supported_sample_rates(const AVCodec *codec, int *values, int capacity);
int shim_supported_sample_formats(const AVCodec *codec, enum AVSampleFormat *values, int capacity);
int shim_supported_pixel_formats(const AVCodec *codec, enum AVPixelFormat *values, int capacity);
/// The values are borrowed from the codec and need no uninit.
int shim_supported_channel_layouts(const AVCodec *codec, AVChannelLayout *values, int capacity);

// The container's index; AVIndexEntry keeps flags and size in bit fields.
typedef struct shim_index_entry {
    int64_t timestamp;
    int64_t position;
    int32_t size;
    int32_t flags;
} shim_index_entry;
/// 0, or -1 where there is no such entry.
int shim_index_entry_at(AVStream *stream, int index, shim_index_entry *entry);

// The write callback takes const bytes from 7.0.
typedef int (*shim_io_read)(void *opaque, uint8_t *bytes, int size);
typedef int (*shim_io_write)(void *opaque, const uint8_t *bytes, int size);
typedef int64_t (*shim_io_seek)(void *opaque, int64_t offset, int whence);
AVIOContext *shim_io_alloc(unsigned char *buffer, int size, int writable, void *opaque, shim_io_read read,
                           shim_io_write write, shim_io_seek seek);
