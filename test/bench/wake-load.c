/*
 * Wake cycles as fast as a server lets them through: connect, [TLS handshake], CONNECT, SUBSCRIBE, hello, desired, bye,
 * DISCONNECT, over and over in a number of slots, by one thread. Every cycle is a new connection: with a full handshake, or,
 * where `resume` is given, with the session that its frame keeps from cycle to cycle, as firmware keeps it over its sleep.
 * With a replier it also is the other client of a bare broker, the one that answers each hello.
 *
 *   wake-load PORT SLOTS SECONDS FRAMES-FILE ((tls | tls1.2) CA-FILE [resume] | plain) [replier PLAIN-PORT]
 *
 * FRAMES-FILE: a line a frame, tab-separated: id, password or -, key file or -, certificate file or -, hello as JSON.
 * Prints `measuring` when the second of warming up is over and each frame has a session, where it keeps one; then one line
 * of JSON: cycles, seconds, failed, resumed (handshakes of these cycles), p50 and p99 in milliseconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "papergate-session.h"

typedef struct {
  char id[65], password[128], key[512], certificate[512], hello[900];
  X509 *x509;
  EVP_PKEY *pkey;
  PapergateSession kept;
} Frame;

enum Stage { CONNECTING, SHAKING, CONNACK, SUBACK, DESIRED, BYE };

typedef struct {
  int fd;
  SSL *ssl;
  enum Stage stage;
  Frame *frame;
  double started;
  int told, acked;
  unsigned char in[4096];
  int held;
} Slot;

static Frame *frames;
static int frameCount, nextFrame, port, epollFd, nextSource;
static SSL_CTX *tls;
static double *times;
static long cycles, failed, resumed;
static int measuring, keeps, withoutSession;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static void die(const char *what) {
  perror(what);
  exit(1);
}

static int put(unsigned char *to, const char *text, int length) {
  to[0] = length >> 8;
  to[1] = length & 255;
  memcpy(to + 2, text, length);
  return length + 2;
}

/* Writes a packet's fixed header and body; returns its length. */
static int packet(unsigned char *to, int type, const unsigned char *body, int length) {
  int at = 0, rest = length;
  to[at++] = type;
  do {
    int digit = rest % 128;
    rest /= 128;
    to[at++] = digit | (rest ? 128 : 0);
  } while (rest);
  memcpy(to + at, body, length);
  return at + length;
}

static int publish(unsigned char *to, const char *topic, const char *payload, int identifier) {
  unsigned char body[2048];
  int at = put(body, topic, strlen(topic));
  body[at++] = identifier >> 8;
  body[at++] = identifier & 255;
  memcpy(body + at, payload, strlen(payload));
  return packet(to, 0x32, body, at + strlen(payload));
}

static int subscribe(unsigned char *to, const char *topic) {
  unsigned char body[256] = {0, 1};
  int at = 2 + put(body + 2, topic, strlen(topic));
  body[at++] = 1;
  return packet(to, 0x82, body, at);
}

static int login(unsigned char *to, const Frame *frame) {
  unsigned char body[512];
  int named = strcmp(frame->password, "-") != 0;
  int at = put(body, "MQTT", 4);
  body[at++] = 4;
  body[at++] = 2 | (named ? 0xC0 : 0);
  body[at++] = 0;
  body[at++] = 60;
  at += put(body + at, frame->id, strlen(frame->id));
  if (named) {
    at += put(body + at, frame->id, strlen(frame->id));
    at += put(body + at, frame->password, strlen(frame->password));
  }
  return packet(to, 0x10, body, at);
}

static int dial(int toPort) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
  if (fd < 0) die("socket");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET, .sin_port = htons(toPort)};
  from.sin_addr.s_addr = htonl(0x7f000001 + 1 + nextSource++ % 100);
  to.sin_addr.s_addr = htonl(0x7f000001);
  int late = 1;
  setsockopt(fd, IPPROTO_IP, 24 /* IP_BIND_ADDRESS_NO_PORT */, &late, sizeof late);
  if (bind(fd, (struct sockaddr *)&from, sizeof from)) die("bind");
  if (connect(fd, (struct sockaddr *)&to, sizeof to) && errno != EINPROGRESS) die("connect");
  return fd;
}

