// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.LogListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class TraceTest {

    @TempDir
    private Path folder;

    /** Opens and closes something, and fails once. */
    static final class Once {
        private Once() {}

        public static void main(String[] args) {
            var lifetime = new Lifetime("Thing", "one");
            lifetime.open(() -> "made");
            lifetime.close(() -> {});
            Trace.connecting("here", "there").run();
            Trace.registering("rxe0", 4096).run();
            System.out.println(new RdmaUnavailableException("broken").getMessage());
        }
    }

    /** Does the same, and prints what it has made the JVM do. */
    static final class Unrecorded {
        private Unrecorded() {}

        public static void main(String[] args) {
            Once.main(args);
            System.out.println(FlightRecorder.isInitialized());
        }
    }

    private static List<String> lines(List<RecordedEvent> events) {
        return events.stream()
                .map(event -> event.getEventType().getName()
                        + event.getFields().stream()
                                .map(field -> field.getName())
                                .filter(name -> List.of(
                                                "kind",
                                                "name",
                                                "local",
                                                "remote",
                                                "device",
                                                "bytes",
                                                "exception",
                                                "message")
                                        .contains(name))
                                .map(name -> " " + event.getValue(name))
                                .reduce("", String::concat))
                .toList();
    }

    @Test
    void shouldBeRecorded() throws IOException {
        Path file = folder.resolve("recording.jfr");
        try (var recording = new Recording()) {
            for (String name : new String[] {"Open", "Close", "Connect", "Register", "Failure"}) {
                recording.enable("dev.isthmus." + name).withoutThreshold();
            }
            recording.start();
            Once.main(new String[0]);
            recording.stop();
            recording.dump(file);
        }
        assertEquals(
                List.of(
                        "dev.isthmus.Open Thing one",
                        "dev.isthmus.Close Thing one",
                        "dev.isthmus.Connect here there",
                        "dev.isthmus.Register rxe0 4096",
                        "dev.isthmus.Failure RdmaUnavailableException broken"),
                lines(RecordingFile.readAllEvents(file).stream()
                        .filter(event -> event.getEventType().getName().startsWith("dev.isthmus"))
                        .toList()));
    }

    @Test
    void shouldNotStartFlightRecorder() {
        assertEquals(new ChildJvm.Result(0, "broken\nfalse\n"), new ChildJvm().run(Unrecorded.class));
    }

    @Test
    void shouldTakeDownNothingThatWasNotMade() {
        List<String> messages = logged(() -> {
            var lifetime = new Lifetime("Thing", "two");
            assertThrows(
                    IllegalStateException.class,
                    () -> lifetime.open(() -> {
                        throw new IllegalStateException("no");
                    }));
        });
        assertEquals(List.of(), messages);
    }

    @Test
    void shouldBeLoggedWhenAskedFor() {
        assertEquals(
                List.of(
                        "opened Thing(one)",
                        "closed Thing(one)",
                        "connected here to there",
                        "registered 4096 bytes with rxe0",
                        "RdmaUnavailableException: broken"),
                logged(() -> Once.main(new String[0])));
    }

    private static List<String> logged(Runnable task) {
        var messages = new ArrayList<String>();
        Thread caller = Thread.currentThread();
        try (var _ = new LogListener("dev.isthmus", Level.FINE, record -> {
            if (Thread.currentThread().equals(caller)) {
                messages.add(record.getMessage());
            }
        })) {
            task.run();
        }
        return messages;
    }

    @Test
    void shouldBeSilentByDefault() {
        assertEquals(new ChildJvm.Result(0, "broken\n"), new ChildJvm().run(Once.class));
    }

    @Test
    void shouldDoWithoutFlightRecorderAndLogging() {
        ChildJvm.Result result =
                new ChildJvm().options("--limit-modules", "java.base").run(Once.class);
        assertFalse(result.output().contains("NoClassDefFoundError"), result.output());
        assertTrue(result.output().endsWith("broken\n"), result.output());
    }
}
