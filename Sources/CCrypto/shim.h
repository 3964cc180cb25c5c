// What is asked of OpenSSL's libcrypto: the curve P-256, HKDF with SHA-256, AES-128-GCM. Each says whether it was done.
#pragma once
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>
#include <stdbool.h>
#include <stdint.h>

// The public key of a private one, as an uncompressed point; false for a number that is no private key.
static inline bool anthill_p256_public(const uint8_t *secret, uint8_t *point) {
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  EC_POINT *product = group ? EC_POINT_new(group) : NULL;
  BIGNUM *factor = BN_bin2bn(secret, 32, NULL);
  if (factor) BN_set_flags(factor, BN_FLG_CONSTTIME);
  bool done = product && factor && !BN_is_zero(factor) && BN_cmp(factor, EC_GROUP_get0_order(group)) < 0 &&
              EC_POINT_mul(group, product, factor, NULL, NULL, NULL) == 1 &&
              EC_POINT_point2oct(group, product, POINT_CONVERSION_UNCOMPRESSED, point, 65, NULL) == 65;
  BN_clear_free(factor);
  EC_POINT_free(product);
  EC_GROUP_free(group);
  return done;
}

// A key: the public one alone without `secret`. NULL for what is no point of the curve. To be freed.
static inline EVP_PKEY *anthill_p256_key(const uint8_t *secret, const uint8_t *point) {
  EVP_PKEY *key = NULL;
  BIGNUM *number = secret ? BN_bin2bn(secret, 32, NULL) : NULL;
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  OSSL_PARAM *parts = NULL;
  if (builder && context && (!secret || number) &&
      OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65) == 1 &&
      (!secret || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number) == 1) &&
      (parts = OSSL_PARAM_BLD_to_param(builder)) && EVP_PKEY_fromdata_init(context) == 1)
    EVP_PKEY_fromdata(context, &key, secret ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parts);
  OSSL_PARAM_free(parts);
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_BLD_free(builder);
  BN_clear_free(number);
  return key;
}

// Whether 65 bytes are a public key.
static inline bool anthill_p256_is_public(const uint8_t *point) {
  EVP_PKEY *key = anthill_p256_key(NULL, point);
  EVP_PKEY_free(key);
  return key != NULL;
}

// The secret of 32 bytes that the owner of a private key shares with the owner of another public one.
static inline bool anthill_p256_shared(const uint8_t *secret, const uint8_t *own, const uint8_t *other, uint8_t *shared) {
  EVP_PKEY *mine = anthill_p256_key(secret, own), *theirs = anthill_p256_key(NULL, other);
  EVP_PKEY_CTX *context = mine ? EVP_PKEY_CTX_new(mine, NULL) : NULL;
  size_t length = 32;
  bool done = context && theirs && EVP_PKEY_derive_init(context) == 1 &&
              EVP_PKEY_derive_set_peer(context, theirs) == 1 && EVP_PKEY_derive(context, shared, &length) == 1 &&
              length == 32;
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(theirs);
  EVP_PKEY_free(mine);
  return done;
}

// HKDF (RFC 5869) with SHA-256.
static inline bool anthill_hkdf(const uint8_t *salt, size_t salt_length, const uint8_t *secret, size_t secret_length,
                                const uint8_t *info, size_t info_length, uint8_t *key, size_t key_length) {
  EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
  EVP_KDF_CTX *context = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
  OSSL_PARAM parts[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, secret_length),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_length),
      OSSL_PARAM_construct_end(),
  };
  bool done = context && EVP_KDF_derive(context, key, key_length, parts) == 1;
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(kdf);
  return done;
}

// AES-128-GCM: `sealed` gets the encrypted text and, after it, its tag of 16 bytes.
static inline bool anthill_aes_gcm_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *text, int length,
                                        uint8_t *sealed) {
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int written = 0, rest = 0;
  bool done = context && EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), NULL, key, nonce) == 1 &&
              EVP_EncryptUpdate(context, sealed, &written, text, length) == 1 &&
              EVP_EncryptFinal_ex(context, sealed + written, &rest) == 1 && written + rest == length &&
              EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, sealed + length) == 1;
  EVP_CIPHER_CTX_free(context);
  return done;
}
