// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.Errno;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.verbs.attributes.OdpCapability;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("device")
@Tag("connectx")
class MemoryRegionKindsTest {

    private static final AccessFlag[] REMOTE = {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ
    };
    private static final long IOVA = 0x7000_0000_0000L;

    private final Arena arena = Arena.ofShared();
    private RcPair pair;

    @BeforeEach
    void open() {
        pair = RcPair.connected();
    }

    @AfterEach
    void close() {
        pair.close();
        arena.close();
    }

    private MemorySegment page() {
        return PageMemory.PAGES.allocate(arena, 4096);
    }

    /** Lets a write to an address in a region, and answers how that ended. */
    private CompletionStatus write(long remoteAddress, int rkey, int value) {
        pair.a.memory().set(ValueLayout.JAVA_INT, 0, value);
        assertTrue(pair.a.qp.tryPost(
                pair.a.send(0, 4).opcode(SendOpcode.RDMA_WRITE).remote(remoteAddress, rkey)));
        pair.a.await();
        return pair.a.done.status(0);
    }

    /** Lets a send and b receive into a range of a region. */
    private void receive(MemoryRegion region, long offset, int value) {
        pair.a.memory().set(ValueLayout.JAVA_INT, 0, value);
        assertTrue(pair.b.qp.tryPost(ReceiveRequest.prepare(region).range(offset, 4)));
        assertTrue(pair.a.qp.tryPost(pair.a.send(0, 4)));
        pair.b.await();
        assertTrue(pair.b.done.isSuccess(0), pair.b.done.toString());
        pair.a.await();
    }

    /** What a device has that announces it, if anything does; kernels say differently that it does not. */
    private <T> T onDemand(String call, Optional<OdpCapability> announced, Supplier<T> what) {
        try {
            return what.get();
        } catch (VerbsException e) {
            Set<OdpCapability> all = pair.b.device.extendedAttributes().odp().general();
            assertFalse(announced.filter(all::contains).isPresent(), "the device says that it does: " + all);
            assertTrue(e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EINVAL, e.getMessage());
            throw RefusedByDevice.saying(
                    e,
                    call + ": " + Errno.describe(e.errno())
                            + ": the device may not fault memory in on demand: register without ON_DEMAND");
        }
    }

    private String device() {
        return pair.b.device.device().name();
    }

    @Test
    void shouldTakeRemoteAddressesFromGivenBase() {
        MemorySegment memory = page();
        try (var region = pair.b.pd.registerAt(IOVA, memory, REMOTE)) {
            assertEquals(IOVA, region.address());
            assertEquals(memory, region.segment());
            assertEquals(CompletionStatus.SUCCESS, write(IOVA + 100, region.rkey(), 4711));
            assertEquals(4711, memory.get(ValueLayout.JAVA_INT, 100));
            assertEquals(CompletionStatus.REM_ACCESS_ERR, write(memory.address() + 100, region.rkey(), 4712));
        }
    }

    @Test
    void shouldUseGivenBaseInLocalRequestsToo() {
        MemorySegment memory = page();
        try (var region = pair.b.pd.registerAt(IOVA, memory, AccessFlag.LOCAL_WRITE)) {
            receive(region, 200, 4713);
            assertEquals(4713, memory.get(ValueLayout.JAVA_INT, 200));
            memory.set(ValueLayout.JAVA_INT, 300, 4714);
            assertTrue(pair.a.qp.tryPost(pair.a.receive(0, 4)));
            assertTrue(
                    pair.b.qp.tryPost(SendRequest.prepare(region).range(300, 4).signaled(true)));
            pair.a.await();
            pair.b.await();
            assertEquals(4714, pair.a.memory().get(ValueLayout.JAVA_INT, 0));
        }
    }

