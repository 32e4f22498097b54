// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.bindings.ibverbs.rdma_conn_param;
import dev.isthmus.internal.Filling;
import dev.isthmus.internal.cm.CmCall;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** What one side asks for, or grants, in a connection: {@code struct rdma_conn_param}. Not thread-safe. */
public final class ConnectionConfig {

    /** As many as the device allows and the peer asks for: {@code RDMA_MAX_RESP_RES}, {@code RDMA_MAX_INIT_DEPTH}. */
    private static final int MAX = 0xff;

    final Filling filling = new Filling();
    private PrivateData privateData = PrivateData.NONE;
    private int responderResources = MAX;
    private int initiatorDepth = MAX;
    private boolean flowControl;
    private int retryCount = 7;
    private int rnrRetryCount = 7;
    private boolean sharedReceiveQueue;
    private int qpNum;

    ConnectionConfig() {}

    /**
     * Sends bytes along: see {@link PrivateData} for how many fit.
     *
     * @param data the bytes
     * @return this
     */
    public ConnectionConfig privateData(PrivateData data) {
        filling.check();
        privateData = Objects.requireNonNull(data, "data");
        return this;
    }

    /**
     * Sets how many of the peer's READs and atomics this side serves at once. Default: as many as the device supports
     * and, when accepting, as the peer asks for.
     *
     * @param operations their number, 0 to 254; at most {@link dev.isthmus.verbs.attributes.DeviceAttributes#maxQpRdAtomic}
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public ConnectionConfig responderResources(int operations) {
        filling.check();
        responderResources = checked("responderResources", operations, MAX - 1);
        return this;
    }

    /**
     * Sets how many READs and atomics this side may have outstanding. Default: as many as the device supports and, when
     * accepting, as the peer asks for.
     *
     * @param operations their number, 0 to 254; at most {@link dev.isthmus.verbs.attributes.DeviceAttributes#maxQpInitRdAtomic}
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public ConnectionConfig initiatorDepth(int operations) {
        filling.check();
        initiatorDepth = checked("initiatorDepth", operations, MAX - 1);
        return this;
    }

    /**
     * Sets whether the hardware does end-to-end flow control. Default: no.
     *
     * @param on whether it does
     * @return this
     */
    public ConnectionConfig flowControl(boolean on) {
        filling.check();
        flowControl = on;
        return this;
    }

    /**
     * Sets how many times to send again without an acknowledgement. Only the connecting side can set it; both sides use
     * it. Default: 7, which on some versions of Soft-RoCE means for ever.
     *
     * @param retries 0 to 7
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public ConnectionConfig retryCount(int retries) {
        filling.check();
        retryCount = checked("retryCount", retries, 7);
        return this;
    }

    /**
     * Sets how many times the peer sends again while this side has no receive posted. Default: 7, which means for ever.
     * rdma_cm makes the peer wait for 655 ms between two tries. On iWARP nothing is sent again.
     *
     * @param retries 0 to 6; 7 means for ever
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public ConnectionConfig rnrRetryCount(int retries) {
        filling.check();
        rnrRetryCount = checked("rnrRetryCount", retries, 7);
        return this;
    }

    /**
     * Names the queue pair that the program created itself, for an id that has none.
     *
     * @param number its number, 24 bits
     * @param hasSharedReceiveQueue whether it has a shared receive queue
     * @return this
     * @throws IllegalArgumentException if the number is out of range
     */
    public ConnectionConfig queuePair(int number, boolean hasSharedReceiveQueue) {
        filling.check();
        qpNum = checked("qpNum", number, 0xff_ffff);
        sharedReceiveQueue = hasSharedReceiveQueue;
        return this;
    }

    private static int checked(String name, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not between 0 and " + max);
        }
        return value;
    }

    PrivateData privateData() {
        return privateData;
    }

    MemorySegment write(CmCall call) {
        MemorySegment parameters = call.allocate(rdma_conn_param.layout());
        rdma_conn_param.private_data(parameters, copy(call, privateData));
        rdma_conn_param.private_data_len(parameters, (byte) privateData.length());
        rdma_conn_param.responder_resources(parameters, (byte) responderResources);
        rdma_conn_param.initiator_depth(parameters, (byte) initiatorDepth);
        rdma_conn_param.flow_control(parameters, (byte) (flowControl ? 1 : 0));
        rdma_conn_param.retry_count(parameters, (byte) retryCount);
        rdma_conn_param.rnr_retry_count(parameters, (byte) rnrRetryCount);
        rdma_conn_param.srq(parameters, (byte) (sharedReceiveQueue ? 1 : 0));
        rdma_conn_param.qp_num(parameters, qpNum);
        return parameters;
    }

    /** The bytes in C's memory; NULL when there are none. */
    static MemorySegment copy(CmCall call, PrivateData data) {
        if (data.length() == 0) {
            return MemorySegment.NULL;
        }
        return call.allocate(data.length(), 1).copyFrom(MemorySegment.ofArray(data.bytes()));
    }

    /** What was set, for messages. */
    @Override
    public String toString() {
        return privateData + " of private data, responderResources=" + describe(responderResources)
                + ", initiatorDepth=" + describe(initiatorDepth) + ", retryCount=" + retryCount + ", rnrRetryCount="
                + rnrRetryCount;
    }

    private static String describe(int operations) {
        return operations == MAX ? "most" : "" + operations;
    }
}
