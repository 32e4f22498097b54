// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.util.Map;

/** Linux's error numbers, with their names from errno(3). The same on x86-64 and aarch64. */
public final class Errno {

    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EFAULT = 14;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int EMFILE = 24;
    public static final int ENOSPC = 28;
    public static final int ENOSYS = 38;
    public static final int ENODATA = 61;
    public static final int EPROTO = 71;
    public static final int EOPNOTSUPP = 95;
    public static final int EHOSTUNREACH = 113;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(EPERM, "EPERM"),
            Map.entry(ENOENT, "ENOENT"),
            Map.entry(3, "ESRCH"),
            Map.entry(EINTR, "EINTR"),
            Map.entry(5, "EIO"),
            Map.entry(6, "ENXIO"),
            Map.entry(7, "E2BIG"),
            Map.entry(9, "EBADF"),
            Map.entry(EAGAIN, "EAGAIN"),
            Map.entry(ENOMEM, "ENOMEM"),
            Map.entry(EACCES, "EACCES"),
            Map.entry(EFAULT, "EFAULT"),
            Map.entry(EBUSY, "EBUSY"),
            Map.entry(17, "EEXIST"),
            Map.entry(ENODEV, "ENODEV"),
            Map.entry(EINVAL, "EINVAL"),
            Map.entry(23, "ENFILE"),
            Map.entry(EMFILE, "EMFILE"),
            Map.entry(ENOSPC, "ENOSPC"),
            Map.entry(34, "ERANGE"),
            Map.entry(ENOSYS, "ENOSYS"),
            Map.entry(ENODATA, "ENODATA"),
            Map.entry(EPROTO, "EPROTO"),
            Map.entry(75, "EOVERFLOW"),
            Map.entry(93, "EPROTONOSUPPORT"),
            Map.entry(EOPNOTSUPP, "EOPNOTSUPP"),
            Map.entry(98, "EADDRINUSE"),
            Map.entry(99, "EADDRNOTAVAIL"),
            Map.entry(100, "ENETDOWN"),
            Map.entry(101, "ENETUNREACH"),
            Map.entry(104, "ECONNRESET"),
            Map.entry(105, "ENOBUFS"),
            Map.entry(107, "ENOTCONN"),
            Map.entry(110, "ETIMEDOUT"),
            Map.entry(111, "ECONNREFUSED"),
            Map.entry(EHOSTUNREACH, "EHOSTUNREACH"));

    private Errno() {}

    /** The symbolic name, or {@code errno N} for a number that is not listed here. */
    public static String name(int errno) {
        String name = NAMES.get(errno);
        return name == null ? "errno " + errno : name;
    }

    /** The name with the number, for messages: {@code ENOMEM (12)}. */
    public static String describe(int errno) {
        String name = NAMES.get(errno);
        return name == null ? "errno " + errno : name + " (" + errno + ")";
    }
}
