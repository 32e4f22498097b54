// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.xrc;

import dev.isthmus.bindings.ibverbs.ibv_qp_init_attr;
import dev.isthmus.bindings.ibverbs.ibv_qp_init_attr_ex;
import dev.isthmus.bindings.ibverbs.ibv_qp_open_attr;
import dev.isthmus.bindings.ibverbs.ibv_srq_init_attr_ex;
import dev.isthmus.bindings.ibverbs.ibv_xrcd_init_attr;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.FileDescriptor;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.BareQueuePair;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.SharedQueueKind;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.SharedReceiveQueue;
import dev.isthmus.verbs.SharedReceiveQueueConfig;
import dev.isthmus.verbs.SharedReceiveQueueType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * An XRC domain: {@code struct ibv_xrcd}. A message that arrives at an XRC queue pair of the domain goes to the one of
 * the domain's shared receive queues that the sender names. Any thread may use it.
 *
 * <p>Processes share a domain that is tied to a file: they open it with the same file. The program that opens it owns
 * it. It cannot be closed while it has queue pairs or shared receive queues.
 */
public final class XrcDomain implements AutoCloseable {

    /** How to open a domain that is tied to a file. */
    public enum OpenOption {
        /** Create the domain if there is none. {@code O_CREAT}. */
        CREATE(0x40),
        /** With CREATE: fail if there is one already. {@code O_EXCL}. */
        EXCLUSIVE(0x80);

        private final int code;

        OpenOption(int code) {
            this.code = code;
        }

        /**
         * The value of the C constant.
         *
         * @return its code, the same on x86-64 and aarch64
         */
        public int code() {
            return code;
        }
    }

    /** {@code IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS}: both must be set. */
    private static final int FD_AND_FLAGS = 1 | 1 << 1;

    /** {@code IBV_QP_INIT_ATTR_XRCD}. */
    private static final int QP_XRCD = 1 << 1;

    /** {@code IBV_QP_OPEN_ATTR_NUM}, {@code _XRCD} and {@code _TYPE}. */
    private static final int OPEN_ATTRIBUTES = 1 | 1 << 1 | 1 << 3;

    /** {@code IBV_SRQ_INIT_ATTR_XRCD}. */
    private static final int SRQ_XRCD = 1 << 2;

    private static final int NO_FILE = -1;

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;

    private XrcDomain(DeviceContext context, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
    }

    /**
     * Opens a new XRC domain for this process alone: {@code ibv_open_xrcd} without a file.
     *
     * @param context the device
     * @return the domain, which the caller closes before the device
     * @throws dev.isthmus.VerbsException if the call fails, with EOPNOTSUPP if the device has no XRC
     * @throws IllegalStateException if the device is closed
     */
    public static XrcDomain open(DeviceContext context) {
        return open(context, context.device().name(), NO_FILE, OpenOption.CREATE.code());
    }

    /**
     * Opens the XRC domain that is tied to a file: {@code ibv_open_xrcd}. Other processes open it with the same file.
     *
     * @param context the device
     * @param file an existing file or folder that this process may read; its contents do not matter
     * @param options how to open it; without any it opens a domain that another process has open
     * @return the domain, which the caller closes before the device
     * @throws IllegalArgumentException if the options are EXCLUSIVE without CREATE
     * @throws java.io.UncheckedIOException if the file cannot be opened
     * @throws dev.isthmus.VerbsException if the call fails, with EOPNOTSUPP if the device has no XRC
     * @throws IllegalStateException if the device is closed
     */
    public static XrcDomain open(DeviceContext context, Path file, OpenOption... options) {
        Set<OpenOption> set = EnumSet.noneOf(OpenOption.class);
        set.addAll(List.of(options));
        if (set.contains(OpenOption.EXCLUSIVE) && !set.contains(OpenOption.CREATE)) {
            throw new IllegalArgumentException("EXCLUSIVE says how to create: it needs CREATE");
        }
        String name = context.device().name() + ", " + file + ", " + set;
        // The kernel holds the file's inode, so the descriptor is not needed once the domain is open.
        try (var opened = FileDescriptor.open(file)) {
            return open(context, name, opened.number(), Codes.mask(set, OpenOption::code));
        }
    }

    private static XrcDomain open(DeviceContext context, String name, int fd, int flags) {
        var lifetime = new Lifetime("XrcDomain", name, Natives.lifetime(context));
        return lifetime.open(() -> {
            try (var call = new VerbsCall().explain(XrcDomain::help)) {
                MemorySegment attributes = call.allocate(ibv_xrcd_init_attr.layout());
                ibv_xrcd_init_attr.comp_mask(attributes, FD_AND_FLAGS);
                ibv_xrcd_init_attr.fd(attributes, fd);
                ibv_xrcd_init_attr.oflags(attributes, flags);
                var function = ops(context).require(ContextFunction.OPEN_XRCD);
                MemorySegment handle = call.create(function, name, Natives.handle(context), attributes);
                return Lifetime.orDestroy(
                        () -> new XrcDomain(context, lifetime, handle), () -> destroy(context, handle, name));
            }
        });
    }

