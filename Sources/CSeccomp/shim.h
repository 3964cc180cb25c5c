// libseccomp, with the value of a macro that Swift cannot read.
#pragma once
#include <errno.h>
#include <seccomp.h>

static const uint32_t anthill_seccomp_refuse = SCMP_ACT_ERRNO(EPERM);
