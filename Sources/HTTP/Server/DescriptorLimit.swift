import Glibc

/// How many descriptors the process may have open.
enum DescriptorLimit {
    /// Raises it to `count`, as far as the system lets this process; many start with 1024, far fewer than connections.
    static func raise(to count: Int) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = min(rlim_t(count), limit.rlim_max)
        guard wanted > limit.rlim_cur else { return }
        limit.rlim_cur = wanted
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
