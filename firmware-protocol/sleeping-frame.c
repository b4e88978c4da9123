/*
 * One wake of a frame as firmware would have it, as far as TLS: the session that lies in FILE, its memory over the sleep, is
 * offered; whatever becomes of that, the frame logs in; what it has been given then lies in FILE for the next wake.
 *
 *   sleeping-frame PORT CA-FILE KEY-FILE CERTIFICATE-FILE SERIAL FILE (1.2 | 1.3)
 *
 * Prints JSON: whether a session was kept, whether it was resumed, the code of CONNACK, the bytes of the session and of its
 * ticket, the bytes that were read and written, the seconds of the ticket's life, the bytes of early data it allows, the
 * microseconds from dialling to CONNACK, and those of the processor in between.
 */
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "papergate-session.h"

/* On an ESP32: static RTC_DATA_ATTR PapergateSession session; */
static PapergateSession session;

static void remember(const char *file) {
  FILE *in = fopen(file, "rb");
  if (in == NULL) return;
  if (fread(&session, sizeof session, 1, in) != 1) papergate_session_forget(&session);
  fclose(in);
}

static void sleepNow(const char *file) {
  FILE *out = fopen(file, "wb");
  if (out == NULL || fwrite(&session, sizeof session, 1, out) != 1) exit(1);
  fclose(out);
}

/* Called with each ticket: in TLS 1.3 after the handshake, once the frame reads. The last one is kept. */
static int given(SSL *ssl, SSL_SESSION *fresh) {
  unsigned char bytes[PAPERGATE_LIMIT_SESSION_BYTES], *to = bytes;
  int length = i2d_SSL_SESSION(fresh, NULL);
  (void)ssl;
  if (length > 0 && length <= (int)sizeof bytes) papergate_session_keep(&session, bytes, (size_t)i2d_SSL_SESSION(fresh, &to));
  return 0;
}

static void offer(SSL *ssl) {
  size_t length;
  const unsigned char *bytes = papergate_session_kept(&session, &length);
  SSL_SESSION *kept = bytes == NULL ? NULL : d2i_SSL_SESSION(NULL, &bytes, (long)length);
  if (kept != NULL) SSL_set_session(ssl, kept);
  SSL_SESSION_free(kept);
}

static int dial(int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0) exit(1);
  return fd;
}

static long long microseconds(clockid_t of) {
  struct timespec t;
  clock_gettime(of, &t);
  return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

/* CONNECT with a clean session and nothing else than the client id; returns the code of CONNACK. */
static int login(SSL *ssl, const char *serial) {
  size_t length = strlen(serial);
  unsigned char out[80] = {0x10, (unsigned char)(12 + length), 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 60, 0, (unsigned char)length};
  unsigned char answer[4];
  memcpy(out + 14, serial, length);
  if (SSL_write(ssl, out, (int)(14 + length)) <= 0 || SSL_read(ssl, answer, sizeof answer) != sizeof answer) return -1;
  return answer[3];
}

int main(int count, char **words) {
  if (count != 8) return 2;
  int version = strcmp(words[7], "1.2") == 0 ? TLS1_2_VERSION : TLS1_3_VERSION;
  SSL_CTX *tls = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_min_proto_version(tls, version);
  SSL_CTX_set_max_proto_version(tls, version);
  SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, NULL);
  /* OpenSSL offers a session for two hours unless it is told otherwise. */
  SSL_CTX_set_timeout(tls, 604800);
  SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(tls, given);
  if (SSL_CTX_load_verify_locations(tls, words[2], NULL) != 1) return 1;
  if (SSL_CTX_use_PrivateKey_file(tls, words[3], SSL_FILETYPE_PEM) != 1) return 1;
  if (SSL_CTX_use_certificate_file(tls, words[4], SSL_FILETYPE_PEM) != 1) return 1;

  remember(words[6]);
  size_t before, after;
  int had = papergate_session_kept(&session, &before) != NULL;
  long long dialled = microseconds(CLOCK_MONOTONIC), worked = microseconds(CLOCK_PROCESS_CPUTIME_ID);
  int fd = dial(atoi(words[1]));
  SSL *ssl = SSL_new(tls);
  SSL_set_fd(ssl, fd);
  offer(ssl);
  if (SSL_connect(ssl) != 1) {
    /* No handshake came about: the next wake offers nothing. */
    papergate_session_forget(&session);
    sleepNow(words[6]);
    return 1;
  }
  int code = login(ssl, words[5]);
  dialled = microseconds(CLOCK_MONOTONIC) - dialled, worked = microseconds(CLOCK_PROCESS_CPUTIME_ID) - worked;
  const unsigned char *bytes = papergate_session_kept(&session, &after), *from = bytes, *ticket = NULL;
  size_t ticketBytes = 0;
  SSL_SESSION *now = bytes == NULL ? NULL : d2i_SSL_SESSION(NULL, &from, (long)after);
  if (now != NULL) SSL_SESSION_get0_ticket(now, &ticket, &ticketBytes);
  printf("{\"kept\":%d,\"resumed\":%d,\"code\":%d,\"sessionBytes\":%zu,\"ticketBytes\":%zu,\"read\":%llu,\"written\":%llu,\"seconds\":%lu,\"early\":%u,\"us\":%lld,\"cpuUs\":%lld}\n",
         had, SSL_session_reused(ssl), code, after, ticketBytes, (unsigned long long)BIO_number_read(SSL_get_rbio(ssl)),
         (unsigned long long)BIO_number_written(SSL_get_wbio(ssl)), now == NULL ? 0 : SSL_SESSION_get_ticket_lifetime_hint(now),
         now == NULL ? 0 : SSL_SESSION_get_max_early_data(now), dialled, worked);
  SSL_SESSION_free(now);
  sleepNow(words[6]);
  SSL_free(ssl);
  close(fd);
  SSL_CTX_free(tls);
  return 0;
}
