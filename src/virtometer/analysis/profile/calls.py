"""Classes of system calls: each has calls that cost about the same. PURE."""

from __future__ import annotations

from collections.abc import Mapping

PROCESS = "starts of programs"
FORK = "forks"
THREAD = "threads"
SIMPLE = "simple calls"
READ = "reads"
WRITE = "writes"
OPEN = "opens"
NETWORK = "network"
MAPPING = "mappings"
METADATA = "file look-ups"
DESCRIPTOR = "calls on open files"
WAIT = "waiting"
SYNC = "syncs"
PIPE = "pipes"
CLOSE = "closes"
UNMAP = "unmappings"
END = "ends"

CLASSES: Mapping[str, tuple[str, ...]] = {
    METADATA: (
        "stat", "lstat", "newfstatat", "fstatat64", "statx", "access", "faccessat", "faccessat2", "readlink",
        "readlinkat", "getdents", "getdents64", "chdir", "unlink", "unlinkat", "rename", "renameat", "renameat2",
        "mkdir", "mkdirat", "rmdir", "link", "linkat", "symlink", "symlinkat", "chmod", "fchmodat", "chown", "lchown",
        "fchownat", "utimensat", "statfs", "truncate", "getxattr", "lgetxattr", "listxattr", "llistxattr",
    ),
    DESCRIPTOR: (
        "fstat", "lseek", "fcntl", "ioctl", "fstatfs", "ftruncate", "flock", "fchmod", "fchown", "fadvise64",
        "fallocate", "dup", "dup2", "dup3", "getcwd", "fchdir", "pipe", "pipe2", "fgetxattr",
    ),
    OPEN: ("open", "openat", "openat2", "creat"),
    CLOSE: ("close", "close_range"),
    READ: ("read", "pread64", "readv", "preadv", "preadv2"),
    WRITE: (
        "write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile", "copy_file_range", "splice", "tee",
        "vmsplice",
    ),
    MAPPING: ("mmap", "mremap"),
    UNMAP: ("munmap",),
    PROCESS: ("execve", "execveat"),
    FORK: ("fork", "vfork", "clone", "clone3"),
    END: ("exit", "exit_group", "wait4", "waitid"),
    WAIT: (
        "futex", "poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait", "epoll_pwait2", "nanosleep",
        "clock_nanosleep", "pause", "rt_sigsuspend", "rt_sigtimedwait", "io_getevents", "io_uring_enter",
    ),
    NETWORK: ("sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg", "recvmmsg"),
    SYNC: ("fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync"),
}  # fmt: skip
"""Names of system calls (syscalls(2)), by class. All others are simple."""

MOVING = (READ, WRITE)
"""Classes whose calls on pipes and sockets are of the classes PIPE and NETWORK instead: their descriptors tell."""

CLASS_OF: Mapping[str, str] = {name: of for of, names in CLASSES.items() for name in names}
"""The class of each system call that is not simple."""
