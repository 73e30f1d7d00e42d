#define _GNU_SOURCE
#include "cmediashim_curl.h"
#include <pthread.h>

CURLcode sluice_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode sluice_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode sluice_curl_set_headers(CURL *easy, struct curl_slist *headers) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

CURLcode sluice_curl_set_write(CURL *easy, sluice_curl_bytes function, void *user) {
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, user);
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
}

CURLcode sluice_curl_set_header(CURL *easy, sluice_curl_bytes function, void *user) {
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, user);
    return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
}

CURLcode sluice_curl_set_open_socket(CURL *easy, sluice_curl_open_socket function, void *user) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, user);
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

CURLcode sluice_curl_set_prerequest(CURL *easy, sluice_curl_prerequest function, void *user) {
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, user);
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

CURLcode sluice_curl_set_private(CURL *easy, void *user) {
    return curl_easy_setopt(easy, CURLOPT_PRIVATE, user);
}

void *sluice_curl_private(CURL *easy) {
    char *user = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_PRIVATE, &user) != CURLE_OK) return NULL;
    return user;
}

CURLMcode sluice_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

CURL *sluice_curl_multi_next_done(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

size_t sluice_curl_write_pause(void) { return CURL_WRITEFUNC_PAUSE; }

curl_socket_t sluice_curl_socket_bad(void) { return CURL_SOCKET_BAD; }

CURLcode sluice_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

void sluice_curl_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
