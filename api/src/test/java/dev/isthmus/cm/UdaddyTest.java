// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.GlobalRouteHeader;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** udaddy of rdma-core as peer, in both roles. */
@Tag("device")
class UdaddyTest {

    private static final int DATAGRAM = 100;
    private static final int HEADER = 40;
    private static final int UDADDY = 7174; // its port, which cannot be set

    private static MemoryRegion region(Rendezvous meeting, ConnectionId id) {
        ProtectionDomain pd = meeting.domain(id.device());
        return meeting.closed(pd.register(Arena.ofAuto().allocate(4096), AccessFlag.LOCAL_WRITE));
    }

    @Test
    void shouldServeUdaddy() throws InterruptedException {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.id(PortSpace.UDP);
            listener.bind(new InetSocketAddress(Rendezvous.far(), UDADDY));
            listener.listen(8);
            try (var client = new ChildProgram("udaddy", "-s", Rendezvous.far().getHostAddress(), "-C", "1")) {
                ConnectionId id =
                        meeting.expect(listener, CmEvent.DatagramRequest.class).id();
                meeting.queuePair(id);
                MemoryRegion region = region(meeting, id);
                assertTrue(id.queuePair().tryPost(ReceiveRequest.prepare(region)));
                id.accept(config -> {});
                WorkCompletions done = meeting.await(id);
                assertEquals(HEADER + DATAGRAM, done.byteLength(0));
                int peer = done.immediate(0);
                GlobalRouteHeader header = GlobalRouteHeader.of(region.segment(), 0);
                AddressHandle back = meeting.closed(
                        meeting.domain(id.device()).createAddressHandle(id.devicePort(), done, 0, header));
                assertTrue(id.queuePair()
                        .tryPost(SendRequest.prepare(region)
                                .opcode(SendOpcode.SEND_WITH_IMM)
                                .immediate(id.queuePair().qpNum())
                                .range(0, DATAGRAM)
                                .to(back, peer, 0x0123_4567))); // RDMA_UDP_QKEY
                assertTrue(
                        client.ended().contains("data transfers complete"),
                        client.lines().toString());
            }
        }
    }

    @Test
    void shouldBeServedByUdaddy() throws InterruptedException {
        var at = new InetSocketAddress(Rendezvous.far(), UDADDY);
        try (var server = new ChildProgram("udaddy", "-b", at.getAddress().getHostAddress(), "-C", "1");
                var meeting = new Rendezvous()) {
            ConnectionId id = null;
            DatagramParameters to = null;
            while (to == null) {
                id = meeting.resolved(PortSpace.UDP, at);
                meeting.queuePair(id);
                id.connect(config -> {});
                CmEvent event = meeting.expect(id, CmEvent.class);
                assertTrue(server.isRunning(), () -> server.lines().toString());
                if (event instanceof CmEvent.DatagramEstablished(var same, var parameters)) {
                    to = parameters;
                }
            }
            MemoryRegion region = region(meeting, id);
            assertTrue(id.queuePair().tryPost(ReceiveRequest.prepare(region)));
            AddressHandle handle = meeting.closed(meeting.domain(id.device()).createAddressHandle(to.path()));
            assertTrue(id.queuePair()
                    .tryPost(SendRequest.prepare(region)
                            .opcode(SendOpcode.SEND_WITH_IMM)
                            .immediate(id.queuePair().qpNum())
                            .range(0, DATAGRAM)
                            .to(handle, to.qpNum(), to.qkey())));
            WorkCompletions done = meeting.await(id);
            assertEquals(HEADER + DATAGRAM, done.byteLength(0));
            server.ended();
        }
    }
}
