// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Protection, thread and parent domains. */
@Tag("device")
class DomainsTest {

    private DeviceContext context;

    @BeforeEach
    void open() {
        context = Device.first().open();
    }

    @AfterEach
    void close() {
        context.close();
    }

    private String device() {
        return context.device().name();
    }

    @Tag("connectx")
    @Test
    void shouldAllocateManyProtectionDomains() {
        var domains = new ArrayList<ProtectionDomain>();
        for (int i = 0; i < 50; i++) {
            domains.add(context.allocateProtectionDomain());
        }
        assertNotEquals(domains.get(0).handleNumber(), domains.get(1).handleNumber());
        assertFalse(domains.get(0).reaches(domains.get(1)));
        assertThrows(IllegalStateException.class, context::close);
        domains.forEach(ProtectionDomain::close);
        domains.forEach(ProtectionDomain::close); // does nothing
        assertThrows(IllegalStateException.class, () -> domains.getFirst().handleNumber());
        assertThrows(IllegalStateException.class, () -> domains.getFirst().allocate(64));
    }

    @Tag("connectx")
    @Test
    void shouldAllocateThreadDomain() {
        try (var threadDomain = Features.make("ibv_alloc_td", device(), context::allocateThreadDomain)) {
            assertThrows(IllegalStateException.class, context::close);
            assertFalse(threadDomain.toString().isEmpty());
        }
    }

    @Tag("connectx")
    @Test
    void shouldUseParentDomainAsProtectionDomain() {
        exchangeInParentDomain(null);
    }

    @Tag("connectx")
    @Test
    void shouldLeaveAllocationToDriverWhenAllocatorGivesNone() {
        var asked = new AtomicInteger();
        exchangeInParentDomain(new DomainAllocator() {
            @Override
            public MemorySegment allocate(long bytes, long alignment, long resourceType) {
                asked.incrementAndGet();
                return null;
            }

            @Override
            public void free(MemorySegment memory, long resourceType) {
                throw new AssertionError("nothing was given");
            }
        });
        assertTrue(asked.get() > 0);
    }

    @Tag("connectx")
    @Test
    void shouldGiveDriverMemoryOfTheAllocator() {
        List<Long> open = new ArrayList<>();
        var given = new AtomicInteger();
        try (var arena = Arena.ofShared()) {
            exchangeInParentDomain(new DomainAllocator() {
                @Override
                public MemorySegment allocate(long bytes, long alignment, long resourceType) {
                    MemorySegment memory = arena.allocate(bytes, alignment);
                    open.add(memory.address());
                    given.incrementAndGet();
                    return memory;
                }

                @Override
                public void free(MemorySegment memory, long resourceType) {
                    assertTrue(open.remove(memory.address()));
                }
            });
            assertEquals(List.of(), open);
            assertTrue(given.get() > 0);
        }
    }

    private void exchangeInParentDomain(DomainAllocator allocator) {
        try (var pd = context.allocateProtectionDomain()) {
            try (var parent = Features.make(
                            "ibv_alloc_parent_domain", device(), () -> pd.allocateParentDomain(null, allocator));
                    var cq = context.createCompletionQueue(16);
                    var memory = parent.allocate(4096, AccessFlag.LOCAL_WRITE);
                    var qp = parent.createQueuePair(QueuePairType.RC, cq, cq)) {
                assertThrows(IllegalStateException.class, pd::close);
                assertTrue(parent.reaches(pd) && pd.reaches(parent));
                GidEntry gid = context.defaultGid(1);
                qp.connect(gid, qp.address(gid)); // to itself
                assertTrue(qp.tryPost(ReceiveRequest.prepare(memory.region()).range(64, 4)));
                assertTrue(qp.tryPost(SendRequest.prepare(memory.region()).range(0, 4)));
                assertThrows(IllegalArgumentException.class, () -> parent.allocateParentDomain(null, null));
                assertTrue(parent.allocatorFailure().isEmpty());
            }
        }
    }
}
