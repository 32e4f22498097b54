// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.isthmus.bindings.ibverbs.ib_uverbs_flow_action_esp;
import dev.isthmus.bindings.ibverbs.ib_uverbs_flow_action_esp_encap;
import dev.isthmus.bindings.ibverbs.ib_uverbs_flow_action_esp_keymat_aes_gcm;
import dev.isthmus.bindings.ibverbs.ib_uverbs_flow_action_esp_replay_bmp;
import dev.isthmus.bindings.ibverbs.ibv_flow_action_esp_attr;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.Filling;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * How to encrypt or decrypt packets, {@code struct ibv_flow_action_esp_attr}, for the configurer passed to
 * {@link FlowAction#createEsp} or {@link FlowAction#modifyEsp}. What you do not set is absent, or stays as it is.
 */
public final class EspConfig {

    /** How the device works: {@code enum ib_uverbs_flow_action_esp_flags}. */
    public enum Flag {
        /** The device adds and removes the ESP header, too. {@code IB_UVERBS_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD}. */
        FULL_OFFLOAD(1),
        /** Transport mode rather than tunnel mode. {@code IB_UVERBS_FLOW_ACTION_ESP_FLAGS_TRANSPORT}. */
        TRANSPORT(1 << 1),
        /** Encrypts; decrypts otherwise. {@code IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ENCRYPT}. */
        ENCRYPT(1 << 2),
        /** Extended sequence numbers begin a new window. {@code IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ESN_NEW_WINDOW}. */
        ESN_NEW_WINDOW(1 << 3);

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

    /** {@code IBV_FLOW_ACTION_ESP_MASK_ESN}. */
    private static final int WITH_ESN = 1;

    /** {@code IB_UVERBS_FLOW_ACTION_ESP_REPLAY_BMP}; NONE is 0. */
    private static final int REPLAY_BMP = 1;

    private record Association(int spi, int seq, int tfcPad, long hardLimitPackets, Set<Flag> flags) {}

    @SuppressWarnings("ArrayRecordComponent") // two are never compared
    private record AesGcm(byte[] key, long iv, int salt, int icvLength) {}

    final Filling filling = new Filling();
    private Association association;
    private AesGcm aesGcm;
    private Integer replayWindow;
    private List<FlowMatch> encapsulation = List.of();
    private Integer esn;

    EspConfig() {}

    /**
     * Sets the security association: {@code struct ib_uverbs_flow_action_esp}.
     *
     * @param spi its index
     * @param seq the first sequence number
     * @param tfcPad how much padding hides the length of the traffic, in bytes
     * @param hardLimitPackets how many packets it is valid for; 0 for no limit
     * @param flags how the device works
     * @return this
     */
    public EspConfig association(int spi, int seq, int tfcPad, long hardLimitPackets, Flag... flags) {
        filling.check();
        Set<Flag> set = EnumSet.noneOf(Flag.class);
        set.addAll(List.of(flags));
        association = new Association(spi, seq, tfcPad, hardLimitPackets, set);
        return this;
    }

    /**
     * Sets AES-GCM, the only cipher that verbs have: {@code struct ib_uverbs_flow_action_esp_keymat_aes_gcm}, with
     * initialisation vectors that count up.
     *
     * @param key 16, 24 or 32 bytes
     * @param iv the first initialisation vector
     * @param salt the salt
     * @param icvLength how long the check value is, in bytes: 8, 12 or 16
     * @return this
     * @throws IllegalArgumentException if the key or the check value has another length
     */
    public EspConfig aesGcm(byte[] key, long iv, int salt, int icvLength) {
        filling.check();
        if (!Set.of(16, 24, 32).contains(key.length)) {
            throw new IllegalArgumentException("an AES key has 16, 24 or 32 bytes, not " + key.length);
        }
        if (!Set.of(8, 12, 16).contains(icvLength)) {
            throw new IllegalArgumentException("the check value has 8, 12 or 16 bytes, not " + icvLength);
        }
        aesGcm = new AesGcm(key.clone(), iv, salt, icvLength);
        return this;
    }

    /**
     * Protects against replayed packets, which the device does with FULL_OFFLOAD.
     *
     * @param window how many sequence numbers to remember; 0 for no protection
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public EspConfig replayWindow(int window) {
        filling.check();
        if (window < 0) {
            throw new IllegalArgumentException("the window is negative: " + window);
        }
        replayWindow = window;
        return this;
    }

    /**
     * Sets the headers that packets get with FULL_OFFLOAD, from the outermost inward.
     *
     * @param headers layers whose fields are set; masks do not count
     * @return this
     */
    public EspConfig encapsulation(FlowMatch... headers) {
        filling.check();
        encapsulation = List.of(headers);
        return this;
    }

    /**
     * Sets the upper half of the first extended sequence number.
     *
     * @param upper 32 bits
     * @return this
     */
    public EspConfig esn(int upper) {
        filling.check();
        esn = upper;
        return this;
    }

    /** A {@code struct ibv_flow_action_esp_attr}, and everything that it points to. */
    MemorySegment write(SegmentAllocator allocator) {
        MemorySegment attributes = allocator.allocate(ibv_flow_action_esp_attr.layout());
        if (association != null) {
            ibv_flow_action_esp_attr.esp_attr(attributes, writeAssociation(allocator));
        }
        if (aesGcm != null) {
            MemorySegment key = writeKey(allocator);
            ibv_flow_action_esp_attr.keymat_len(attributes, (short) key.byteSize());
            ibv_flow_action_esp_attr.keymat_ptr(attributes, key);
        }
        if (replayWindow != null) {
            MemorySegment replay = allocator.allocate(ib_uverbs_flow_action_esp_replay_bmp.layout());
            ib_uverbs_flow_action_esp_replay_bmp.size(replay, replayWindow);
            ibv_flow_action_esp_attr.replay_proto(attributes, replayWindow > 0 ? REPLAY_BMP : 0);
            // Without protection the length is 0, but the pointer says that it is set.
            ibv_flow_action_esp_attr.replay_len(attributes, (short) (replayWindow > 0 ? replay.byteSize() : 0));
            ibv_flow_action_esp_attr.replay_ptr(attributes, replay);
        }
        ibv_flow_action_esp_attr.esp_encap(attributes, writeEncapsulation(allocator));
        if (esn != null) {
            ibv_flow_action_esp_attr.comp_mask(attributes, WITH_ESN);
            ibv_flow_action_esp_attr.esn(attributes, esn);
        }
        return attributes;
    }

    private MemorySegment writeAssociation(SegmentAllocator allocator) {
        MemorySegment esp = allocator.allocate(ib_uverbs_flow_action_esp.layout());
        ib_uverbs_flow_action_esp.spi(esp, association.spi());
        ib_uverbs_flow_action_esp.seq(esp, association.seq());
        ib_uverbs_flow_action_esp.tfc_pad(esp, association.tfcPad());
        ib_uverbs_flow_action_esp.flags(esp, Codes.mask(association.flags(), Flag::code));
        ib_uverbs_flow_action_esp.hard_limit_pkts(esp, association.hardLimitPackets());
        return esp;
    }

    private MemorySegment writeKey(SegmentAllocator allocator) {
        MemorySegment gcm = allocator.allocate(ib_uverbs_flow_action_esp_keymat_aes_gcm.layout());
        ib_uverbs_flow_action_esp_keymat_aes_gcm.iv(gcm, aesGcm.iv());
        ib_uverbs_flow_action_esp_keymat_aes_gcm.salt(gcm, aesGcm.salt());
        ib_uverbs_flow_action_esp_keymat_aes_gcm.icv_len(gcm, aesGcm.icvLength());
        ib_uverbs_flow_action_esp_keymat_aes_gcm.key_len(gcm, aesGcm.key().length);
        MemorySegment key = ib_uverbs_flow_action_esp_keymat_aes_gcm.aes_key(gcm);
        MemorySegment.copy(aesGcm.key(), 0, key, JAVA_BYTE, 0, aesGcm.key().length);
        return gcm;
    }

    private MemorySegment writeEncapsulation(SegmentAllocator allocator) {
        MemorySegment next = MemorySegment.NULL;
        for (FlowMatch header : encapsulation.reversed()) {
            MemorySegment encap = allocator.allocate(ib_uverbs_flow_action_esp_encap.layout());
            byte[] filter = header.filter();
            ib_uverbs_flow_action_esp_encap.val_ptr(encap, allocator.allocateFrom(JAVA_BYTE, filter));
            ib_uverbs_flow_action_esp_encap.next_ptr(encap, next);
            ib_uverbs_flow_action_esp_encap.len(encap, (short) filter.length);
            ib_uverbs_flow_action_esp_encap.type(encap, (short) header.layer().code());
            next = encap;
        }
        return next;
    }

    /** What was set, except the key. */
    @Override
    public String toString() {
        return (association == null
                        ? ""
                        : "spi=" + Integer.toUnsignedString(association.spi()) + ", " + association.flags() + ", ")
                + (aesGcm == null ? "" : "AES-GCM of " + aesGcm.key().length * Byte.SIZE + " bits, ")
                + "replayWindow=" + replayWindow + ", esn=" + esn;
    }
}
