// libcurl's variadic calls, one function for each type of argument.
#pragma once
#include <curl/curl.h>

typedef size_t (*anthill_curl_reader)(char *buffer, size_t size, size_t count, void *source);

static inline CURLcode anthill_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode anthill_curl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode anthill_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode anthill_curl_set_reader(CURL *handle, anthill_curl_reader reader, void *source) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_READFUNCTION, reader);
  return result != CURLE_OK ? result : curl_easy_setopt(handle, CURLOPT_READDATA, source);
}

typedef int (*anthill_curl_listener)(CURL *handle, curl_infotype type, char *data, size_t size, void *ear);

// With a listener, libcurl tells it all that is said; with NULL, nobody.
static inline CURLcode anthill_curl_set_listener(CURL *handle, anthill_curl_listener listener, void *ear) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, listener);
  if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_DEBUGDATA, ear);
  return result != CURLE_OK ? result : curl_easy_setopt(handle, CURLOPT_VERBOSE, (long)(listener != NULL));
}

typedef size_t (*anthill_curl_writer)(char *piece, size_t size, size_t count, void *sink);

static inline CURLcode anthill_curl_set_writer(CURL *handle, anthill_curl_writer writer, void *sink) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
  return result != CURLE_OK ? result : curl_easy_setopt(handle, CURLOPT_WRITEDATA, sink);
}

static inline long anthill_curl_get_long(CURL *handle, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

typedef curl_socket_t (*anthill_curl_opener)(void *door, curlsocktype purpose, struct curl_sockaddr *address);

// Asked for a socket to each address that a name led to, before anything is sent there.
static inline CURLcode anthill_curl_set_opener(CURL *handle, anthill_curl_opener opener, void *door) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
  return result != CURLE_OK ? result : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, door);
}

// The seconds of a Retry-After, however it is written; 0 without one.
static inline long anthill_curl_get_retry_after(CURL *handle) {
  curl_off_t value = 0;
  curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &value);
  return (long)value;
}
