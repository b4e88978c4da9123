/*
 * A TLS session that a frame keeps over its deep sleep, so that its next wake needs no full handshake. docs/kept-sessions.md
 * says when to keep and to offer it. It needs C99 and no TLS library: the library
 * writes a session as bytes and reads it again (mbedTLS: mbedtls_ssl_session_save and mbedtls_ssl_session_load, OpenSSL:
 * i2d_SSL_SESSION and d2i_SSL_SESSION), and these functions guard the bytes.
 *
 * Put the struct into memory that survives deep sleep and is lost with the power; on an ESP32
 *
 *   static RTC_DATA_ATTR PapergateSession session;
 *
 * Until it ends, a session is as good as the frame's key: never log it, nor send it anywhere.
 */

#ifndef PAPERGATE_SESSION_H
#define PAPERGATE_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "papergate.h"

typedef struct {
  uint32_t length; /* 0: nothing is kept */
  uint32_t check;
  unsigned char bytes[PAPERGATE_LIMIT_SESSION_BYTES];
} PapergateSession;

/* FNV-1a over the length and the bytes: memory that was never written, or lost its power, does not pass. */
static inline uint32_t papergate_session_check(const PapergateSession *session) {
  uint32_t hash = (2166136261u ^ session->length) * 16777619u;
  for (uint32_t at = 0; at < session->length; at++) hash = (hash ^ session->bytes[at]) * 16777619u;
  return hash;
}

/* Forgets the session and overwrites its bytes. */
static inline void papergate_session_forget(PapergateSession *session) {
  volatile unsigned char *bytes = session->bytes;
  for (size_t at = 0; at < sizeof session->bytes; at++) bytes[at] = 0;
  session->length = 0;
  session->check = 0;
}

/* Keeps a session in place of the one before. Returns 0, and keeps none, when it does not fit: the next handshake is full. */
static inline int papergate_session_keep(PapergateSession *session, const unsigned char *bytes, size_t length) {
  papergate_session_forget(session);
  if (length == 0 || length > sizeof session->bytes) return 0;
  for (size_t at = 0; at < length; at++) session->bytes[at] = bytes[at];
  session->length = (uint32_t)length;
  session->check = papergate_session_check(session);
  return 1;
}

/* Returns the bytes of the session and sets their length; NULL, and 0, when none is kept or the memory holds anything else. */
static inline const unsigned char *papergate_session_kept(const PapergateSession *session, size_t *length) {
  int whole = session->length > 0 && session->length <= sizeof session->bytes;
  *length = 0;
  if (!whole || session->check != papergate_session_check(session)) return NULL;
  *length = session->length;
  return session->bytes;
}

#endif
