#define _GNU_SOURCE
#include "cmediashim_mhd.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct sluice_mhd_server {
    struct MHD_Daemon *daemon;
    sluice_mhd_callbacks callbacks;
};

int sluice_mhd_listen(const char *address, uint16_t port, int backlog) {
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (getaddrinfo(address, service, &hints, &found) != 0 || found == NULL) return -EINVAL;

    int result = -EINVAL;
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        result = -errno;
    } else {
        int on = 1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, backlog) == 0) {
            result = fd;
        } else {
            result = -errno;
            close(fd);
        }
    }
    freeaddrinfo(found);
    return result;
}

uint16_t sluice_mhd_port(int listener) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(listener, (struct sockaddr *)&address, &size) != 0) return 0;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return 0;
}

static enum MHD_Result on_accept(void *cls, const struct sockaddr *address, socklen_t size) {
    (void)address;
    (void)size;
    struct sluice_mhd_server *server = cls;
    return server->callbacks.accepts(server->callbacks.context) ? MHD_YES : MHD_NO;
}

static void *on_uri(void *cls, const char *uri, struct MHD_Connection *connection) {
    (void)connection;
    struct sluice_mhd_server *server = cls;
    return server->callbacks.begin(server->callbacks.context, uri);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *data, size_t *size, void **exchange) {
    (void)url;
    (void)version;
    struct sluice_mhd_server *server = cls;
    return server->callbacks.handle(server->callbacks.context, *exchange, connection, method, data, size) ? MHD_YES
                                                                                                           : MHD_NO;
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **exchange,
                         enum MHD_RequestTerminationCode code) {
    (void)connection;
    (void)code;
    struct sluice_mhd_server *server = cls;
    if (*exchange == NULL) return;
    server->callbacks.end(server->callbacks.context, *exchange);
    *exchange = NULL;
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code) {
    (void)socket_context;
    struct sluice_mhd_server *server = cls;
    int socket = sluice_mhd_socket(connection);
    if (socket < 0) return;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        server->callbacks.connected(server->callbacks.context, socket);
    } else {
        server->callbacks.disconnected(server->callbacks.context, socket);
    }
}

int sluice_mhd_has_tls(void) { return MHD_is_feature_supported(MHD_FEATURE_TLS) == MHD_YES; }

/// Targets are decoded by whoever splits them: an encoded slash is not a separator.
static size_t keep_escapes(void *cls, struct MHD_Connection *connection, char *text) {
    (void)cls;
    (void)connection;
    return strlen(text);
}

static void on_log(void *cls, const char *format, va_list arguments) {
    struct sluice_mhd_server *server = cls;
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    line[strcspn(line, "\r\n")] = 0;
    if (line[0] != 0) server->callbacks.log(server->callbacks.context, line);
}

sluice_mhd_server *sluice_mhd_start(const sluice_mhd_limits *limits, const sluice_mhd_callbacks *callbacks) {
    struct sluice_mhd_server *server = calloc(1, sizeof *server);
    if (server == NULL) return NULL;
    server->callbacks = *callbacks;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem options[] = {
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)on_log, server},
        {MHD_OPTION_LISTEN_SOCKET, limits->listener, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, limits->connections, NULL},
        {MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits->connections_per_address, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, limits->idle_seconds, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)limits->memory_per_connection, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)on_uri, server},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_completed, server},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, server},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)keep_escapes, NULL},
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    size_t last = 0;
    while (options[last].option != MHD_OPTION_END) last++;
    // A pool of one thread is refused.
    if (limits->threads > 1) {
        options[last++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, limits->threads, NULL};
    }
    if (limits->certificate != NULL && limits->key != NULL) {
        flags |= MHD_USE_TLS;
        options[last++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)limits->certificate};
        options[last++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)limits->key};
    }
    server->daemon =
        MHD_start_daemon(flags, 0, on_accept, server, on_request, server, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    if (server->daemon == NULL) {
        free(server);
        return NULL;
    }
    return server;
}

void sluice_mhd_stop(sluice_mhd_server *server) {
    MHD_stop_daemon(server->daemon);
    free(server);
}

struct header_visit {
    void *context;
    void (*visit)(void *, const char *, size_t, const char *, size_t);
};

static enum MHD_Result on_header(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                 const char *value, size_t value_size) {
    (void)kind;
    struct header_visit *visit = cls;
    visit->visit(visit->context, name, name_size, value ? value : "", value ? value_size : 0);
    return MHD_YES;
}

