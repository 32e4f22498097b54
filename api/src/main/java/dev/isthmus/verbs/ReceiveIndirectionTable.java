package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.isthmus.bindings.ibverbs.ibv_rwq_ind_table;
import dev.isthmus.bindings.ibverbs.ibv_rwq_ind_table_init_attr;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A table of work queues, from which a packet's hash picks the one that receives it: {@code struct ibv_rwq_ind_table}. Any
 * thread may use it.
 *
 * <p>Owned by who created it. It cannot be closed while queue pairs use it.
 */
public final class ReceiveIndirectionTable implements AutoCloseable {

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

    static ReceiveIndirectionTable create(DeviceContext context, List<WorkQueue> queues) {
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
        // A queue may stand in the table more than once.
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
                var function = context.ops().require(ContextFunction.CREATE_RWQ_IND_TABLE);
                MemorySegment handle = call.create(function, name, context.handle(), init);
                return Lifetime.orDestroy(
                        () -> new ReceiveIndirectionTable(context, lifetime, handle),
                        () -> destroy(context, handle, name));
            }
        });
    }

    private static void destroy(DeviceContext context, MemorySegment handle, String name) {
        VerbsCall.destroy(context.ops().require(ContextFunction.DESTROY_RWQ_IND_TABLE), handle, name);
    }

    /**
     * The device that it is of.
     *
     * @return the open device
     */
    public DeviceContext context() {
        return context;
    }

    /**
     * Its number.
     *
     * @return what the device calls it by
     */
    public int tableNum() {
        return tableNum;
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Destroys the table: {@code ibv_destroy_rwq_ind_table}. Does nothing when it is closed already.
     *
     * @throws IllegalStateException if queue pairs use it
     * @throws dev.isthmus.VerbsException if the call fails; it can be tried again
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
