package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class HelloVerbsTest {

    @Test
    void shouldPrintWhatWasReceived() {
        List<String> lines = Output.of(() -> HelloVerbs.main(new String[0]));
        // The two requests complete in either order.
        assertEquals(
                List.of("hello, RDMA", "request 1: SUCCESS", "request 2: SUCCESS"),
                lines.stream().sorted().toList());
        assertEquals("hello, RDMA", lines.getLast());
    }
}