    private static void destroy(DeviceContext context, MemorySegment handle, String name) {
        VerbsCall.destroy(ops(context).require(ContextFunction.CLOSE_XRCD), handle, name);
    }

    private static String help(int errno) {
        return switch (errno) {
            case Errno.EAGAIN -> "no domain is tied to the file yet: open it with CREATE";
            case Errno.EINVAL -> "the file has a domain already, and EXCLUSIVE asks for a new one";
            default -> "";
        };
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
     * Creates the receiving end of an XRC connection: {@code ibv_create_qp_ex} with {@code IBV_QPT_XRC_RECV}. It is in
     * the state RESET and belongs to the calling thread. You post nothing to it: messages take the receives of the
     * domain's shared receive queues.
     *
     * @return the queue pair, which the caller closes before this
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public QueuePair createQueuePair() {
        return queuePair((call, what) -> {
            MemorySegment attributes = call.allocate(ibv_qp_init_attr_ex.layout());
            ibv_qp_init_attr.qp_type(attributes, QueuePairType.XRC_RECV.code());
            ibv_qp_init_attr_ex.comp_mask(attributes, QP_XRCD);
            ibv_qp_init_attr_ex.xrcd(attributes, handle);
            return call.create(
                    ops(context).require(ContextFunction.CREATE_QP_EX), what, Natives.handle(context), attributes);
        });
    }

    /**
     * Opens the receiving end of an existing XRC connection, which another process may have created:
     * {@code ibv_open_qp}. It lives until everyone who has it open has closed it. It belongs to the calling thread. Its
     * state counts as RESET until you call {@link QueuePair#query}.
     *
     * @param qpNum its number
     * @return the queue pair, which the caller closes before this
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example because the domain has no such queue pair
     */
    public QueuePair openQueuePair(int qpNum) {
        return queuePair((call, what) -> {
            call.explain(errno -> "a receiving queue pair of that number must be open in the same XRC domain");
            MemorySegment attributes = call.allocate(ibv_qp_open_attr.layout());
            ibv_qp_open_attr.comp_mask(attributes, OPEN_ATTRIBUTES);
            ibv_qp_open_attr.qp_num(attributes, qpNum);
            ibv_qp_open_attr.xrcd(attributes, handle);
            ibv_qp_open_attr.qp_type(attributes, QueuePairType.XRC_RECV.code());
            return call.create(
                    ops(context).require(ContextFunction.OPEN_QP),
                    what + ", " + qpNum,
                    Natives.handle(context),
                    attributes);
        });
    }

    private QueuePair queuePair(BareQueuePair.Creation create) {
        return Natives.create(
                QueuePair.class, new BareQueuePair(context, null, QueuePairType.XRC_RECV.code(), lifetime, create));
    }

    /**
     * Creates a shared receive queue in this domain: {@code ibv_create_srq_ex} with {@code IBV_SRQT_XRC}. Senders name
     * it by its {@link SharedReceiveQueue#srqNum}. It belongs to the calling thread.
     *
     * @param pd the domain of its receives' buffers, of the same open device
     * @param completions where its receives complete, of the same open device
     * @param configure sets the capacities wanted; the device may grant more
     * @return the queue, which the caller closes before this, the protection domain and the completion queue
     * @throws IllegalArgumentException if an object is of another device, or the queue is configured to match tags
     * @throws IllegalStateException if an object is closed
     * @throws dev.isthmus.VerbsException if the call fails; the message compares with the limits of the device
     */
    public SharedReceiveQueue createSharedReceiveQueue(
            ProtectionDomain pd, CompletionQueue completions, Consumer<SharedReceiveQueueConfig> configure) {
        Objects.requireNonNull(completions, "completions");
        if (pd.context() != context) {
            throw new IllegalArgumentException(this + " and " + pd + " must be of the same open device");
        }
        var xrc = new SharedQueueKind(
                SharedReceiveQueueType.XRC.code(),
                completions,
                lifetime,
                SRQ_XRCD,
                init -> ibv_srq_init_attr_ex.xrcd(init, handle));
        return pd.createSharedReceiveQueue(config -> {
            configure.accept(config);
            Natives.deliver(config, xrc);
        });
    }

    private static ContextOps ops(DeviceContext context) {
        return Natives.part(context, ContextOps.class);
    }

    /**
     * Closes the domain: {@code ibv_close_xrcd}. Does nothing if it is closed already. The domain itself lives on while
     * another process has it open.
     *
     * @throws IllegalStateException if queue pairs or shared receive queues of it are open
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        lifetime.close(() -> destroy(context, handle, lifetime.name()));
    }

    /** The class, the device's name, and the file if there is one. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
