// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AddressSpaceRegion;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.MemoryAdvice;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.MemoryWindow;
import dev.isthmus.verbs.MemoryWindowType;
import dev.isthmus.verbs.PageMemory;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.WindowBinding;
import dev.isthmus.verbs.devicememory.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;

/** Memory regions of all kinds, and memory windows. */
final class MemoryActions {

    private static final long BYTES = 1 << 16;

    static final AccessFlag[] ALL = {
        AccessFlag.LOCAL_WRITE,
        AccessFlag.REMOTE_READ,
        AccessFlag.REMOTE_WRITE,
        AccessFlag.REMOTE_ATOMIC,
        AccessFlag.MW_BIND
    };

    private MemoryActions() {}

    /** Memory of an arena of this worker. */
    record Block(MemorySegment segment) {}

    static List<Action> all() {
        return List.of(
                action("allocate memory", 4, MemoryActions::allocate),
                action(
                        "register",
                        10,
                        w -> w.made(
                                MemoryRegion.class,
                                w.any(ProtectionDomain.class).register(segment(w), access(w))),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.RANGE),
                action(
                        "register at an address",
                        2,
                        w -> w.made(
                                MemoryRegion.class,
                                w.use(ProtectionDomain.class).registerAt(w.length(), segment(w), access(w))),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.RANGE),
                action(
                        "register a heap segment",
                        1,
                        w -> w.made(
                                MemoryRegion.class,
                                w.use(ProtectionDomain.class).register(MemorySegment.ofArray(new byte[64]), access(w))),
                        Reason.ARGUMENT),
                action("register a confined segment", 1, MemoryActions::confined),
                action(
                        "register the address space",
                        1,
                        w -> w.made(
                                AddressSpaceRegion.class,
                                w.use(ProtectionDomain.class).registerAddressSpace(access(w))),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.RANGE),
                action(
                        "register a dmabuf",
                        1,
                        w -> w.made(
                                MemoryRegion.class,
                                w.use(ProtectionDomain.class)
                                        .registerDmabuf(-1, w.length(), w.length(), w.length(), access(w))),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.RANGE),
                action(
                        "allocate registered memory",
                        2,
                        w -> w.made(
                                RegisteredMemory.class,
                                w.use(ProtectionDomain.class)
                                        .allocate(PageMemory.PAGES, Math.min(w.length(), BYTES), access(w))),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action("close registered memory", 2, w -> w.close(RegisteredMemory.class)),
                action(
                        "null region",
                        1,
                        w -> w.made(
                                MemoryRegion.class,
                                w.use(ProtectionDomain.class).allocateNullRegion()),
                        Reason.DEVICE),
                action(
                        "import a region",
                        1,
                        w -> w.made(
                                MemoryRegion.class,
                                w.use(ProtectionDomain.class)
                                        .importRegion(w.number(), w.length(), w.length(), access(w))),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "device memory",
                        1,
                        w -> w.made(
                                DeviceMemory.class,
                                DeviceMemory.allocate(w.use(DeviceContext.class), w.length(), w.length())),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "reregister",
                        3,
                        MemoryActions::reregister,
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.KIND,
                        Reason.RANGE),
                action(
                        "advise",
                        1,
                        w -> w.use(MemoryRegion.class)
                                .advise(w.one(MemoryAdvice.values()), w.chance(2), w.length(), w.length()),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.RANGE),
                action(
                        "window",
                        3,
                        w -> w.made(
                                MemoryWindow.class,
                                w.use(ProtectionDomain.class).allocateWindow(w.one(MemoryWindowType.values()))),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "bind a window of type 1",
                        3,
                        w -> w.ignore(w.use(MemoryWindow.class)
                                .tryBind(
                                        w.use(QueuePair.class, Expectation.Use.SENDS),
                                        binding(w),
                                        w.number(),
                                        w.chance(2))),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.KIND,
                        Reason.RANGE,
                        Reason.STATE),
                action(
                        "note a window's key",
                        1,
                        w -> w.use(MemoryWindow.class).bound(w.number()),
                        Reason.KIND,
                        Reason.STATE),
                action("a window's next key", 1, w -> w.use(MemoryWindow.class).nextRkey(), Reason.KIND, Reason.STATE),
                action("release a window", 2, w -> w.use(MemoryWindow.class).release(), Reason.KIND, Reason.STATE));
    }

    static void allocate(Worker w) {
        Arena arena = Arena.ofShared();
        Thing made = w.made(Arena.class, arena);
        // Pages, which are unmapped when the arena is closed. malloc would give such memory to the next caller while
        // the device may still write to it, because it was registered, as in C.
        w.part(Block.class, new Block(PageMemory.PAGES.allocate(arena, BYTES)), made);
    }

    static MemorySegment block(Worker w) {
        return w.own(Block.class).segment();
    }

    private static MemorySegment segment(Worker w) {
        MemorySegment all = block(w);
        return w.chance(3) ? all.asSlice(w.small((int) BYTES), w.length()) : all;
    }

    static AccessFlag[] access(Worker w) {
        if (w.chance(3)) {
            return Stream.generate(() -> w.one(AccessFlag.values()))
                    .limit(w.random.nextInt(4))
                    .toArray(AccessFlag[]::new);
        }
        return ALL.clone();
    }

    private static void confined(Worker w) {
        try (Arena arena = Arena.ofConfined()) {
            var region = w.use(ProtectionDomain.class).register(PageMemory.PAGES.allocate(arena, BYTES));
            w.made(MemoryRegion.class, region).names(Thing.gone());
        }
    }

    private static void reregister(Worker w) throws Exception {
        Thing old = w.take(MemoryRegion.class);
        MemoryRegion region = (MemoryRegion) old.object;
        MemoryRegion[] made = new MemoryRegion[1];
        w.replace(
                old,
                () -> made[0] = region.reregister(change -> {
                    if (w.chance(2)) {
                        change.memory(segment(w));
                    }
                    if (w.chance(3)) {
                        change.protectionDomain(w.any(ProtectionDomain.class));
                    }
                    if (w.chance(2)) {
                        change.access(access(w));
                    }
                }));
        MemoryRegion next = made[0];
        w.made(MemoryRegion.class, next, region.protectionDomain(), next.protectionDomain())
                .namesAsWell(old);
    }

    /** A window may hold the queue pair that has bound it, and the region that it was bound to. */
    static void mayHold(Worker w, Thing thing) {
        boolean mayBe = thing.object instanceof QueuePair || thing.object instanceof MemoryRegion;
        if (mayBe && w.countOpen(MemoryWindow.class) > 0) {
            w.expected.may(Reason.IN_USE);
        }
    }

    static WindowBinding binding(Worker w) {
        MemoryRegion region = w.any(MemoryRegion.class);
        return WindowBinding.of(region, w.length(), w.length(), access(w));
    }
}
