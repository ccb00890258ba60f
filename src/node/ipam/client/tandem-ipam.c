// tandem-ipam: what a CNI runtime starts for every interface of every pod. It hands what it was asked to
// whoever works for this machine, and prints the answer. Where nobody answers, it becomes the full program
// beside it, which does the work itself.
//
// Both ways a message is its length in decimal, a newline, and so many bytes. The question: variables, each
// ended by a NUL, one NUL more, standard input. The answer: the exit code as a digit, standard output. Who needs
// longer for it sends a space now and then.

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// Who is silent for that long hangs.
static const struct timeval patience = {.tv_sec = 5};

extern char **environ;

struct text {
  char *bytes;
  size_t length;
};

static void append(struct text *text, const char *bytes, size_t length) {
  text->bytes = realloc(text->bytes, text->length + length + 1);
  if (text->bytes == NULL) abort();
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = '\0';
}

// What one read brings; 0 at the end, or when it fails or takes too long.
static size_t receive(int file, struct text *text) {
  char bytes[16384];
  ssize_t length = read(file, bytes, sizeof bytes);
  if (length <= 0) return 0;
  append(text, bytes, (size_t)length);
  return (size_t)length;
}

static int hand_over(int file, struct text text) {
  while (text.length > 0) {
    ssize_t sent = write(file, text.bytes, text.length);
    if (sent < 0) return 0;
    text.bytes += sent;
    text.length -= (size_t)sent;
  }
  return 1;
}

static struct text question(struct text input) {
  struct text content = {0}, message = {0};
  char host[HOST_NAME_MAX + 1] = "", line[32];
  for (char **variable = environ; *variable != NULL; variable++) {
    if (strncmp(*variable, "CNI_", 4) == 0) append(&content, *variable, strlen(*variable) + 1);
  }
  const char *node = getenv("NODENAME");
  if (node == NULL) node = gethostname(host, sizeof host - 1) == 0 ? host : "";
  append(&content, "NODENAME=", 9);
  append(&content, node, strlen(node) + 1);
  append(&content, "", 1);
  append(&content, input.bytes, input.length);
  append(&message, line, (size_t)snprintf(line, sizeof line, "%zu\n", content.length));
  append(&message, content.bytes, content.length);
  return message;
}

// Each network namespace has its own socket: who is in another one may not reach what we reach.
static int name_socket(struct sockaddr_un *place) {
  struct stat namespace;
  const char *given = getenv("TANDEM_IPAM_SOCKET");
  size_t size = sizeof place->sun_path;
  place->sun_family = AF_UNIX;
  if (given != NULL) return (size_t)snprintf(place->sun_path, size, "%s", given) < size;
  if (stat("/proc/self/ns/net", &namespace) != 0) return 0;
  snprintf(place->sun_path, size, "/run/tandem-ipam/%lu.sock", (unsigned long)namespace.st_ino);
  return 1;
}

// Only root, or who we are ourselves, is believed.
static int is_trusted(int file) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 0;
  return peer.uid == 0 || peer.uid == geteuid();
}

// Exits with the answer, if there is one; an answer that breaks off is none.
static void ask(const struct sockaddr_un *place, struct text message) {
  struct text answer = {0};
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return;
  setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(file, (const struct sockaddr *)place, sizeof *place) == 0 && is_trusted(file) &&
      hand_over(file, message)) {
    while (receive(file, &answer) > 0) {
      char *content;
      size_t length = strtoul(answer.bytes, &content, 10);
      if (*content != '\n') continue;
      content++;
      size_t present = answer.length - (size_t)(content - answer.bytes);
      if (length == 0 || present < length) continue;
      _exit(hand_over(STDOUT_FILENO, (struct text){content + 1, length - 1}) ? *content - '0' : 1);
    }
  }
  // It hangs, and would keep everybody waiting. A daemon that comes back puts its socket there again.
  if (errno == EAGAIN) unlink(place->sun_path);
  close(file);
}

// Becomes the full program, which finds what was asked where it expects it.
static void become(const char *program, char **arguments, struct text input) {
  int file = memfd_create("standard input", MFD_CLOEXEC);
  if (file < 0 || !hand_over(file, input) || lseek(file, 0, SEEK_SET) != 0) return;
  if (dup2(file, STDIN_FILENO) == STDIN_FILENO) execv(program, arguments);
}

// Without what JSON would need a backslash for.
static const char *plain(char *text) {
  for (char *one = text; *one != '\0'; one++) {
    if (*one == '"' || *one == '\\' || (unsigned char)*one < ' ') *one = '?';
  }
  return text;
}

int main(int count, char **arguments) {
  struct text input = {0};
  struct sockaddr_un place = {0};
  char program[PATH_MAX + sizeof "/tandem-ipam-full"] = "";
  (void)count;
  signal(SIGPIPE, SIG_IGN);
  append(&input, "", 0);
  while (receive(STDIN_FILENO, &input) > 0) continue;
  if (name_socket(&place)) ask(&place, question(input));
  if (readlink("/proc/self/exe", program, PATH_MAX) > 0) {
    strcpy(strrchr(program, '/'), "/tandem-ipam-full");
    signal(SIGPIPE, SIG_DFL);
    become(program, arguments, input);
  }
  const char *state = strerror(errno);
  printf("{\"cniVersion\":\"1.1.0\",\"code\":11,\"msg\":\"Cannot reach the daemon at %s, nor start %s in "
         "its place: %s\"}\n",
         plain(place.sun_path), plain(program), state);
  return 1;
}
