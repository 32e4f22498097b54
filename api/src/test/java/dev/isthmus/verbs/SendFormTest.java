// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares what a request's unions hold with what its operation reads. */
@Tag("unit")
class SendFormTest {

    private static final Set<SendOpcode> POSTABLE =
            EnumSet.complementOf(EnumSet.of(SendOpcode.DRIVER1, SendOpcode.FLUSH, SendOpcode.UNKNOWN));

    private static SendRequest request(SendOpcode opcode) {
        return SendRequest.prepare(1).opcode(opcode);
    }

    @Test
    void shouldHaveNoKindUntilWhatTheOperationNeedsIsSet() {
        Map<SendOpcode, SendRequest> complete = new EnumMap<>(SendOpcode.class);
        complete.put(SendOpcode.SEND, request(SendOpcode.SEND));
        complete.put(SendOpcode.SEND_WITH_IMM, request(SendOpcode.SEND_WITH_IMM));
        complete.put(SendOpcode.SEND_WITH_INV, request(SendOpcode.SEND_WITH_INV).invalidate(1));
        complete.put(SendOpcode.RDMA_WRITE, request(SendOpcode.RDMA_WRITE).remote(8, 1));
        complete.put(
                SendOpcode.RDMA_WRITE_WITH_IMM,
                request(SendOpcode.RDMA_WRITE_WITH_IMM).remote(8, 1));
        complete.put(SendOpcode.RDMA_READ, request(SendOpcode.RDMA_READ).remote(8, 1));
        complete.put(SendOpcode.ATOMIC_WRITE, request(SendOpcode.ATOMIC_WRITE).remote(8, 1));
        complete.put(SendOpcode.LOCAL_INV, request(SendOpcode.LOCAL_INV).invalidate(1));
        complete.put(SendOpcode.ATOMIC_CMP_AND_SWP, SendRequest.prepare(1).compareAndSwap(8, 1, 2, 3));
        complete.put(SendOpcode.ATOMIC_FETCH_AND_ADD, SendRequest.prepare(1).fetchAndAdd(8, 1, 2));
        complete.put(SendOpcode.BIND_MW, SendRequest.prepare(0).bind(MemorySegment.NULL, 1));
        complete.put(SendOpcode.TSO, SendRequest.prepare(1).segments(MemorySegment.ofArray(new byte[54]), 1000));
        assertEquals(POSTABLE, complete.keySet());
        for (SendOpcode opcode : POSTABLE) {
            assertEquals(1 << opcode.code(), complete.get(opcode).kind(), opcode.name());
            boolean needsNothing = opcode == SendOpcode.SEND || opcode == SendOpcode.SEND_WITH_IMM;
            assertEquals(needsNothing, request(opcode).kind() != 0, opcode.name());
        }
        assertEquals(0, request(SendOpcode.DRIVER1).remote(8, 1).kind());
        assertEquals(0, request(SendOpcode.FLUSH).remote(8, 1).kind()); // for a SendBatch
        assertThrows(IllegalArgumentException.class, () -> request(SendOpcode.UNKNOWN));
    }

    @Test
    void shouldTakeWhatIbvPostSendListsForEachType() {
        for (SendOpcode opcode : POSTABLE) {
            int plain = 1 << opcode.code();
            int datagram = plain << 16;
            boolean connected = opcode != SendOpcode.TSO;
            assertEquals(connected ? plain : 0, SendForm.accepted(QueuePairType.RC) & (plain | datagram));
            assertEquals(connected ? plain : 0, SendForm.accepted(QueuePairType.XRC_SEND) & (plain | datagram));
            boolean ud = EnumSet.of(SendOpcode.SEND, SendOpcode.SEND_WITH_IMM, SendOpcode.TSO)
                    .contains(opcode);
            assertEquals(ud ? datagram : 0, SendForm.accepted(QueuePairType.UD) & (plain | datagram));
            boolean raw = opcode == SendOpcode.SEND || opcode == SendOpcode.TSO;
            assertEquals(raw ? plain : 0, SendForm.accepted(QueuePairType.RAW_PACKET) & (plain | datagram));
            assertEquals(0, SendForm.accepted(QueuePairType.XRC_RECV) & (plain | datagram));
            boolean answered = EnumSet.of(
                            SendOpcode.RDMA_READ,
                            SendOpcode.ATOMIC_CMP_AND_SWP,
                            SendOpcode.ATOMIC_FETCH_AND_ADD,
                            SendOpcode.ATOMIC_WRITE)
                    .contains(opcode);
            assertEquals(connected && !answered ? plain : 0, SendForm.accepted(QueuePairType.UC) & (plain | datagram));
        }
    }

