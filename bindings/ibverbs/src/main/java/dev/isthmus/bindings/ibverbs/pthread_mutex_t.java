package dev.isthmus.bindings.ibverbs;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;

/**
 * The C library's mutex, by hand: nothing looks inside, but verbs.h has members behind it, so its size counts,
 * and glibc's differs between processors, which generated code cannot express.
 */
final class pthread_mutex_t {

    // __SIZEOF_PTHREAD_MUTEX_T of glibc's bits/pthreadtypes-arch.h; 40 on every other 64-bit processor.
    private static final long BYTES = System.getProperty("os.arch").equals("aarch64") ? 48 : 40;

    private static final GroupLayout LAYOUT = MemoryLayout.unionLayout(
                    MemoryLayout.sequenceLayout(BYTES, ValueLayout.JAVA_BYTE).withName("__size"),
                    ValueLayout.JAVA_LONG.withName("__align"))
            .withName("pthread_mutex_t");

    private pthread_mutex_t() {}

    static GroupLayout layout() {
        return LAYOUT;
    }
}