static int sendAll(Slot *slot, const unsigned char *bytes, int length) {
  int sent = slot->ssl ? SSL_write(slot->ssl, bytes, length) : (int)send(slot->fd, bytes, length, MSG_NOSIGNAL);
  return sent == length;
}

/* Keeps what the server gives, in the bytes that firmware would keep. */
static int given(SSL *ssl, SSL_SESSION *session) {
  Frame *frame = ((Slot *)SSL_get_app_data(ssl))->frame;
  unsigned char bytes[PAPERGATE_LIMIT_SESSION_BYTES], *to = bytes;
  int length = i2d_SSL_SESSION(session, NULL);
  size_t before;
  if (length <= 0 || length > (int)sizeof bytes || i2d_SSL_SESSION(session, &to) != length) return 0;
  if (!papergate_session_kept(&frame->kept, &before)) withoutSession--;
  papergate_session_keep(&frame->kept, bytes, length);
  return 0;
}

/* Offers the kept session to the server, which may take it or ask for a full handshake. */
static void offer(Slot *slot) {
  size_t length;
  const unsigned char *bytes = papergate_session_kept(&slot->frame->kept, &length);
  SSL_SESSION *session = bytes ? d2i_SSL_SESSION(NULL, &bytes, (long)length) : NULL;
  SSL_set_app_data(slot->ssl, slot);
  if (session) SSL_set_session(slot->ssl, session);
  SSL_SESSION_free(session);
}

static void start(Slot *slot) {
  slot->frame = &frames[nextFrame++ % frameCount];
  slot->held = slot->told = slot->acked = 0;
  slot->ssl = NULL;
  slot->started = now();
  slot->fd = dial(port);
  slot->stage = CONNECTING;
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = slot};
  if (epoll_ctl(epollFd, EPOLL_CTL_ADD, slot->fd, &event)) die("epoll_ctl");
}

static void finish(Slot *slot, int whole) {
  if (!whole && getenv("VERBOSE")) fprintf(stderr, "%s failed in stage %d\n", slot->frame->id, slot->stage);
  if (whole && measuring) {
    times[cycles++] = now() - slot->started;
    if (slot->ssl && SSL_session_reused(slot->ssl)) resumed++;
  }
  if (!whole) failed++;
  if (slot->ssl) SSL_free(slot->ssl);
  close(slot->fd);
  start(slot);
}

static int opened(Slot *slot) {
  unsigned char out[512];
  slot->stage = CONNACK;
  return sendAll(slot, out, login(out, slot->frame));
}

/* Takes one packet; 0 when the server says what it should not, 2 when the cycle is over. */
static int take(Slot *slot, int type, const unsigned char *body) {
  unsigned char out[2048];
  char topic[128];
  if (slot->stage == CONNACK && type == 0x20 && body[1] == 0) {
    snprintf(topic, sizeof topic, "frames/1/%s/desired", slot->frame->id);
    slot->stage = SUBACK;
    return sendAll(slot, out, subscribe(out, topic));
  }
  if (slot->stage == SUBACK && type == 0x90) {
    snprintf(topic, sizeof topic, "frames/1/%s/hello", slot->frame->id);
    slot->stage = DESIRED;
    return sendAll(slot, out, publish(out, topic, slot->frame->hello, 2));
  }
  if (slot->stage == DESIRED && (type & 0xF0) == 0x30) {
    slot->told = 1;
    if (type & 0x06) {
      int at = 2 + (body[0] << 8 | body[1]);
      unsigned char ack[4] = {0x40, 2, body[at], body[at + 1]};
      if (!sendAll(slot, ack, 4)) return 0;
    }
  } else if (slot->stage == DESIRED && type == 0x40) {
    slot->acked = 1;
  } else if (slot->stage == BYE && type == 0x40) {
    unsigned char bye[2] = {0xE0, 0};
    sendAll(slot, bye, 2);
    return 2;
  } else {
    return 0;
  }
  if (slot->told && slot->acked) {
    snprintf(topic, sizeof topic, "frames/1/%s/bye", slot->frame->id);
    slot->stage = BYE;
    return sendAll(slot, out, publish(out, topic, "{\"sleepSeconds\":3600}", 3));
  }
  return 1;
}

