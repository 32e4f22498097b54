// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.jfr;

import dev.isthmus.internal.Recorder;
import jdk.jfr.Event;

/**
 * Records events if Flight Recorder is recording, and does next to nothing otherwise. Nothing here starts it: an event
 * that is created would.
 */
public final class FlightRecorder implements Recorder {

    /** Created once. */
    public FlightRecorder() {}

    @Override
    public Runnable opening(String kind, String name) {
        if (!isUsed()) {
            return FlightRecorder::nothing;
        }
        var event = new OpenEvent();
        event.kind = kind;
        event.name = name;
        return begin(event);
    }

    @Override
    public Runnable closing(String kind, String name) {
        if (!isUsed()) {
            return FlightRecorder::nothing;
        }
        var event = new CloseEvent();
        event.kind = kind;
        event.name = name;
        return begin(event);
    }

    @Override
    public Runnable connecting(String local, String remote) {
        if (!isUsed()) {
            return FlightRecorder::nothing;
        }
        var event = new ConnectEvent();
        event.local = local;
        event.remote = remote;
        return begin(event);
    }

    @Override
    public Runnable registering(String device, long bytes) {
        if (!isUsed()) {
            return FlightRecorder::nothing;
        }
        var event = new RegisterEvent();
        event.device = device;
        event.bytes = bytes;
        return begin(event);
    }

    @Override
    public void failed(String exception, String message) {
        if (!isUsed()) {
            return;
        }
        var event = new FailureEvent();
        event.exception = exception;
        event.message = message;
        event.commit();
    }

    private static boolean isUsed() {
        return jdk.jfr.FlightRecorder.isInitialized();
    }

    private static Runnable begin(Event event) {
        if (!event.isEnabled()) {
            return FlightRecorder::nothing;
        }
        event.begin();
        return event::commit;
    }

    private static void nothing() {}
}
