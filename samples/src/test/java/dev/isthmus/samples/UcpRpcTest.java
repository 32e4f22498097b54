package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("ucx")
class UcpRpcTest {

    @Test
    void shouldPrintWhatTheServerAnswers() {
        assertEquals(List.of("HELLO", "", "UCX"), Output.of(() -> UcpRpc.main("hello", "", "ucx")));
    }
}
