// tandem-sandbox: mounts what a container is given, in a mount namespace of its own, and becomes the program
// that looks after the container.
//
//   tandem-sandbox { overlay OPTIONS TARGET | bind ROOT INSIDE FLAGS TARGET }... -- PROGRAM [ARGUMENT]...
//
// A container may change a path while it is being resolved. So nothing is checked by its name and used later:
// INSIDE is resolved beneath ROOT by the kernel, to a file descriptor, and what that descriptor stands for is
// what is mounted. TARGET is below a folder that only the agent can write to.
//
// Flags of a bind: o: ROOT is the agent's own, and no link; m: make missing folders, with ROOT's mode;
// d f s c b: ROOT must be a directory, file, socket, character or block device.
//
// What cannot be mounted is told as `mount NUMBER: STATE`, where binds are counted from 0.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { clone_tree = 1, move_empty_path = 4, attempts = 200, refused = 78 };

static int bind_number;

static void fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(stderr, "mount %d: ", bind_number);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  exit(refused);
}

static void fail_with(const char *what) { fail("%s: %s", what, strerror(errno)); }

// -1 with errno. The kernel gives up when something above was moved meanwhile: then it is asked again.
static int open_beneath(int root, const char *path, unsigned long flags) {
  struct open_how how = {
      .flags = flags | O_CLOEXEC,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
  };
  for (int attempt = 0; attempt < attempts; attempt++) {
    long file = syscall(SYS_openat2, root, path, &how, sizeof how);
    if (file >= 0) return (int)file;
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return -1;
}

static void explain(void) {
  switch (errno) {
    case EXDEV: fail("a link leads out of the volume"); break;
    case ELOOP: fail("its links have no end"); break;
    case ENOENT: fail("it is not in the volume"); break;
    case ENOTDIR: fail("a file is in the way"); break;
    case EAGAIN: fail("it does not stay the same"); break;
    case ENOSYS: fail("the kernel cannot resolve paths beneath a folder, which takes Linux 5.6"); break;
    default: fail("%s", strerror(errno));
  }
}

// Makes the folders of the path that are missing, one below the other; none through a link.
static void make_beneath(int root, const char *path, mode_t mode) {
  char *so_far = strdup(path);
  if (so_far == NULL) abort();
  int above = fcntl(root, F_DUPFD_CLOEXEC, 0);
  for (char *part = so_far; part != NULL && *part != '\0';) {
    char *end = strchr(part, '/');
    if (end != NULL) *end = '\0';
    int next = *part == '\0' ? fcntl(above, F_DUPFD_CLOEXEC, 0) : open_beneath(root, so_far, O_PATH);
    if (next < 0 && errno == ENOENT) {
      // A link that leads to nothing is there already, and is not followed.
      if (mkdirat(above, part, mode) != 0 && errno != EEXIST) fail_with("its folder cannot be made");
      next = openat(above, part, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
      if (next < 0 && (errno == ENOTDIR || errno == ELOOP)) fail("a link leads to nothing");
    }
    if (next < 0) explain();
    close(above);
    above = next;
    if (end == NULL) break;
    *end = '/';
    part = end + 1;
  }
  close(above);
  free(so_far);
}

static void check_kind(mode_t mode, const char *flags) {
  static const struct {
    char flag;
    mode_t kind;
    const char *name;
  } kinds[] = {
      {'d', S_IFDIR, "a directory"}, {'f', S_IFREG, "a file"}, {'s', S_IFSOCK, "a socket"},
      {'c', S_IFCHR, "a character device"}, {'b', S_IFBLK, "a block device"},
  };
  for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
    if (strchr(flags, kinds[index].flag) == NULL || (mode & S_IFMT) == kinds[index].kind) continue;
    fail("it is not %s", kinds[index].name);
  }
}

static int resolve(const char *path, const char *inside, const char *flags) {
  int is_own = strchr(flags, 'o') != NULL;
  int root = open(path, O_PATH | O_CLOEXEC | (is_own ? O_NOFOLLOW : 0));
  struct stat found;
  if (root < 0 && errno == ENOENT) fail("it is not there");
  if (root < 0 || fstat(root, &found) != 0) fail("%s", strerror(errno));
  if (S_ISLNK(found.st_mode)) fail("its volume is a link");
  check_kind(found.st_mode, flags);
  if (*inside == '\0') return root;
  int file = open_beneath(root, inside, O_PATH);
  if (file < 0 && errno == ENOENT && strchr(flags, 'm') != NULL) {
    make_beneath(root, inside, found.st_mode & 01777);
    file = open_beneath(root, inside, O_PATH);
  }
  if (file < 0) explain();
  close(root);
  return file;
}

static void bind_beneath(char **words) {
  const char *target = words[3];
  int file = resolve(words[0], words[1], words[2]);
  struct stat found;
  if (fstat(file, &found) != 0) fail("%s", strerror(errno));
  if (S_ISLNK(found.st_mode)) fail("it is a link");
  int tree = (int)syscall(SYS_open_tree, file, "", clone_tree | AT_EMPTY_PATH | AT_RECURSIVE | O_CLOEXEC);
  if (tree < 0) fail_with("it cannot be mounted");
  if (S_ISDIR(found.st_mode)) {
    if (mkdir(target, 0700) != 0) fail_with(target);
  } else {
    int made = open(target, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (made < 0) fail_with(target);
    close(made);
  }
  if (syscall(SYS_move_mount, tree, "", AT_FDCWD, target, move_empty_path) != 0) fail_with(target);
  close(tree);
  close(file);
}

static void mount_overlay(const char *options, const char *target) {
  if (mount("overlay", target, "overlay", 0, options) == 0) return;
  fprintf(stderr, "mount: %s: %s\n", target, strerror(errno));
  exit(1);
}

int main(int count, char **words) {
  (void)count;
  // Folders get their mode as it is given.
  umask(0);
  // What is unmounted on the machine is unmounted here too, but not the other way round.
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) {
    perror("unshare");
    return 1;
  }
  char **word = words + 1;
  while (*word != NULL && strcmp(*word, "--") != 0) {
    if (strcmp(*word, "overlay") == 0 && word[1] != NULL && word[2] != NULL) {
      mount_overlay(word[1], word[2]);
      word += 3;
    } else if (strcmp(*word, "bind") == 0 && word[1] && word[2] && word[3] && word[4]) {
      bind_beneath(word + 1);
      bind_number++;
      word += 5;
    } else {
      fprintf(stderr, "Cannot mount: \"%s\" is no order, or lacks something\n", *word);
      return 2;
    }
  }
  if (*word == NULL || word[1] == NULL) {
    fprintf(stderr, "Cannot mount: there is no program to become\n");
    return 2;
  }
  umask(022);
  execvp(word[1], word + 1);
  perror(word[1]);
  return 127;
}
