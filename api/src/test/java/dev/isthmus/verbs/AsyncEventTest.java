// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.bindings.ibverbs.ibv_async_event;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Soft-RoCE has few events, so here all are read from memory as C leaves it. */
@Tag("device")
@Tag("connectx")
class AsyncEventTest {

    @ParameterizedTest
    @EnumSource(AsyncEventType.class)
    void shouldCarryWhatTheEventConcerns(AsyncEventType type) {
        try (var arena = Arena.ofConfined();
                var pair = RcPair.unconnected(config -> {})) {
            DeviceContext context = pair.a.device;
            MemorySegment event = arena.allocate(ibv_async_event.layout());
            MemorySegment element = ibv_async_event.element(event);
            ibv_async_event.event_type(event, type == AsyncEventType.UNKNOWN ? 4711 : type.code());
            ibv_async_event.element.port_num(element, 1);
            switch (type.subject()) {
                case COMPLETION_QUEUE -> ibv_async_event.element.cq(element, pair.a.cq.handle());
                case QUEUE_PAIR -> ibv_async_event.element.qp(element, pair.a.qp.handle());
                default -> {}
            }
            AsyncEvent expected = switch (type.subject()) {
                case COMPLETION_QUEUE -> new AsyncEvent.OfCompletionQueue(context, type, pair.a.cq);
                case QUEUE_PAIR -> new AsyncEvent.OfQueuePair(context, type, pair.a.qp);
                case SHARED_RECEIVE_QUEUE -> new AsyncEvent.OfSharedReceiveQueue(context, type, null);
                case WORK_QUEUE -> new AsyncEvent.OfWorkQueue(context, type, null);
                case PORT -> new AsyncEvent.OfPort(context, type, 1);
                case DEVICE ->
                    type == AsyncEventType.UNKNOWN
                            ? new AsyncEvent.OfUnknown(context, 4711)
                            : new AsyncEvent.OfDevice(context, type);
            };
            AsyncEvent actual = AsyncEvents.read(context, event);
            assertEquals(expected, actual);
            assertEquals(type, actual.type());
        }
    }
}
