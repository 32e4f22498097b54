package dev.isthmus.bindings.ibverbs;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;

/** The C library's condition variable, by hand: nothing looks inside, and its insides are the C library's own. */
final class pthread_cond_t {

    // __SIZEOF_PTHREAD_COND_T of glibc's bits/pthreadtypes-arch.h, on every 64-bit processor.
    private static final long BYTES = 48;

    private static final GroupLayout LAYOUT = MemoryLayout.unionLayout(
                    MemoryLayout.sequenceLayout(BYTES, ValueLayout.JAVA_BYTE).withName("__size"),
                    ValueLayout.JAVA_LONG.withName("__align"))
            .withName("pthread_cond_t");

    private pthread_cond_t() {}

    static GroupLayout layout() {
        return LAYOUT;
    }
}
