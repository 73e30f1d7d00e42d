#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct MHD_Connection;
struct MHD_Response;

/// One daemon of libmicrohttpd with its callbacks.
typedef struct sluice_mhd_server sluice_mhd_server;

typedef struct {
    /// Handed to every callback.
    void *context;
    /// A client wants to connect. Returns 0 to turn it away.
    int (*accepts)(void *context);
    /// A request line was read; `target` is what the client sent, undecoded. The result names the exchange from now on.
    void *(*begin)(void *context, const char *target);
    /// Headers are there (first call), body bytes are there (`*size` > 0, set it to what is left), or the request is
    /// complete or was resumed. Returns 0 to close the connection.
    int (*handle)(void *context, void *exchange, struct MHD_Connection *connection, const char *method,
                  const char *body, size_t *size);
    /// The exchange is over; its name is never used again.
    void (*end)(void *context, void *exchange);
    /// A client has connected, or its connection is about to be closed; between the two nobody else has this socket.
    void (*connected)(void *context, int socket);
    void (*disconnected)(void *context, int socket);
    /// A message of the library, without a newline.
    void (*log)(void *context, const char *message);
} sluice_mhd_callbacks;

typedef struct {
    int listener;
    unsigned threads;
    unsigned connections;
    unsigned connections_per_address;
    unsigned idle_seconds;
    /// Bytes of request line and headers, and of the output buffer, a connection.
    size_t memory_per_connection;
    /// PEM texts; both NULL for plain HTTP.
    const char *certificate;
    const char *key;
} sluice_mhd_limits;

/// A listening socket on a numeric address; port 0 takes a free one. Returns -errno where that fails.
int sluice_mhd_listen(const char *address, uint16_t port, int backlog);
/// The port of a listening socket; 0 where it cannot be told.
uint16_t sluice_mhd_port(int listener);

/// Whether the library can speak TLS.
int sluice_mhd_has_tls(void);

/// Starts epoll threads over `limits->listener`, which is the library's once they run; NULL where the library refuses.
sluice_mhd_server *sluice_mhd_start(const sluice_mhd_limits *limits, const sluice_mhd_callbacks *callbacks);
/// Ends threads and connections and closes the listener. No connection may be suspended.
///
/// There is no call to MHD_quiesce_daemon: with epoll it removes the listener from the sets of threads that may be
/// removing it themselves, and the library ends the process when both do (seen with 0.9.75). `accepts` turns new
/// clients away instead.
void sluice_mhd_stop(sluice_mhd_server *server);

/// Calls `visit` for every request header.
void sluice_mhd_headers(struct MHD_Connection *connection, void *context,
                        void (*visit)(void *context, const char *name, size_t name_size, const char *value,
                                      size_t value_size));
int sluice_mhd_socket(struct MHD_Connection *connection);
/// Whether what the connection sends is encrypted.
int sluice_mhd_is_secure(struct MHD_Connection *connection);
/// The peer's numeric address, at most `size` - 1 characters.
void sluice_mhd_peer(struct MHD_Connection *connection, char *text, size_t size);

/// A response without a body.
struct MHD_Response *sluice_mhd_empty_response(void);
/// A response of one buffer from malloc, which the response frees.
struct MHD_Response *sluice_mhd_buffer_response(void *buffer, size_t size);
/// Returns 1 where the response was queued; it is still the caller's to destroy.
int sluice_mhd_queue(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response);

/// A response whose body is pulled from `read`, `size` bytes in all; `release` is called once, when it is no longer
/// needed. `read` returns the bytes it put at `buffer`, at least 1, or -1.
struct MHD_Response *sluice_mhd_pulled_response(uint64_t size, size_t block, void *context,
                                                ptrdiff_t (*read)(void *context, uint64_t position, char *buffer,
                                                                  size_t size),
                                                void (*release)(void *context));

/// A response of these pieces of memory, which stay where they are until `release` is called, once: when the response
/// is no longer needed, or at once where it cannot be made.
struct MHD_Response *sluice_mhd_vector_response(const struct iovec *pieces, unsigned count, void *context,
                                                void (*release)(void *context));

/// An epoll set and an event counter that wakes it.
typedef struct {
    int epoll;
    int wake;
} sluice_watch;

/// Returns 0, or -errno.
int sluice_watch_open(sluice_watch *watch);
void sluice_watch_close(sluice_watch *watch);
void sluice_watch_wake(const sluice_watch *watch);
/// Reports `token` (not 0) once when the peer of `socket` has closed. Returns 0, or -errno.
int sluice_watch_add(const sluice_watch *watch, int socket, uint64_t token);
void sluice_watch_remove(const sluice_watch *watch, int socket);
/// Waits up to `milliseconds` (-1: without end); returns how many tokens it put at `tokens`.
int sluice_watch_wait(const sluice_watch *watch, uint64_t *tokens, int capacity, int milliseconds);
