// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Errno;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;

/** The origin of a region, which decides how it ends. */
enum RegionKind {
    /** Memory of this process, which was registered. */
    REGISTERED,
    /** Created by this process, of something other than its memory. */
    OUTSIDE,
    /** Another process's, or another context's: released, and never destroyed from here. */
    IMPORTED,
    /** A part of another region, which ends with that one. */
    PART;

    void destroy(MemorySegment handle, String what) {
        switch (this) {
            case REGISTERED, OUTSIDE -> deregister(handle, what);
            case IMPORTED -> unimport(handle);
            case PART -> {}
        }
    }

    static void deregister(MemorySegment handle, String what) {
        try (var call = new VerbsCall().explain(RegionKind::help)) {
            call.check(Libibverbs.DEREG_MR, what, handle);
        }
    }

    private static String help(int errno) {
        return errno == Errno.EBUSY || errno == Errno.EINVAL
                ? "while a memory window is bound to it, the region stays: invalidate or close the window first"
                : "";
    }

    private static void unimport(MemorySegment handle) {
        try (var call = new VerbsCall()) {
            call.nothing(Libibverbs.UNIMPORT_MR, handle);
        }
    }
}