/* Takes every whole packet out of `in`; as `take`. */
static int takeAll(unsigned char *in, int *held, int (*each)(void *, int, const unsigned char *, int), void *self) {
  int at = 0, state = 1;
  while (state == 1 && *held - at >= 2) {
    int length = 0, shift = 0, head = 1;
    while (at + head < *held && (in[at + head] & 128)) {
      length |= (in[at + head++] & 127) << shift;
      shift += 7;
    }
    if (at + head >= *held) break;
    length |= in[at + head++] << shift;
    if (*held - at < head + length) break;
    state = each(self, in[at], in + at + head, length);
    at += head + length;
  }
  if (state == 1) {
    memmove(in, in + at, *held - at);
    *held -= at;
  }
  return state;
}

static int eachOfSlot(void *self, int type, const unsigned char *body, int length) {
  (void)length;
  return take(self, type, body);
}

static void step(Slot *slot) {
  if (slot->stage == CONNECTING) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(slot->fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) return finish(slot, 0);
    if (tls) {
      slot->ssl = SSL_new(tls);
      SSL_use_certificate(slot->ssl, slot->frame->x509);
      SSL_use_PrivateKey(slot->ssl, slot->frame->pkey);
      SSL_set_fd(slot->ssl, slot->fd);
      if (keeps) offer(slot);
      slot->stage = SHAKING;
    } else if (!opened(slot)) {
      return finish(slot, 0);
    }
  }
  if (slot->stage == SHAKING) {
    int done = SSL_connect(slot->ssl);
    if (done != 1) {
      int why = SSL_get_error(slot->ssl, done);
      if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return;
      return finish(slot, 0);
    }
    if (!opened(slot)) return finish(slot, 0);
  }
  for (;;) {
    int room = sizeof slot->in - slot->held;
    int got = slot->ssl ? SSL_read(slot->ssl, slot->in + slot->held, room) : (int)recv(slot->fd, slot->in + slot->held, room, 0);
    if (got <= 0) {
      if (slot->ssl ? SSL_get_error(slot->ssl, got) == SSL_ERROR_WANT_READ : got < 0 && errno == EAGAIN) return;
      return finish(slot, 0);
    }
    slot->held += got;
    int state = takeAll(slot->in, &slot->held, eachOfSlot, slot);
    if (state != 1) return finish(slot, state == 2);
  }
}

/* The other client of a bare broker. Blocking writes are fine: it is on this machine. */
typedef struct {
  int fd;
  unsigned char in[65536];
  int held;
} Replier;

static int answerHello(void *self, int type, const unsigned char *body, int length) {
  Replier *replier = self;
  unsigned char out[1024];
  if ((type & 0xF0) != 0x30) return 1;
  int named = body[0] << 8 | body[1];
  unsigned char ack[4] = {0x40, 2, body[2 + named], body[3 + named]};
  char topic[256];
  (void)length;
  if (type & 0x06 && send(replier->fd, ack, 4, MSG_NOSIGNAL) != 4) return 0;
  snprintf(topic, sizeof topic, "%.*sdesired", named - 5, body + 2);
  int bytes = publish(out, topic, "{\"time\":1790000000,\"settings\":{\"sleepSeconds\":3600}}", 7);
  return send(replier->fd, out, bytes, MSG_NOSIGNAL) == bytes;
}

