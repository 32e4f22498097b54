// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Filling;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.internal.verbs.VerbsErrors;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;

/** How to change a region: {@code enum ibv_rereg_mr_flags}. See {@link MemoryRegion#reregister}. */
public final class Reregistration {

    static final int CHANGE_TRANSLATION = 1;
    static final int CHANGE_PD = 1 << 1;
    static final int CHANGE_ACCESS = 1 << 2;

    final Filling filling = new Filling();
    private final MemoryRegion region;
    private RegionMemory memory;
    private ProtectionDomain pd;
    private Set<AccessFlag> access;
    private int changes;

    Reregistration(MemoryRegion region) {
        this.region = region;
        this.memory = new RegionMemory(region.segment(), region.address(), region.length());
        this.pd = region.protectionDomain();
        this.access = region.access();
    }

    /**
     * Replaces the memory: {@code IBV_REREG_MR_CHANGE_TRANSLATION}. The device knows the new memory by its own address.
     *
     * @param segment as for {@link ProtectionDomain#register}
     * @return this
     */
    public Reregistration memory(MemorySegment segment) {
        filling.check();
        memory = RegionMemory.of(segment);
        changes |= CHANGE_TRANSLATION;
        return this;
    }

    /**
     * Moves the region to another domain: {@code IBV_REREG_MR_CHANGE_PD}.
     *
     * @param domain a domain of the same open device
     * @return this
     * @throws NullPointerException if it is null
     */
    public Reregistration protectionDomain(ProtectionDomain domain) {
        filling.check();
        pd = Objects.requireNonNull(domain, "domain");
        changes |= CHANGE_PD;
        return this;
    }

    /**
     * Changes what may be done to the region: {@code IBV_REREG_MR_CHANGE_ACCESS}.
     *
     * @param flags everything that may be done from now on, not only what is new
     * @return this
     */
    public Reregistration access(AccessFlag... flags) {
        filling.check();
        access = MemoryRegions.set(flags);
        changes |= CHANGE_ACCESS;
        return this;
    }

    /** What the call's result says about the region: {@code enum ibv_rereg_mr_err_code}. */
    enum Outcome {
        /** It is what was asked for; at worst a child process will not inherit the memory that it was of. */
        CHANGED,
        /** It is as it was. */
        UNCHANGED,
        /** It must not be used any more. */
        LOST;

        static Outcome of(int result, int errno) {
            if (result != 0 && errno == Errno.EOPNOTSUPP) {
                return UNCHANGED; // the library also says _CMD if the driver lacks the call, and nothing was tried
            }
            return switch (result) {
                case 0, -3 -> CHANGED; // IBV_REREG_MR_ERR_DO_FORK_OLD
                case -1, -2 -> UNCHANGED; // IBV_REREG_MR_ERR_INPUT, _DONT_FORK_NEW
                default -> LOST; // IBV_REREG_MR_ERR_CMD, _CMD_AND_DO_FORK_NEW, and unknown codes
            };
        }
    }

    MemoryRegion perform() {
        if (changes == 0) {
            throw new IllegalArgumentException("nothing is to change: say memory, protectionDomain or access");
        }
        if (region.kind() != RegionKind.REGISTERED) {
            throw new IllegalStateException(region + " is not of memory that was registered: it cannot be changed");
        }
        if (pd.context() != region.protectionDomain().context()) {
            throw new IllegalArgumentException(pd + " and " + region + " are not of the same open device");
        }
        memory.check(access);
        String name = pd.context().device().name() + ", " + memory.length() + " bytes";
        var lifetime = new Lifetime("MemoryRegion", name, pd.lifetime());
        return lifetime.open(() -> {
            return MemoryRegion.make(pd, lifetime, this::replace, RegionKind.REGISTERED, memory, access);
        });
    }

    private MemorySegment replace() {
        region.replace(this::call);
        return region.handle();
    }

    private void call() {
        try (var call = new VerbsCall()) {
            boolean moved = (changes & CHANGE_TRANSLATION) != 0;
            int result = call.integer(
                    Libibverbs.REREG_MR,
                    region.handle(),
                    changes,
                    (changes & CHANGE_PD) == 0 ? MemorySegment.NULL : pd.handle(),
                    moved ? memory.segment() : MemorySegment.NULL,
                    moved ? memory.length() : 0L,
                    (changes & CHANGE_ACCESS) == 0 ? 0 : MemoryRegions.mask(access));
            Outcome outcome = Outcome.of(result, call.errno());
            if (outcome == Outcome.CHANGED) {
                return;
            }
            if (outcome == Outcome.LOST) {
                region.markBroken();
            }
            throw failure(outcome, call.errno());
        }
    }

    private VerbsException failure(Outcome outcome, int errno) {
        String state = outcome == Outcome.LOST ? "the region must not be used any more: close it" : "it is as it was";
        String why = VerbsErrors.registrationHelp(memory.length(), errno);
        return VerbsErrors.failure(
                Libibverbs.REREG_MR.name(), region + " to " + this, errno, why.isEmpty() ? state : why + "; " + state);
    }

    /** What will change, for messages. */
    @Override
    public String toString() {
        return "Reregistration(" + ((changes & CHANGE_TRANSLATION) == 0 ? "" : memory.length() + " bytes ")
                + ((changes & CHANGE_PD) == 0 ? "" : pd + " ")
                + ((changes & CHANGE_ACCESS) == 0 ? "" : access)
                + ")";
    }
}
