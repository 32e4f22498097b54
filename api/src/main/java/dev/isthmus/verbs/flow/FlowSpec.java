// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import dev.isthmus.bindings.ibverbs.ibv_flow_spec_action_drop;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_action_handle;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_action_tag;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_counter_action;
import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A part of a {@link FlowRule}: a layer of packets to match, see {@link FlowMatch}, or what to do to packets that
 * match. {@code struct ibv_flow_spec}. Immutable.
 */
public abstract sealed class FlowSpec permits FlowMatch, FlowSpec.Tag, FlowSpec.Drop, FlowSpec.Action, FlowSpec.Count {

    private final int type;
    private final int bytes;

    /**
     * For the subclasses.
     *
     * @param type the code of {@code enum ibv_flow_spec_type}
     * @param bytes the size of the C struct
     */
    FlowSpec(int type, long bytes) {
        this.type = type;
        this.bytes = (int) bytes;
    }

    /**
     * Marks the completions of packets that match with a number: {@code IBV_FLOW_SPEC_ACTION_TAG}.
     *
     * @param tagId the number, unsigned; devices take 24 bits or fewer
     * @return the part
     */
    public static FlowSpec tag(int tagId) {
        return new Tag(tagId);
    }

    /**
     * Drops packets that match: {@code IBV_FLOW_SPEC_ACTION_DROP}.
     *
     * @return the part
     */
    public static FlowSpec drop() {
        return new Drop();
    }

    /**
     * Applies an action to packets that match: {@code IBV_FLOW_SPEC_ACTION_HANDLE}.
     *
     * @param action the action, which flows with this part hold open
     * @return the part
     */
    public static FlowSpec action(FlowAction action) {
        return new Action(action);
    }

    /**
     * Counts packets that match: {@code IBV_FLOW_SPEC_ACTION_COUNT}.
     *
     * @param counters the counters, which flows with this part hold open
     * @return the part
     */
    public static FlowSpec count(Counters counters) {
        return new Count(counters);
    }

    final int type() {
        return type;
    }

    /** The size of the C struct. */
    final int bytes() {
        return bytes;
    }

    /** Fills in the C struct except for its type and size, in zeroed memory of its size. */
    abstract void write(MemorySegment to);

    /** What must stay open for a flow with this part. */
    Optional<Lifetime> parent() {
        return Optional.empty();
    }

    private static final class Tag extends FlowSpec {
        private final int tagId;

        Tag(int tagId) {
            super(0x1000, ibv_flow_spec_action_tag.sizeof());
            this.tagId = tagId;
        }

        @Override
        void write(MemorySegment to) {
            ibv_flow_spec_action_tag.tag_id(to, tagId);
        }

        @Override
        public String toString() {
            return "tag " + Integer.toUnsignedString(tagId);
        }
    }

    private static final class Drop extends FlowSpec {
        Drop() {
            super(0x1001, ibv_flow_spec_action_drop.sizeof());
        }

        @Override
        void write(MemorySegment to) {}

        @Override
        public String toString() {
            return "drop";
        }
    }

    private static final class Action extends FlowSpec {
        private final FlowAction action;

        Action(FlowAction action) {
            super(0x1002, ibv_flow_spec_action_handle.sizeof());
            this.action = action;
        }

        @Override
        void write(MemorySegment to) {
            ibv_flow_spec_action_handle.action(to, action.handle());
        }

        @Override
        Optional<Lifetime> parent() {
            return Optional.of(action.lifetime());
        }

        @Override
        public String toString() {
            return action.toString();
        }
    }

    private static final class Count extends FlowSpec {
        private final Counters counters;

        Count(Counters counters) {
            super(0x1003, ibv_flow_spec_counter_action.sizeof());
            this.counters = counters;
        }

        @Override
        void write(MemorySegment to) {
            ibv_flow_spec_counter_action.counters(to, counters.handle());
        }

        @Override
        Optional<Lifetime> parent() {
            return Optional.of(counters.lifetime());
        }

        @Override
        public String toString() {
            return counters.toString();
        }
    }
}
