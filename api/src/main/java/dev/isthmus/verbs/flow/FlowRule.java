// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import dev.isthmus.bindings.ibverbs.ibv_flow_attr;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_action_drop;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A rule for which packets go to a queue pair, and what is done to them: {@code struct ibv_flow_attr} and the
 * specifications that follow it. Immutable: setting a part returns a new rule. {@link Flow#create} puts it into force.
 *
 * @param type its kind
 * @param port the port whose packets it covers, from 1
 * @param priority of two rules that match, the one with the lower number applies; 0 to 65535
 * @param flags its flags
 * @param specs what must match, from the outermost layer inward, and what to do
 */
public record FlowRule(Type type, int port, int priority, Set<Flag> flags, List<FlowSpec> specs) {

    /** The kind of a rule: {@code enum ibv_flow_attr_type}. */
    public enum Type {
        /** Packets that match the specifications. {@code IBV_FLOW_ATTR_NORMAL}. */
        NORMAL(0),
        /** Packets that no other rule covers. {@code IBV_FLOW_ATTR_ALL_DEFAULT}. */
        ALL_DEFAULT(1),
        /** Multicast packets that no other rule covers. {@code IBV_FLOW_ATTR_MC_DEFAULT}. */
        MC_DEFAULT(2),
        /** A copy of all packets of the port. {@code IBV_FLOW_ATTR_SNIFFER}. */
        SNIFFER(3);

        private final int code;

        Type(int code) {
            this.code = code;
        }

        /**
         * The value of the C constant.
         *
         * @return its code
         */
        public int code() {
            return code;
        }
    }

    /** Flags of a rule: {@code enum ibv_flow_flags}. */
    public enum Flag {
        /** Rules of lower priority get the packets, too. {@code IBV_FLOW_ATTR_FLAGS_DONT_TRAP}. */
        DONT_TRAP(1 << 1),
        /** The rule covers outgoing packets. {@code IBV_FLOW_ATTR_FLAGS_EGRESS}. */
        EGRESS(1 << 2);

        private final int code;

        Flag(int code) {
            this.code = code;
        }

        /**
         * The value of the C constant.
         *
         * @return its code
         */
        public int code() {
            return code;
        }
    }

    /** The most that fit into {@code uint8_t num_of_specs}. */
    private static final int MAX_SPECS = 255;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if the port is not from 1 to 255, the priority not from 0 to 65535, there are more
     *     than 255 specifications, or DONT_TRAP is set on a rule that is not NORMAL
     */
    public FlowRule {
        Objects.requireNonNull(type, "type");
        flags = Set.copyOf(flags);
        specs = List.copyOf(specs);
        if (port < 1 || port > 255) {
            throw new IllegalArgumentException("port is not from 1 to 255: " + port);
        }
        if (priority < 0 || priority > 0xffff) {
            throw new IllegalArgumentException("priority is not from 0 to 65535: " + priority);
        }
        if (specs.size() > MAX_SPECS) {
            throw new IllegalArgumentException("a rule has at most 255 specifications, not " + specs.size());
        }
        if (flags.contains(Flag.DONT_TRAP) && type != Type.NORMAL) {
            throw new IllegalArgumentException("DONT_TRAP is for NORMAL rules only, not for " + type);
        }
    }

    /**
     * A rule for packets that match.
     *
     * @param port the port whose packets it covers, from 1
     * @param specs what must match, from the outermost layer inward, and what to do
     * @return a NORMAL rule of priority 0
     * @throws IllegalArgumentException if the port is not from 1 to 255, or there are more than 255 specifications
     */
    public static FlowRule match(int port, FlowSpec... specs) {
        return new FlowRule(Type.NORMAL, port, 0, Set.of(), List.of(specs));
    }

    /**
     * A rule without specifications.
     *
     * @param type its kind, such as SNIFFER
     * @param port the port whose packets it covers, from 1
     * @return a rule of priority 0
     * @throws IllegalArgumentException if the port is not from 1 to 255
     */
    public static FlowRule all(Type type, int port) {
        return new FlowRule(type, port, 0, Set.of(), List.of());
    }

    /**
     * The same rule with another priority.
     *
     * @param number of two rules that match, the one with the lower number applies; 0 to 65535
     * @return a new rule
     * @throws IllegalArgumentException if it is out of range
     */
    public FlowRule withPriority(int number) {
        return new FlowRule(type, port, number, flags, specs);
    }

    /**
     * The same rule with other flags.
     *
     * @param all the flags
     * @return a new rule
     * @throws IllegalArgumentException if one is not for this type
     */
    public FlowRule withFlags(Flag... all) {
        return new FlowRule(type, port, priority, Set.copyOf(List.of(all)), specs);
    }

    /** The rule for C, in one piece of zeroed memory. */
    MemorySegment write(SegmentAllocator allocator) {
        long header = ibv_flow_attr.sizeof();
        long size = header + specs.stream().mapToLong(FlowSpec::bytes).sum();
        MemorySegment rule = allocator.allocate(size, Long.BYTES);
        ibv_flow_attr.type(rule, type.code());
        ibv_flow_attr.size(rule, (short) size);
        ibv_flow_attr.priority(rule, (short) priority);
        ibv_flow_attr.num_of_specs(rule, (byte) specs.size());
        ibv_flow_attr.port(rule, (byte) port);
        ibv_flow_attr.flags(rule, Codes.mask(flags, Flag::code));
        long at = header;
        for (FlowSpec spec : specs) {
            // Written elsewhere, and then copied: specifications are packed, so a pointer in one may not be aligned.
            MemorySegment struct = allocator.allocate(spec.bytes(), Long.BYTES);
            spec.write(struct);
            // All specifications begin with type and size; the smallest has nothing else.
            ibv_flow_spec_action_drop.type(struct, spec.type());
            ibv_flow_spec_action_drop.size(struct, (short) spec.bytes());
            MemorySegment.copy(struct, 0, rule, at, spec.bytes());
            at += spec.bytes();
        }
        return rule;
    }

    /** What must stay open for a flow with this rule, besides its queue pair. */
    Stream<Lifetime> parents() {
        return specs.stream().flatMap(spec -> spec.parent().stream()).distinct();
    }
}
