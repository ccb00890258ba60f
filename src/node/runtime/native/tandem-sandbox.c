// tandem-sandbox: mounts the root, volumes and files of a container in a new mount namespace, then becomes
// the program that monitors the container (conmon).
//
//   tandem-sandbox ORDER... -- PROGRAM [ARGUMENT]...
//
//   users NAMESPACE                  id-map the mounts that follow to this user namespace
//   stage DIRECTORY                  mount a tmpfs that everybody can enter, for the mounts that follow
//   layer SOURCE TARGET              bind-mount the lower folder of an overlay
//   overlay OPTIONS TARGET
//   bind ROOT INSIDE FLAGS TARGET
//
// A container may change a path while it is being resolved. So no path is checked first and used later: the
// kernel resolves INSIDE beneath ROOT to a file descriptor, and that descriptor is what is mounted. TARGET is
// below a folder that only the agent can write to. Everything is resolved before anything is mounted.
//
// Flags of a bind: o: ROOT is the agent's own, and no symbolic link; m: make missing folders, with ROOT's
// mode; r: read-only, submounts included; d f s c b: ROOT must be a directory, file, socket, character device
// or block device.
//
// Failed mounts are reported as `mount NUMBER: STATE`, where binds are counted from 0.
//
//   tandem-sandbox namespaces FIRST COUNT KIND=FILE... -- PROGRAM [ARGUMENT]...
//
// makes namespaces that are owned by a new user namespace, which maps its ids to the machine's from FIRST on,
// bind-mounts them to the files, and runs the program inside, as their root.
//
//   tandem-sandbox pause
//
// is the first process of a PID namespace that containers share: it collects ended processes, until SIGTERM.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

// Opens a path beneath root; returns -1 with errno. It retries when the kernel gives up with EAGAIN, since a
// folder above was moved meanwhile.
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

