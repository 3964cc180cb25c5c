// What is asked of libjose, without the macros of jansson and OpenSSL that lie under it.
#pragma once
#include <jose/jws.h>
#include <jose/openssl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>

// libjose would write to standard error what it does not like.
static inline void anthill_jose_silence(void *misc, const char *file, int line, uint64_t error, const char *format, va_list ap) {
  (void)misc, (void)file, (void)line, (void)error, (void)format, (void)ap;
}

static inline jose_cfg_t *anthill_jose_configuration(void) {
  jose_cfg_t *configuration = jose_cfg();
  if (configuration) jose_cfg_set_err_func(configuration, anthill_jose_silence, NULL);
  return configuration;
}

// Whether the key `jwk` signed `jws`, a JWS in the flattened form. Both are JSON.
static inline bool anthill_jose_verifies(const char *jws, const char *jwk) {
  jose_cfg_t *configuration = anthill_jose_configuration();
  json_t *token = json_loads(jws, JSON_REJECT_DUPLICATES, NULL), *key = json_loads(jwk, JSON_REJECT_DUPLICATES, NULL);
  bool result = configuration && token && key && jose_jws_ver(configuration, token, NULL, key, true);
  json_decref(key);
  json_decref(token);
  if (configuration) jose_cfg_decref(configuration);
  return result;
}

// The signature of `jwk` over a header and a payload, as a JWS in the flattened form; NULL when it cannot sign. To be freed.
static inline char *anthill_jose_sign(const char *header, const char *payload, const char *jwk) {
  jose_cfg_t *configuration = anthill_jose_configuration();
  json_t *token = json_pack("{s:s}", "payload", payload), *signature = json_pack("{s:s}", "protected", header);
  json_t *key = json_loads(jwk, 0, NULL);
  bool done = configuration && token && signature && key && jose_jws_sig(configuration, token, signature, key);
  char *text = done ? json_dumps(token, JSON_COMPACT) : NULL;
  json_decref(key);
  json_decref(signature);
  json_decref(token);
  if (configuration) jose_cfg_decref(configuration);
  return text;
}

// The private key in a PEM text as a JWK; NULL when there is none, or only with a passphrase. To be freed.
static inline char *anthill_jose_read_pem(const char *pem) {
  BIO *source = BIO_new_mem_buf(pem, -1);
  EVP_PKEY *key = source ? PEM_read_bio_PrivateKey(source, NULL, NULL, (void *)"") : NULL;
  jose_cfg_t *configuration = anthill_jose_configuration();
  json_t *jwk = configuration && key ? jose_openssl_jwk_from_EVP_PKEY(configuration, key) : NULL;
  char *text = jwk ? json_dumps(jwk, JSON_COMPACT) : NULL;
  json_decref(jwk);
  if (configuration) jose_cfg_decref(configuration);
  EVP_PKEY_free(key);
  BIO_free(source);
  return text;
}
