// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/** What ends the sleep of a worker's thread: {@code ucp_wakeup_event_types}. */
public enum UcpWakeupEvent {
    /** {@code UCP_WAKEUP_RMA}: a remote memory operation of this side ended. */
    RMA(1),
    /** {@code UCP_WAKEUP_AMO}: an atomic operation of this side ended. */
    AMO(1 << 1),
    /** {@code UCP_WAKEUP_TAG_SEND}: a send with a tag ended. */
    TAG_SEND(1 << 2),
    /** {@code UCP_WAKEUP_TAG_RECV}: a message with a tag arrived. */
    TAG_RECEIVE(1 << 3),
    /** {@code UCP_WAKEUP_TX}: anything that was sent left. */
    SEND(1 << 10),
    /** {@code UCP_WAKEUP_RX}: anything arrived. */
    RECEIVE(1 << 11);

    private final int bit;

    UcpWakeupEvent(int bit) {
        this.bit = bit;
    }

    int bit() {
        return bit;
    }
}