    @Test
    void shouldRefuseInlineSendFromRegionAtAnotherAddress() {
        try (var region = pair.a.pd.registerAt(IOVA, page())) {
            SendRequest send = SendRequest.prepare(region).length(8).inline(true);
            var e = assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(send));
            assertTrue(e.getMessage().contains("without inline"), e.getMessage());
        }
    }

    /** The driver of a device that has raw packets copies the first header from the buffer's address. */
    @Test
    void shouldRefuseRawPacketFromRegionAtAnotherAddress() {
        try (var region = pair.a.pd.registerAt(IOVA, page());
                var plain = pair.a.pd.register(page())) {
            SendRequest packet = SendRequest.prepare(region).length(64);
            assertThrows(IllegalArgumentException.class, () -> packet.check(pair.a.qp, 0, true));
            SendRequest.prepare(plain).length(64).check(pair.a.qp, 0, true);
        }
    }

    @Test
    void shouldRefuseBaseAtAnotherPlaceInThePage() {
        var e = assertThrows(IllegalArgumentException.class, () -> pair.b.pd.registerAt(IOVA + 8, page()));
        assertTrue(e.getMessage().contains("page-aligned"), e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> pair.b.pd.registerAt(-4096 + 8, page().asSlice(8)));
        assertThrows(
                IllegalArgumentException.class,
                () -> pair.b.pd.registerAt(IOVA, page(), AccessFlag.ZERO_BASED, AccessFlag.LOCAL_WRITE));
    }

    @Test
    void shouldCountAddressesFromZeroWhenZeroBased() {
        MemorySegment memory = page();
        // Soft-RoCE takes any flag from its user up to Linux 6.1, and not later.
        try (MemoryRegion made = Features.make(
                "ibv_reg_mr_iova",
                device() + ", 4096 bytes at 0x0, [LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, ZERO_BASED]",
                () -> pair.b.pd.register(
                        memory,
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_READ,
                        AccessFlag.ZERO_BASED))) {
            assertEquals(0, made.address());
            assertEquals(CompletionStatus.SUCCESS, write(64, made.rkey(), 4715));
            assertEquals(4715, memory.get(ValueLayout.JAVA_INT, 64));
        }
    }

    @Test
    void shouldExchangeMessagesInRelaxedOrderedMemory() {
        MemorySegment memory = page();
        try (var region = pair.b.pd.register(
                        memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.RELAXED_ORDERING);
                var moved = pair.b.pd.registerAt(
                        IOVA, page(), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.RELAXED_ORDERING)) {
            receive(region, 0, 4716);
            assertEquals(4716, memory.get(ValueLayout.JAVA_INT, 0));
            assertEquals(CompletionStatus.SUCCESS, write(moved.address(), moved.rkey(), 4717));
            assertEquals(4717, moved.segment().get(ValueLayout.JAVA_INT, 0));
        }
    }

    @Test
    void shouldReceiveDatagramInRelaxedOrderedMemory() {
        try (var datagrams = RcPair.datagrams();
                var memory = datagrams.b.pd.allocate(4096, AccessFlag.LOCAL_WRITE, AccessFlag.RELAXED_ORDERING)) {
            datagrams.a.memory().set(ValueLayout.JAVA_INT, 0, 4727);
            assertTrue(datagrams.b.qp.tryPost(ReceiveRequest.prepare(memory.region())));
            AddressHandle way = datagrams.a.wayTo(datagrams.b);
            assertTrue(datagrams.a.qp.tryPost(datagrams.a.send(0, 4).to(way, datagrams.b.qp.qpNum(), RcPair.QKEY)));
            datagrams.b.awaitSuccess();
            assertEquals(4727, memory.segment().get(ValueLayout.JAVA_INT, GlobalRouteHeader.BYTES));
            datagrams.a.awaitSuccess();
        }
    }

    @Test
    void shouldFaultMemoryInOnDemand() {
        MemorySegment memory = page();
        try (MemoryRegion region = onDemand(
                "ibv_reg_mr(" + device() + ", 4096 bytes, [LOCAL_WRITE, ON_DEMAND])",
                Optional.of(OdpCapability.SUPPORT),
                () -> pair.b.pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.ON_DEMAND))) {
            region.advise(MemoryAdvice.PREFETCH_WRITE, true, 0, 4096);
            receive(region, 0, 4718);
            assertEquals(4718, memory.get(ValueLayout.JAVA_INT, 0));
        }
    }

    @Test
    void shouldFaultHugePagesInOnDemand() {
        MemorySegment memory = PageMemory.TRANSPARENT_HUGE_PAGES.allocate(arena, 1 << 21);
        try (MemoryRegion region = onDemand(
                "ibv_reg_mr(" + device() + ", 2097152 bytes, [LOCAL_WRITE, ON_DEMAND, HUGETLB])",
                Optional.empty(),
                () -> pair.b.pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.ON_DEMAND, AccessFlag.HUGETLB))) {
            receive(region, 1 << 20, 4728);
            assertEquals(4728, memory.get(ValueLayout.JAVA_INT, 1 << 20));
        }
    }

    /** Without on-demand paging the flag is a hint, which this memory need not even keep to. */
    @Test
    void shouldTakeTheHintOfHugePages() {
        MemorySegment memory = PageMemory.TRANSPARENT_HUGE_PAGES.allocate(arena, 1 << 21);
        try (MemoryRegion pinned = Features.make(
                "ibv_reg_mr",
                device() + ", 2097152 bytes, [LOCAL_WRITE, HUGETLB]",
                () -> pair.b.pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.HUGETLB))) {
            receive(pinned, 1 << 20, 4719);
            assertEquals(4719, memory.get(ValueLayout.JAVA_INT, 1 << 20));
        }
    }

    @Test
    void shouldRegisterWholeAddressSpace() {
        MemorySegment memory = page();
        try (AddressSpaceRegion whole = onDemand(
                        "ibv_reg_mr_iova2(" + device() + ", the whole address space, [LOCAL_WRITE, ON_DEMAND])",
                        Optional.of(OdpCapability.SUPPORT_IMPLICIT),
                        () -> pair.b.pd.registerAddressSpace(AccessFlag.LOCAL_WRITE));
                var part = whole.region(memory)) {
            assertThrows(IllegalStateException.class, whole::close);
            receive(part, 8, 4720);
            assertEquals(4720, memory.get(ValueLayout.JAVA_INT, 8));
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryAdvice.class)
    void shouldPrefetch(MemoryAdvice advice) {
        try {
            pair.b.region.advise(advice, false, 0, 64);
        } catch (VerbsException e) {
            throw Features.unsupported("ibv_advise_mr", pair.b.region + ", " + advice + ", offset 0, 64 bytes", e);
        }
    }

    @Test
    void shouldRefuseAdviceThatCannotBeFollowed() {
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> pair.b.region.advise(MemoryAdvice.PREFETCH, true, 1, RcPair.BUFFER));
        try (var readOnly = pair.b.pd.register(page())) {
            assertThrows(
                    IllegalArgumentException.class, () -> readOnly.advise(MemoryAdvice.PREFETCH_WRITE, true, 0, 64));
        }
    }

    @Test
    void shouldForgetWhatIsWrittenToNullRegion() {
        try (MemoryRegion region = Features.make("ibv_alloc_null_mr", device(), () -> pair.b.pd.allocateNullRegion())) {
            assertEquals(MemorySegment.NULL, region.segment());
            assertTrue(pair.b.qp.tryPost(ReceiveRequest.prepare(1).sge(0, region, 0, 4)));
            assertTrue(pair.a.qp.tryPost(pair.a.send(0, 4)));
            pair.b.await();
            assertTrue(pair.b.done.isSuccess(0));
        }
    }

    @Test
    void shouldSayThatDescriptorIsOfNoDmabuf() {
        assertThrows(IllegalArgumentException.class, () -> pair.b.pd.registerDmabuf(-1, 0, 4096, 0));
        assertThrows(IllegalArgumentException.class, () -> pair.b.pd.registerDmabuf(0, 0, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> pair.b.pd.registerDmabuf(0, 8, 4096, 0));
        assertThrows(
                IllegalArgumentException.class, () -> pair.b.pd.registerDmabuf(0, 0, 4096, 0, AccessFlag.REMOTE_WRITE));
        // There is none to register here: a driver that could calls the descriptor a bad one.
        var e = assertThrows(
                VerbsException.class, () -> pair.b.pd.registerDmabuf(0, 4096, 4096, 0, AccessFlag.LOCAL_WRITE));
        String arguments = device() + ", 4096 bytes at 0x0, [LOCAL_WRITE], dma-buf 0";
        if (e.errno() == Errno.EOPNOTSUPP) {
            throw Features.unsupported("ibv_reg_dmabuf_mr", arguments, e);
        }
        assertTrue(Set.of("EBADF", "EINVAL").contains(e.errnoName()), e.getMessage());
        assertTrue(e.getMessage().startsWith("ibv_reg_dmabuf_mr(" + arguments + "): "), e.getMessage());
    }

    @Test
    void shouldChangeAccess() {
        MemoryRegion region = pair.b.pd.register(page(), AccessFlag.LOCAL_WRITE);
        MemoryRegion changed;
        try {
            changed = region.reregister(change -> change.access(REMOTE));
        } catch (VerbsException e) {
            throw unchanged(e, region);
        }
        try (changed) {
            assertEquals(Set.of(REMOTE), changed.access());
            assertSame(region.protectionDomain(), changed.protectionDomain());
            assertReplaced(region);
            assertEquals(CompletionStatus.SUCCESS, write(changed.address(), changed.rkey(), 4721));
            var without = changed.reregister(change -> change.access(AccessFlag.LOCAL_WRITE));
            assertEquals(CompletionStatus.REM_ACCESS_ERR, write(without.address(), without.rkey(), 4722));
            without.close();
        }
    }

    @Test
    void shouldChangeMemory() {
        MemorySegment other = page();
        MemoryRegion region = pair.b.pd.register(page(), REMOTE);
        MemoryRegion changed;
        try {
            changed = region.reregister(change -> change.memory(other));
        } catch (VerbsException e) {
            throw unchanged(e, region);
        }
        try (changed) {
            assertReplaced(region);
            assertEquals(other, changed.segment());
            assertEquals(CompletionStatus.SUCCESS, write(other.address(), changed.rkey(), 4723));
            assertEquals(4723, other.get(ValueLayout.JAVA_INT, 0));
        }
    }

    @Test
    void shouldChangeDomain() {
        try (var pd = pair.b.device.allocateProtectionDomain()) {
            MemoryRegion region = pair.b.pd.register(page(), REMOTE);
            MemoryRegion changed;
            try {
                changed = region.reregister(change -> change.protectionDomain(pd));
            } catch (VerbsException e) {
                throw unchanged(e, region);
            }
            try (changed) {
                assertReplaced(region);
                assertThrows(IllegalStateException.class, pd::close);
                assertNotEquals(CompletionStatus.SUCCESS, write(changed.address(), changed.rkey(), 4724));
            }
        }
    }

    // Soft-RoCE changes no region: it says that the old one is as it was, and it must be.
    private RefusedByDevice unchanged(VerbsException e, MemoryRegion region) {
        receive(region, 0, 4725);
        assertEquals(4725, region.segment().get(ValueLayout.JAVA_INT, 0));
        region.close();
        return RefusedByDevice.saying(e, "ibv_rereg_mr(", "): EOPNOTSUPP (95): it is as it was");
    }

    private void assertReplaced(MemoryRegion region) {
        var e = assertThrows(IllegalStateException.class, () -> pair.b.qp.tryPost(ReceiveRequest.prepare(region)));
        assertTrue(e.getMessage().contains("registered anew"), e.getMessage());
    }

    @Test
    void shouldRefuseChangeThatChangesNothingOrCannotBe() {
        MemoryRegion region = pair.b.region;
        assertThrows(IllegalArgumentException.class, () -> region.reregister(change -> {}));
        assertThrows(
                IllegalArgumentException.class,
                () -> region.reregister(change -> change.access(AccessFlag.REMOTE_WRITE)));
        assertThrows(
                IllegalArgumentException.class,
                () -> region.reregister(change -> change.memory(MemorySegment.ofArray(new byte[8]))));
        assertThrows(
                IllegalArgumentException.class, () -> region.reregister(change -> change.protectionDomain(pair.a.pd)));
        receive(region, 0, 4726);
    }

    @Test
    void shouldOnlyBeClosedOnceLost() {
        var region = pair.b.pd.register(page(), REMOTE);
        region.markBroken();
        var e = assertThrows(IllegalStateException.class, () -> pair.b.qp.tryPost(ReceiveRequest.prepare(region)));
        assertTrue(e.getMessage().contains("close it"), e.getMessage());
        region.close();
    }
}