void sluice_mhd_headers(struct MHD_Connection *connection, void *context,
                        void (*visit)(void *, const char *, size_t, const char *, size_t)) {
    struct header_visit box = {context, visit};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, on_header, &box);
}

int sluice_mhd_is_secure(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION) != NULL;
}

int sluice_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

void sluice_mhd_peer(struct MHD_Connection *connection, char *text, size_t size) {
    text[0] = 0;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (info == NULL || info->client_addr == NULL) return;
    const struct sockaddr *address = info->client_addr;
    socklen_t length = address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    if (getnameinfo(address, length, text, (socklen_t)size, NULL, 0, NI_NUMERICHOST) != 0) text[0] = 0;
}

struct MHD_Response *sluice_mhd_empty_response(void) {
    return MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
}

struct MHD_Response *sluice_mhd_buffer_response(void *buffer, size_t size) {
    return MHD_create_response_from_buffer(size, buffer, MHD_RESPMEM_MUST_FREE);
}

int sluice_mhd_queue(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
    return MHD_queue_response(connection, status, response) == MHD_YES;
}

struct pulled {
    void *context;
    ptrdiff_t (*read)(void *, uint64_t, char *, size_t);
    void (*release)(void *);
};

static ssize_t on_pull(void *cls, uint64_t position, char *buffer, size_t size) {
    struct pulled *body = cls;
    ptrdiff_t count = body->read(body->context, position, buffer, size);
    // 0 would make the library ask again at once and for ever.
    return count > 0 ? count : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void on_release(void *cls) {
    struct pulled *body = cls;
    body->release(body->context);
    free(body);
}

struct MHD_Response *sluice_mhd_pulled_response(uint64_t size, size_t block, void *context,
                                                ptrdiff_t (*read)(void *, uint64_t, char *, size_t),
                                                void (*release)(void *)) {
    struct pulled *body = malloc(sizeof *body);
    if (body == NULL) {
        release(context);
        return NULL;
    }
    *body = (struct pulled){context, read, release};
    struct MHD_Response *response = MHD_create_response_from_callback(size, block, on_pull, body, on_release);
    if (response == NULL) on_release(body);
    return response;
}

struct MHD_Response *sluice_mhd_vector_response(const struct iovec *pieces, unsigned count, void *context,
                                                void (*release)(void *)) {
    _Static_assert(sizeof(struct MHD_IoVec) == sizeof(struct iovec), "the library's vector is the system's");
    struct MHD_Response *response =
        MHD_create_response_from_iovec((const struct MHD_IoVec *)(const void *)pieces, count, release, context);
    if (response == NULL) release(context);
    return response;
}

int sluice_watch_open(sluice_watch *watch) {
    watch->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (watch->epoll < 0) return -errno;
    watch->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0};
    if (watch->wake < 0 || epoll_ctl(watch->epoll, EPOLL_CTL_ADD, watch->wake, &event) != 0) {
        int error = errno;
        if (watch->wake >= 0) close(watch->wake);
        close(watch->epoll);
        return -error;
    }
    return 0;
}

void sluice_watch_close(sluice_watch *watch) {
    close(watch->wake);
    close(watch->epoll);
}

void sluice_watch_wake(const sluice_watch *watch) {
    uint64_t one = 1;
    while (write(watch->wake, &one, sizeof one) < 0 && errno == EINTR) {}
}

int sluice_watch_add(const sluice_watch *watch, int socket, uint64_t token) {
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.u64 = token};
    return epoll_ctl(watch->epoll, EPOLL_CTL_ADD, socket, &event) == 0 ? 0 : -errno;
}

void sluice_watch_remove(const sluice_watch *watch, int socket) {
    struct epoll_event event = {0};
    epoll_ctl(watch->epoll, EPOLL_CTL_DEL, socket, &event);
}

int sluice_watch_wait(const sluice_watch *watch, uint64_t *tokens, int capacity, int milliseconds) {
    struct epoll_event events[64];
    if (capacity > 64) capacity = 64;
    int count = epoll_wait(watch->epoll, events, capacity, milliseconds);
    int used = 0;
    for (int i = 0; i < count; i++) {
        if (events[i].data.u64 != 0) {
            tokens[used++] = events[i].data.u64;
            continue;
        }
        uint64_t drained;
        while (read(watch->wake, &drained, sizeof drained) < 0 && errno == EINTR) {}
    }
    return used;
}