static void openReplier(Replier *replier, int plainPort) {
  Frame self = {.id = "replier", .password = "-"};
  unsigned char out[512];
  replier->fd = dial(plainPort);
  fcntl(replier->fd, F_SETFL, 0);
  if (send(replier->fd, out, login(out, &self), 0) < 0) die("replier");
  usleep(200000);
  if (send(replier->fd, out, subscribe(out, "frames/1/+/hello"), 0) < 0) die("replier");
  usleep(200000);
  fcntl(replier->fd, F_SETFL, O_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = replier};
  epoll_ctl(epollFd, EPOLL_CTL_ADD, replier->fd, &event);
}

static void hear(Replier *replier) {
  int got = recv(replier->fd, replier->in + replier->held, sizeof replier->in - replier->held, 0);
  if (got <= 0) {
    fprintf(stderr, "the replier was cut off\n");
    exit(1);
  }
  replier->held += got;
  if (takeAll(replier->in, &replier->held, answerHello, replier) != 1) die("replier");
}

static void readFrames(const char *file) {
  FILE *in = fopen(file, "r");
  char line[4096];
  if (!in) die(file);
  frames = calloc(20000, sizeof *frames);
  while (fgets(line, sizeof line, in) && frameCount < 20000) {
    Frame *f = &frames[frameCount++];
    if (sscanf(line, "%64[^\t]\t%127[^\t]\t%511[^\t]\t%511[^\t]\t%899[^\n]", f->id, f->password, f->key, f->certificate, f->hello) != 5)
      die("a line of the frames file");
    if (f->key[0] == '-') continue;
    FILE *key = fopen(f->key, "r"), *certificate = fopen(f->certificate, "r");
    if (!key || !certificate) die(f->key);
    f->pkey = PEM_read_PrivateKey(key, NULL, NULL, NULL);
    f->x509 = PEM_read_X509(certificate, NULL, NULL, NULL);
    fclose(key);
    fclose(certificate);
  }
  fclose(in);
}

static int byTime(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int count, char **words) {
  if (count < 6) {
    fprintf(stderr, "see the head of wake-load.c\n");
    return 2;
  }
  int slots = atoi(words[2]), at = 6;
  double seconds = atof(words[3]);
  port = atoi(words[1]);
  readFrames(words[4]);
  times = malloc(sizeof *times * 10000000);
  epollFd = epoll_create1(0);
  if (!strncmp(words[5], "tls", 3)) {
    int version = strcmp(words[5], "tls1.2") ? TLS1_3_VERSION : TLS1_2_VERSION;
    tls = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_min_proto_version(tls, version);
    SSL_CTX_set_max_proto_version(tls, version);
    SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
    SSL_CTX_set1_groups_list(tls, "P-256");
    SSL_CTX_load_verify_locations(tls, words[at++], NULL);
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, NULL);
    if (count > at && !strcmp(words[at], "resume")) {
      keeps = 1;
      at++;
      withoutSession = frameCount;
      SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
      SSL_CTX_sess_set_new_cb(tls, given);
    }
  }
  static Replier replier;
  replier.fd = -1;
  if (count > at + 1 && !strcmp(words[at], "replier")) openReplier(&replier, atoi(words[at + 1]));
  Slot *all = calloc(slots, sizeof *all);
  for (int i = 0; i < slots; i++) start(&all[i]);
  double begun = now(), from = begun + 1, until = 0;
  struct epoll_event events[256];
  while (!measuring || now() < until) {
    if (!measuring && withoutSession <= 0 && now() >= from) {
      measuring = 1, failed = 0;
      from = now();
      until = from + seconds;
      printf("measuring\n");
      fflush(stdout);
    }
    int ready = epoll_wait(epollFd, events, 256, 100);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.ptr == &replier) hear(&replier);
      else step(events[i].data.ptr);
    }
  }
  qsort(times, cycles, sizeof *times, byTime);
  printf("{\"cycles\":%ld,\"seconds\":%.3f,\"failed\":%ld,\"resumed\":%ld,\"p50\":%.2f,\"p99\":%.2f}\n", cycles, now() - from, failed, resumed,
         cycles ? times[cycles / 2] * 1e3 : 0, cycles ? times[cycles * 99 / 100] * 1e3 : 0);
  return 0;
}
