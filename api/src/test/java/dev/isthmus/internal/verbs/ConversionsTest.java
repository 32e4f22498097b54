package dev.isthmus.internal.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.isthmus.bindings.ibverbs.verbs_h;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class ConversionsTest {

    @Test
    void shouldNameEveryAsynchronousEvent() {
        assertEquals("port active", Conversions.eventType(verbs_h.IBV_EVENT_PORT_ACTIVE()));
        assertEquals("WQ fatal", Conversions.eventType(verbs_h.IBV_EVENT_WQ_FATAL()));
        assertEquals("unknown", Conversions.eventType(verbs_h.IBV_EVENT_WQ_FATAL() + 1));
        assertFalse(IntStream.rangeClosed(0, verbs_h.IBV_EVENT_WQ_FATAL())
                .mapToObj(Conversions::eventType)
                .anyMatch("unknown"::equals));
    }
}