// Makes the missing folders of the path, one below the other, and none through a symbolic link.
static void make_beneath(int root, const char *path, mode_t mode) {
  char *so_far = strdup(path);
  if (so_far == NULL) abort();
  int above = fcntl(root, F_DUPFD_CLOEXEC, 0);
  for (char *part = so_far; part != NULL && *part != '\0';) {
    char *end = strchr(part, '/');
    if (end != NULL) *end = '\0';
    int next = *part == '\0' ? fcntl(above, F_DUPFD_CLOEXEC, 0) : open_beneath(root, so_far, O_PATH);
    if (next < 0 && errno == ENOENT) {
      // A dangling symbolic link makes mkdirat fail with EEXIST, and is not followed.
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

// The mount attributes, as mount_setattr(2) takes them.
struct attributes {
  uint64_t set;
  uint64_t clear;
  uint64_t propagation;
  uint64_t users;
};

enum { attribute_readonly = 1, attribute_users = 0x100000 };

static int set_attributes(int tree, struct attributes *attributes) {
  int flags = AT_EMPTY_PATH | AT_RECURSIVE;
  return (int)syscall(SYS_mount_setattr, tree, "", flags, attributes, sizeof *attributes);
}

// The user namespace that mounts are id-mapped with; none when negative.
static int users = -1;

// A mount cloned from a file descriptor, not attached anywhere yet.
struct tree {
  int file;
  int is_directory;
};

static struct tree clone_of(int file, const char *flags) {
  struct stat found;
  if (fstat(file, &found) != 0) fail("%s", strerror(errno));
  if (S_ISLNK(found.st_mode)) fail("it is a link");
  int wanted = clone_tree | AT_EMPTY_PATH | AT_RECURSIVE | O_CLOEXEC;
  int tree = (int)syscall(SYS_open_tree, file, "", wanted);
  if (tree < 0) fail_with("it cannot be mounted");
  struct attributes attributes = {0};
  if (strchr(flags, 'r') != NULL) attributes.set |= attribute_readonly;
  if (users >= 0) attributes.set |= attribute_users, attributes.users = (uint64_t)users;
  if (attributes.set != 0 && set_attributes(tree, &attributes) != 0) {
    if (users < 0) fail_with("it cannot be made read-only throughout");
    fail_with("its file system cannot be shown with other users, which hostUsers: false needs");
  }
  close(file);
  return (struct tree){tree, S_ISDIR(found.st_mode)};
}

static void attach(struct tree tree, const char *target) {
  if (tree.is_directory) {
    if (mkdir(target, 0700) != 0) fail_with(target);
  } else {
    int made = open(target, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (made < 0) fail_with(target);
    close(made);
  }
  if (syscall(SYS_move_mount, tree.file, "", AT_FDCWD, target, move_empty_path) != 0) fail_with(target);
  close(tree.file);
}

static void open_users(const char *path) {
  users = open(path, O_RDONLY | O_CLOEXEC);
  if (users < 0) fail_with(path);
}

static void mount_overlay(const char *options, const char *target) {
  // The mount point does not exist yet on a stage.
  if (mkdir(target, 0700) != 0 && errno != EEXIST) fail_with(target);
  if (mount("overlay", target, "overlay", 0, options) == 0) return;
  fprintf(stderr, "mount: %s: %s\n", target, strerror(errno));
  exit(1);
}

static const struct order {
  const char *name;
  int words;
} orders[] = {{"users", 1}, {"stage", 1}, {"layer", 2}, {"overlay", 2}, {"bind", 4}};

// Returns the number of arguments of an order, or -1 when it is unknown or incomplete.
static int words_of(char **word) {
  for (size_t index = 0; index < sizeof orders / sizeof *orders; index++) {
    if (strcmp(*word, orders[index].name) != 0) continue;
    for (int behind = 1; behind <= orders[index].words; behind++) {
      if (word[behind] == NULL) return -1;
    }
    return orders[index].words;
  }
  return -1;
}

static int is_end(const char *word) { return word == NULL || strcmp(word, "--") == 0; }

static void carry_out(char **first, size_t most) {
  struct tree *trees = calloc(most, sizeof *trees);
  if (trees == NULL) abort();
  size_t count = 0;
  for (char **word = first; !is_end(*word); word += 1 + words_of(word)) {
    if (words_of(word) < 0) {
      fprintf(stderr, "Cannot mount: \"%s\" is no order, or lacks something\n", *word);
      exit(2);
    }
    if (strcmp(*word, "users") == 0) open_users(word[1]);
    if (strcmp(*word, "layer") == 0) trees[count++] = clone_of(resolve(word[1], "", "o"), "");
    if (strcmp(*word, "bind") != 0) continue;
    trees[count++] = clone_of(resolve(word[1], word[2], word[3]), word[3]);
    bind_number++;
  }
  count = 0;
  bind_number = 0;
  for (char **word = first; !is_end(*word); word += 1 + words_of(word)) {
    if (strcmp(*word, "stage") == 0 && mount("tandem", word[1], "tmpfs", MS_NOSUID, "mode=755") != 0) {
      fail_with(word[1]);
    }
    if (strcmp(*word, "overlay") == 0) mount_overlay(word[1], word[2]);
    if (strcmp(*word, "layer") == 0) attach(trees[count++], word[2]);
    if (strcmp(*word, "bind") != 0) continue;
    attach(trees[count++], word[4]);
    bind_number++;
  }
  free(trees);
}

static void become(char **word) {
  if (word[0] == NULL || word[1] == NULL) {
    fprintf(stderr, "Cannot start a program: there is none\n");
    exit(2);
  }
  umask(022);
  execvp(word[1], word + 1);
  perror(word[1]);
  exit(127);
}

static const struct kind {
  const char *name;
  int flag;
} kinds[] = {
    {"user", CLONE_NEWUSER}, {"net", CLONE_NEWNET}, {"uts", CLONE_NEWUTS}, {"ipc", CLONE_NEWIPC}};

static const struct kind *kind_of(const char *word) {
  for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
    size_t length = strlen(kinds[index].name);
    if (strncmp(word, kinds[index].name, length) == 0 && word[length] == '=') return &kinds[index];
  }
  fprintf(stderr, "Cannot make a namespace: \"%s\" names none\n", word);
  exit(2);
}

static void must(int is_done, const char *what) {
  if (is_done) return;
  perror(what);
  exit(1);
}

static void write_map(pid_t process, const char *name, const char *first, const char *count) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
  int file = open(path, O_WRONLY | O_CLOEXEC);
  must(file >= 0 && dprintf(file, "0 %s %s\n", first, count) > 0, path);
  close(file);
}

static int make_namespaces(char **words) {
  char **first = words + 2;
  char **last = first;
  int flags = 0, made[2], mapped[2], status = 0;
  char sign = 0;
  for (; !is_end(*last); last++) flags |= kind_of(*last)->flag;
  must(pipe2(made, O_CLOEXEC) == 0 && pipe2(mapped, O_CLOEXEC) == 0, "pipe");
  pid_t child = fork();
  must(child >= 0, "fork");
  if (child == 0) {
    must(unshare(flags) == 0, "unshare");
    must(write(made[1], &sign, 1) == 1, "pipe");
    close(mapped[1]);
    must(read(mapped[0], &sign, 1) == 1, "pipe");
    must(setgroups(0, NULL) == 0 && setresgid(0, 0, 0) == 0 && setresuid(0, 0, 0) == 0, "setresuid");
    become(last);
  }
  close(made[1]);
  if (read(made[0], &sign, 1) == 1) {
    write_map(child, "uid_map", words[0], words[1]);
    write_map(child, "gid_map", words[0], words[1]);
    for (char **word = first; word < last; word++) {
      char path[64];
      snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)child, kind_of(*word)->name);
      const char *file = strchr(*word, '=') + 1;
      must(mount(path, file, NULL, MS_BIND, NULL) == 0, file);
    }
    must(write(mapped[1], &sign, 1) == 1, "pipe");
  }
  must(waitpid(child, &status, 0) == child, "wait");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// The kernel delivers only those signals to the first process of a namespace that it has asked for.
static int pause_until_told(void) {
  sigset_t awaited;
  int number = 0;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  must(sigprocmask(SIG_BLOCK, &awaited, NULL) == 0, "sigprocmask");
  while (number != SIGTERM) {
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    must(sigwait(&awaited, &number) == 0, "sigwait");
  }
  return 0;
}

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], "pause") == 0) return pause_until_told();
  if (count > 4 && strcmp(words[1], "namespaces") == 0) return make_namespaces(words + 2);
  // The umask must not change the modes of the folders that are made.
  umask(0);
  // Unmounts on the machine propagate to this mount namespace, but not the other way round.
  must(unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) == 0, "unshare");
  carry_out(words + 1, (size_t)count);
  char **word = words + 1;
  while (!is_end(*word)) word++;
  become(word);
}
