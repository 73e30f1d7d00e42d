/* Typed forms of libcurl's variadic calls, which Swift cannot import. No logic. */
#pragma once
#include <curl/curl.h>

typedef size_t (*sluice_curl_bytes)(char *bytes, size_t size, size_t count, void *user);
typedef curl_socket_t (*sluice_curl_open_socket)(void *user, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*sluice_curl_prerequest)(
    void *user, char *remote_ip, char *local_ip, int remote_port, int local_port);

CURLcode sluice_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode sluice_curl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode sluice_curl_set_headers(CURL *easy, struct curl_slist *headers);
CURLcode sluice_curl_set_write(CURL *easy, sluice_curl_bytes function, void *user);
CURLcode sluice_curl_set_header(CURL *easy, sluice_curl_bytes function, void *user);
CURLcode sluice_curl_set_open_socket(CURL *easy, sluice_curl_open_socket function, void *user);
CURLcode sluice_curl_set_prerequest(CURL *easy, sluice_curl_prerequest function, void *user);
CURLcode sluice_curl_set_private(CURL *easy, void *user);
void *sluice_curl_private(CURL *easy);
CURLMcode sluice_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);

/* The next finished transfer, or NULL when there is none. */
CURL *sluice_curl_multi_next_done(CURLM *multi, CURLcode *result);

/* Macros and bit masks with values Swift does not see or sees with an unhandy type. */
size_t sluice_curl_write_pause(void);
curl_socket_t sluice_curl_socket_bad(void);
CURLcode sluice_curl_global_init(void);

/* A GNU extension Swift's Glibc does not show; at most 15 characters. */
void sluice_curl_name_thread(const char *name);
