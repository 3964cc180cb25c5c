internal import CSeccomp
import Glibc

/// What keeps a decoder that loops, eats memory or was taken over from doing anything but end itself.
enum Confinement {
    /// All memory of the process, the program itself included.
    private static let memory = 512 << 20
    private static let processorSeconds = 5

    /// Confines this process for good. It may read its standard input, write its standard output, take memory and end;
    /// the system refuses every other call. False when it cannot do that.
    static func enter() -> Bool { goFirst() && limitResources() && limitCalls() }

    /// Where the machine runs out of memory, this process is killed before any other.
    private static func goFirst() -> Bool {
        let file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        return file >= 0 && write(file, "1000", 4) == 4
    }

    private static func limitResources() -> Bool {
        let limits = [
            (RLIMIT_AS, memory), (RLIMIT_CPU, processorSeconds), (RLIMIT_CORE, 0), (RLIMIT_FSIZE, 0),
        ]
        return limits.allSatisfy { resource, most in
            let kind = __rlimit_resource_t(resource.rawValue)
            var limit = rlimit()
            guard getrlimit(kind, &limit) == 0 else { return false }
            limit.rlim_max = min(limit.rlim_max, rlim_t(most))
            limit.rlim_cur = limit.rlim_max
            return setrlimit(kind, &limit) == 0
        }
    }

    private static func limitCalls() -> Bool {
        guard let filter = seccomp_init(anthill_seccomp_refuse) else { return false }
        defer { seccomp_release(filter) }
        func allow(_ call: String, _ conditions: scmp_arg_cmp...) -> Bool {
            let number = seccomp_syscall_resolve_name(call)
            return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, UInt32(conditions.count), conditions) == 0
        }
        func descriptor(_ number: Int32) -> scmp_arg_cmp {
            scmp_arg_cmp(arg: 0, op: SCMP_CMP_EQ, datum_a: scmp_datum_t(number), datum_b: 0)
        }
        let isNoCode = scmp_arg_cmp(
            arg: 2, op: SCMP_CMP_MASKED_EQ, datum_a: scmp_datum_t(PROT_EXEC), datum_b: 0)
        return allow("read", descriptor(STDIN_FILENO)) && allow("write", descriptor(STDOUT_FILENO))
            && allow("mmap", isNoCode) && ["munmap", "mremap", "madvise", "brk", "exit_group"].allSatisfy { allow($0) }
            && seccomp_load(filter) == 0
    }
}
