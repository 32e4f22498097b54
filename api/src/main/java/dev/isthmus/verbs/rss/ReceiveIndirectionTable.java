// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.rss;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.isthmus.bindings.ibverbs.ibv_qp_init_attr;
import dev.isthmus.bindings.ibverbs.ibv_qp_init_attr_ex;
import dev.isthmus.bindings.ibverbs.ibv_rwq_ind_table;
import dev.isthmus.bindings.ibverbs.ibv_rwq_ind_table_init_attr;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.BareQueuePair;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A table of work queues, from which a packet's hash picks the one that receives it: {@code struct ibv_rwq_ind_table}.
 * Any thread may use it.
 *
 * <p>The program that creates it owns it. It cannot be closed while queue pairs use it.
 */
public final class ReceiveIndirectionTable implements AutoCloseable {

    /** {@code IBV_QP_INIT_ATTR_PD}, {@code _IND_TABLE} and {@code _RX_HASH}. */
    private static final int PD_TABLE_AND_HASH = 1 | 1 << 4 | 1 << 5;

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;
    private final int tableNum;

    private ReceiveIndirectionTable(DeviceContext context, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
        this.tableNum = ibv_rwq_ind_table.ind_tbl_num(NativeCall.sized(handle, ibv_rwq_ind_table.sizeof()));
    }

    /**
     * Creates a table of work queues: {@code ibv_create_rwq_ind_table}.
     *
     * @param context the device
     * @param workQueues a power of two of work queues; the same one may occur more than once
     * @return the table, which the caller closes before the queues
     * @throws IllegalArgumentException if their number is not a power of two, or one is of another device
     * @throws IllegalStateException if a queue is closed
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public static ReceiveIndirectionTable create(DeviceContext context, List<WorkQueue> workQueues) {
        List<WorkQueue> queues = List.copyOf(workQueues);
        int size = queues.size();
        if (Integer.bitCount(size) != 1) {
            throw new IllegalArgumentException("the number of work queues must be a power of two, not " + size);
        }
        for (WorkQueue queue : queues) {
            if (queue.protectionDomain().context() != context) {
                throw new IllegalArgumentException(queue + " is not of the open device " + context);
            }
        }
        String name = context.device().name() + ", " + size + " entries";
        // A queue may be in the table more than once.
        Lifetime[] parents = queues.stream().map(WorkQueue::lifetime).distinct().toArray(Lifetime[]::new);
        var lifetime = new Lifetime("ReceiveIndirectionTable", name, parents);
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                MemorySegment init = call.allocate(ibv_rwq_ind_table_init_attr.layout());
                MemorySegment table = call.allocate(ADDRESS, size);
                for (int i = 0; i < size; i++) {
                    table.setAtIndex(ADDRESS, i, queues.get(i).handle());
                }
                ibv_rwq_ind_table_init_attr.log_ind_tbl_size(init, Integer.numberOfTrailingZeros(size));
                ibv_rwq_ind_table_init_attr.ind_tbl(init, table);
                var function = ops(context).require(ContextFunction.CREATE_RWQ_IND_TABLE);
                MemorySegment handle = call.create(function, name, Natives.handle(context), init);
                return Lifetime.orDestroy(
                        () -> new ReceiveIndirectionTable(context, lifetime, handle),
                        () -> destroy(context, handle, name));
            }
        });
    }

    private static void destroy(DeviceContext context, MemorySegment handle, String name) {
        VerbsCall.destroy(ops(context).require(ContextFunction.DESTROY_RWQ_IND_TABLE), handle, name);
    }

    /**
     * The device that it belongs to.
     *
     * @return the open device
     */
    public DeviceContext context() {
        return context;
    }

    /**
     * Its number.
     *
     * @return the device's number for it
     */
    public int tableNum() {
        return tableNum;
    }

    /**
     * Creates a queue pair that spreads received packets over the work queues: {@code ibv_create_qp_ex} with an
     * indirection table. It neither sends nor takes receives. You post those to the work queues, and they complete in
     * the work queues' completion queues. It is in the state RESET and belongs to the calling thread.
     *
     * @param pd its domain, of the same device
     * @param type RAW_PACKET or UD
     * @param hash decides where a packet goes
     * @return the queue pair, which the caller closes before the domain and before this
     * @throws IllegalArgumentException if the type is another one, or the domain is of another device
     * @throws IllegalStateException if this or the domain is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example because the device does not have that hash
     */
    public QueuePair createQueuePair(ProtectionDomain pd, QueuePairType type, ReceiveHash hash) {
        if (type != QueuePairType.RAW_PACKET && type != QueuePairType.UD) {
            throw new IllegalArgumentException("packets are spread of RAW_PACKET and UD queue pairs, not of " + type);
        }
        if (pd.context() != context) {
            throw new IllegalArgumentException(this + " and " + pd + " must be of the same open device");
        }
        return Natives.create(QueuePair.class, new BareQueuePair(context, pd, type.code(), lifetime, (call, what) -> {
            call.explain(errno -> "see RssCapabilities for what the device hashes");
            MemorySegment attributes = call.allocate(ibv_qp_init_attr_ex.layout());
            ibv_qp_init_attr.qp_type(attributes, type.code());
            ibv_qp_init_attr_ex.comp_mask(attributes, PD_TABLE_AND_HASH);
            ibv_qp_init_attr_ex.pd(attributes, Natives.handle(pd));
            ibv_qp_init_attr_ex.rwq_ind_tbl(attributes, handle);
            hash.write(ibv_qp_init_attr_ex.rx_hash_conf(attributes), call);
            return call.create(
                    ops(context).require(ContextFunction.CREATE_QP_EX),
                    what + ", " + hash,
                    Natives.handle(context),
                    attributes);
        }));
    }

    private static ContextOps ops(DeviceContext context) {
        return Natives.part(context, ContextOps.class);
    }

    /**
     * Destroys the table: {@code ibv_destroy_rwq_ind_table}. Does nothing if it is closed already.
     *
     * @throws IllegalStateException if queue pairs use it
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        lifetime.close(() -> destroy(context, handle, lifetime.name()));
    }

    /** The class, the device's name, and the number of entries. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
