// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static java.lang.System.Logger.Level.DEBUG;

import dev.isthmus.internal.jfr.FlightRecorder;
import java.util.function.Supplier;

/**
 * Reports what happens off the data path: to JDK Flight Recorder, if the JDK has it and it is recording, and to the
 * logger {@code dev.isthmus} at level DEBUG, which prints nothing by default.
 */
public final class Trace {

    private static final System.Logger LOG = System.getLogger("dev.isthmus");
    private static final Recorder RECORDER = recorder();

    private Trace() {}

    // Without the module jdk.jfr, for instance in a jlink image, the event classes cannot be loaded.
    private static Recorder recorder() {
        return ModuleLayer.boot().findModule("jdk.jfr").isPresent() ? new FlightRecorder() : new NoRecorder();
    }

    /** A native object is being created; the caller runs the result afterwards. */
    static Runnable opening(String kind, String name) {
        return logged(RECORDER.opening(kind, name), () -> "opened " + kind + "(" + name + ")");
    }

    /** A native object is being destroyed; the caller runs the result afterwards. */
    static Runnable closing(String kind, String name) {
        return logged(RECORDER.closing(kind, name), () -> "closed " + kind + "(" + name + ")");
    }

    /** A queue pair or connection is being connected; the caller runs the result afterwards. */
    public static Runnable connecting(String local, String remote) {
        return logged(RECORDER.connecting(local, remote), () -> "connected " + local + " to " + remote);
    }

    /** Memory is being registered; the caller runs the result afterwards. */
    public static Runnable registering(String device, long bytes) {
        return logged(RECORDER.registering(device, bytes), () -> "registered " + bytes + " bytes with " + device);
    }

    /** A call has failed, and an exception is being created. */
    public static void failed(String exception, String message) {
        RECORDER.failed(exception, message);
        LOG.log(DEBUG, () -> exception + ": " + message);
    }

    private static Runnable logged(Runnable done, Supplier<String> message) {
        return () -> {
            done.run();
            LOG.log(DEBUG, message);
        };
    }

    /** Records nothing. */
    private static final class NoRecorder implements Recorder {

        private static void nothing() {}

        @Override
        public Runnable opening(String kind, String name) {
            return NoRecorder::nothing;
        }

        @Override
        public Runnable closing(String kind, String name) {
            return NoRecorder::nothing;
        }

        @Override
        public Runnable connecting(String local, String remote) {
            return NoRecorder::nothing;
        }

        @Override
        public Runnable registering(String device, long bytes) {
            return NoRecorder::nothing;
        }

        @Override
        public void failed(String exception, String message) {}
    }
}