    @Test
    void shouldForgetWhatAnotherMemberOfTheUnionReplaced() {
        var request = SendRequest.prepare(1).compareAndSwap(8, 1, 2, 3);
        assertNotEquals(0, request.kind());
        request.remote(8, 1);
        assertEquals(0, request.kind());
        assertNotEquals(0, request.opcode(SendOpcode.RDMA_READ).kind());
        assertEquals(0, request.opcode(SendOpcode.SEND_WITH_INV).kind());
        assertNotEquals(0, request.invalidate(7).kind());
        assertEquals(0, request.opcode(SendOpcode.SEND_WITH_IMM).kind());
        assertNotEquals(0, request.immediate(7).kind());
        request.bind(MemorySegment.NULL, 1);
        assertNotEquals(0, request.kind());
        request.segments(MemorySegment.ofArray(new byte[14]), 1);
        assertEquals(0, request.opcode(SendOpcode.BIND_MW).kind());
    }

    @Test
    void shouldNotBeInlineUnlessTheDeviceReadsTheData() {
        for (SendOpcode opcode : EnumSet.of(SendOpcode.RDMA_READ, SendOpcode.ATOMIC_WRITE)) {
            var request = request(opcode).remote(8, 1).inline(true);
            assertEquals(0, request.kind(), opcode.name());
            assertNotEquals(0, request.inline(false).kind(), opcode.name());
        }
        assertNotEquals(
                0, request(SendOpcode.RDMA_WRITE).remote(8, 1).inline(true).kind());
    }

    @Test
    void shouldNameWhatIsMissing() {
        assertTrue(refusal(QueuePairType.RC, SendOpcode.RDMA_READ, SendForm.NOT_INLINE)
                .contains("remote(address, rkey)"));
        assertTrue(
                refusal(QueuePairType.RC, SendOpcode.RDMA_READ, SendForm.REMOTE).contains("inline"));
        assertTrue(
                refusal(QueuePairType.UC, SendOpcode.RDMA_READ, SendForm.REMOTE).contains("UC queue pairs do not"));
        assertTrue(refusal(QueuePairType.UD, SendOpcode.SEND, SendForm.REMOTE).contains("to(addressHandle"));
        assertTrue(refusal(QueuePairType.RC, SendOpcode.SEND, SendForm.DATAGRAM).contains("to their peer only"));
        assertTrue(refusal(QueuePairType.RC, SendOpcode.SEND_WITH_INV, SendForm.IMMEDIATE)
                .contains("invalidate(rkey)"));
    }

    private static String refusal(QueuePairType type, SendOpcode opcode, int has) {
        return SendForm.refusal(type, opcode, has);
    }

    @Test
    void shouldRefuseAtomicAddressThatIsNotAligned() {
        var request = SendRequest.prepare(1);
        assertThrows(IllegalArgumentException.class, () -> request.fetchAndAdd(12, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> request.compareAndSwap(1, 1, 1, 1));
        assertEquals(1 << SendOpcode.SEND.code(), request.kind());
    }

    @Test
    void shouldKeepACopyOfTheSegmentHeader() {
        var request = SendRequest.prepare(1);
        try (var arena = Arena.ofConfined()) {
            request.segments(arena.allocate(54), 1000); // its memory is gone after this
        }
        assertFalse(request.kind() == 0);
        var header = MemorySegment.ofArray(new byte[0x10000]);
        assertThrows(IllegalArgumentException.class, () -> request.segments(header, 1000));
        assertThrows(IllegalArgumentException.class, () -> request.segments(header.asSlice(0, 54), 0));
    }

    @Test
    void shouldKeepItsSegmentHeaderWhenANewOneCannotBeRead() {
        var request = SendRequest.prepare(1).segments(MemorySegment.ofArray(new byte[14]), 1000);
        MemorySegment gone;
        try (var arena = Arena.ofConfined()) {
            gone = arena.allocate(54);
        }
        assertThrows(IllegalStateException.class, () -> request.segments(gone, 1000));
        assertEquals(request.header().address(), request.headerAddress()); // or C would read what has been freed
    }
}
