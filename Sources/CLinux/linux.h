// Linux calls that Glibc's Swift module leaves out.
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>

extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
extern int accept4(int, struct sockaddr *, socklen_t *, int);

// Accepts without blocking; the new descriptor neither blocks nor survives an exec.
static inline int anthill_accept(int fd, struct sockaddr *address, socklen_t *length) {
  return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
