// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.isthmus.internal.verbs.IbverbsLibrary;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a layer of a packet must look like: {@code struct ibv_flow_spec_eth} and similar structs. Only the bits of
 * a field that its mask sets count. A field that is not set can be anything. Immutable: setting a field returns a
 * new match.
 *
 * <p>Give numbers and addresses in the usual notation; the struct has them in network order.
 */
public final class FlowMatch extends FlowSpec {

    /** {@code IBV_FLOW_SPEC_INNER}. */
    private static final int INNER = 0x100;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Condition(byte[] value, byte[] mask) {}

    private final FlowLayer layer;
    private final boolean inner;
    private final Map<FlowField, Condition> conditions;

    private FlowMatch(FlowLayer layer, boolean inner, Map<FlowField, Condition> conditions) {
        super(layer.code() | (inner ? INNER : 0), layer.bytes());
        this.layer = layer;
        this.inner = inner;
        this.conditions = conditions;
    }

    /**
     * Matches packets that have a layer, whatever it contains.
     *
     * @param layer the layer
     * @return the match
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed
     */
    public static FlowMatch of(FlowLayer layer) {
        IbverbsLibrary.require();
        return new FlowMatch(layer, false, Map.of());
    }

    /**
     * The same match on what a tunnel contains: {@code IBV_FLOW_SPEC_INNER}.
     *
     * @return a new match
     */
    public FlowMatch inner() {
        return new FlowMatch(layer, true, conditions);
    }

    /**
     * This match, with a number in a field.
     *
     * @param field a field of the layer, of at most 8 bytes
     * @param value the number, no longer than the field
     * @return a new match
     * @throws IllegalArgumentException if the layer has no such field, or the number has more bits than the field
     */
    public FlowMatch with(FlowField field, long value) {
        return with(field, number(field, value), ones(field));
    }

    /**
     * This match, with some bits of a number in a field.
     *
     * @param field a field of the layer, of at most 8 bytes
     * @param value the number, no longer than the field
     * @param mask the bits that count
     * @return a new match
     * @throws IllegalArgumentException if the layer has no such field, or a number has more bits than the field
     */
    public FlowMatch with(FlowField field, long value, long mask) {
        return with(field, number(field, value), number(field, mask));
    }

    /**
     * This match, with an IP address in a field.
     *
     * @param field a field of the layer
     * @param address an address as long as the field
     * @return a new match
     * @throws IllegalArgumentException if the layer has no such field, or the address has another length
     */
    public FlowMatch with(FlowField field, InetAddress address) {
        return with(field, address.getAddress(), ones(field));
    }

    /**
     * This match, with some bits of an array in a field.
     *
     * @param field a field of the layer
     * @param value as many bytes as the field has, in network order
     * @param mask the bits that count, as many bytes
     * @return a new match
     * @throws IllegalArgumentException if the layer has no such field, or an array has another length
     */
    public FlowMatch with(FlowField field, byte[] value, byte[] mask) {
        Objects.requireNonNull(field, "field");
        if (!field.isOf(layer)) {
            throw new IllegalArgumentException(layer + " has no field " + field);
        }
        if (value.length != field.bytes() || mask.length != field.bytes()) {
            throw new IllegalArgumentException(field + " has " + field.bytes() + " bytes, the value " + value.length
                    + " and the mask " + mask.length);
        }
        Map<FlowField, Condition> more = new TreeMap<>(conditions);
        more.put(field, new Condition(value.clone(), mask.clone()));
        return new FlowMatch(layer, inner, more);
    }

    private static byte[] ones(FlowField field) {
        byte[] mask = new byte[field.bytes()];
        Arrays.fill(mask, (byte) 0xff);
        return mask;
    }

    private static byte[] number(FlowField field, long value) {
        int bits = field.bytes() * Byte.SIZE;
        if (bits > Long.SIZE || value >>> (bits - 1) >>> 1 != 0) {
            throw new IllegalArgumentException(field + " has " + bits + " bits: no room for 0x"
                    + Long.toHexString(value) + (bits > Long.SIZE ? ", and not set by a number" : ""));
        }
        byte[] bytes = new byte[field.bytes()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[bytes.length - 1 - i] = (byte) (value >>> (i * Byte.SIZE));
        }
        return bytes;
    }

    FlowLayer layer() {
        return layer;
    }

    /** The values of all fields: a {@code struct ibv_flow_*_filter}. */
    byte[] filter() {
        byte[] filter = new byte[layer.filterBytes()];
        conditions.forEach((field, c) -> System.arraycopy(c.value(), 0, filter, field.offset(), field.bytes()));
        return filter;
    }

    private byte[] masks() {
        byte[] masks = new byte[layer.filterBytes()];
        conditions.forEach((field, c) -> System.arraycopy(c.mask(), 0, masks, field.offset(), field.bytes()));
        return masks;
    }

    @Override
    void write(MemorySegment to) {
        int size = layer.filterBytes();
        MemorySegment.copy(filter(), 0, to, JAVA_BYTE, layer.valueOffset(), size);
        MemorySegment.copy(masks(), 0, to, JAVA_BYTE, layer.valueOffset() + size, size);
    }

    /** The layer and its fields. */
    @Override
    public String toString() {
        return (inner ? "inner " : "")
                + layer
                + conditions.entrySet().stream()
                        .map(e -> e.getKey() + "=" + hex(e.getValue().value()) + "/"
                                + hex(e.getValue().mask()))
                        .collect(Collectors.joining(" ", "(", ")"));
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
