package dev.isthmus.internal.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The data path of the driver whose device was opened first, bound to its functions for good. To the JIT these are
 * constants. A call through a pointer that is read from a field looks at the pointer's segment each time, which takes
 * some 11 instructions; devices of further drivers are called in that way, and plainly. Where this driver is a {@link
 * CriticalDriver}, calls that are sure to be short are critical.
 */
final class FirstDriver {

    /** The functions of a driver. Read while its device is open: the table that has them goes with the device. */
    private record Functions(MemorySegment poll, MemorySegment send, MemorySegment receive) {

        private Optional<CriticalDriver> driver() {
            Optional<CriticalDriver> driver = CriticalDriver.of(poll);
            return driver.equals(CriticalDriver.of(receive)) ? driver : Optional.empty();
        }
    }

    /** The first device's, once there was one. */
    private static final AtomicReference<Functions> FIRST = new AtomicReference<>();

    private FirstDriver() {}

    /** Its handles: made when they are first used, by when a device is open. */
    static final class Handles {
        static final MemorySegment POLL_FUNCTION = FIRST.get().poll();
        static final MemorySegment SEND_FUNCTION = FIRST.get().send();
        static final MemorySegment RECEIVE_FUNCTION = FIRST.get().receive();

        private static final Optional<CriticalDriver> DRIVER = FIRST.get().driver();
        static final boolean POLL_IS_CRITICAL = DRIVER.isPresent();
        static final boolean RECEIVE_IS_CRITICAL =
                DRIVER.filter(CriticalDriver::receives).isPresent();

        static final MethodHandle SEND = DataPath.POST.bindTo(SEND_FUNCTION);

        /** For no more than {@link DataPath#mostInShortPoll}. */
        static final MethodHandle SHORT_POLL =
                (POLL_IS_CRITICAL ? DataPath.CRITICAL_POLL : DataPath.POLL).bindTo(POLL_FUNCTION);

        /** For no more than {@link DataPath#mostInShortReceive}. */
        static final MethodHandle SHORT_RECEIVE =
                (RECEIVE_IS_CRITICAL ? DataPath.CRITICAL_POST : DataPath.POST).bindTo(RECEIVE_FUNCTION);

        private Handles() {}
    }

    /** A device was opened. */
    static void opened(ContextOps ops) {
        if (FIRST.get() == null) {
            FIRST.compareAndSet(null, new Functions(ops.pollCq(), ops.postSend(), ops.postReceive()));
        }
    }
}
