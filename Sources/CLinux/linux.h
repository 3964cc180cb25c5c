// Linux calls that Glibc's Swift module leaves out.
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>

extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
extern int accept4(int, struct sockaddr *, socklen_t *, int);

// Accepts without blocking; the new descriptor neither blocks nor survives an exec.
static inline int anthill_accept(int fd, struct sockaddr *address, socklen_t *length) {
  return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// The most descriptors that one message takes (SCM_MAX_FD of the kernel).
enum { anthill_most_descriptors = 253 };

// Sends a text and open descriptors through a Unix socket.
static inline ssize_t anthill_send_descriptors(
    int socket, const void *text, size_t length, const int *descriptors, size_t count, int flags) {
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * anthill_most_descriptors)] = {0};
  struct iovec part = {(void *)text, length};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(head), descriptors, sizeof(int) * count);
  }
  return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

// Receives one message with its descriptors, which do not survive an exec; never blocks. 0 at the end.
static inline ssize_t anthill_receive_descriptors(int socket, int *descriptors, size_t *count) {
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * anthill_most_descriptors)];
  char text;
  struct iovec part = {&text, 1};
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  *count = 0;
  if (length < 0) return length;
  for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    *count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(descriptors, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
  }
  return length;
}
