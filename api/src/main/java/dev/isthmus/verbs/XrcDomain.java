package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_xrcd_init_attr;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.FileDescriptor;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * An XRC domain: {@code struct ibv_xrcd}. A message that arrives at an XRC queue pair of the domain goes to any of the
 * domain's shared receive queues, as the sender says. Any thread may use it.
 *
 * <p>Processes share a domain that is tied to a file: they open it with the same file. Owned by who opened it. It cannot
 * be closed while it has queue pairs or shared receive queues.
 */
public final class XrcDomain implements AutoCloseable {

    /** How a domain that is tied to a file is opened. */
    public enum OpenOption {
        /** Make the domain when there is none. {@code O_CREAT}. */
        CREATE(0x40),
        /** With CREATE: fail when there is one already. {@code O_EXCL}. */
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

    private static final int NO_FILE = -1;

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;

    private XrcDomain(DeviceContext context, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
    }

    static XrcDomain open(DeviceContext context) {
        return open(context, context.device().name(), NO_FILE, OpenOption.CREATE.code());
    }

    static XrcDomain open(DeviceContext context, Path file, OpenOption... options) {
        Set<OpenOption> set = EnumSet.noneOf(OpenOption.class);
        set.addAll(List.of(options));
        if (set.contains(OpenOption.EXCLUSIVE) && !set.contains(OpenOption.CREATE)) {
            throw new IllegalArgumentException("EXCLUSIVE says how to create: it needs CREATE");
        }
        String name = context.device().name() + ", " + file + ", " + set;
        // The kernel keeps hold of the file's inode; the descriptor is not needed once the domain is open.
        try (var opened = FileDescriptor.open(file)) {
            return open(context, name, opened.number(), Codes.mask(set, OpenOption::code));
        }
    }

    private static XrcDomain open(DeviceContext context, String name, int fd, int flags) {
        var lifetime = new Lifetime("XrcDomain", name, context.lifetime());
        return lifetime.open(() -> {
            try (var call = new VerbsCall().explain(XrcDomain::help)) {
                MemorySegment attributes = call.allocate(ibv_xrcd_init_attr.layout());
                ibv_xrcd_init_attr.comp_mask(attributes, FD_AND_FLAGS);
                ibv_xrcd_init_attr.fd(attributes, fd);
                ibv_xrcd_init_attr.oflags(attributes, flags);
                var function = context.ops().require(ContextFunction.OPEN_XRCD);
                MemorySegment handle = call.create(function, name, context.handle(), attributes);
                return Lifetime.orDestroy(
                        () -> new XrcDomain(context, lifetime, handle), () -> destroy(context, handle, name));
            }
        });
    }

    private static void destroy(DeviceContext context, MemorySegment handle, String name) {
        VerbsCall.destroy(context.ops().require(ContextFunction.CLOSE_XRCD), handle, name);
    }

    private static String help(int errno) {
        return switch (errno) {
            case Errno.EAGAIN -> "no domain is tied to the file yet: open it with CREATE";
            case Errno.EINVAL -> "the file has a domain already, and EXCLUSIVE asks for a new one";
            default -> "";
        };
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
     * Creates the receiving end of an XRC connection: {@code ibv_create_qp_ex} with {@code IBV_QPT_XRC_RECV}. It is in
     * the state RESET and belongs to the calling thread. Nothing is posted to it: what arrives takes the receives of
     * the domain's shared receive queues.
     *
     * @return the queue pair, which the caller closes before this
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public QueuePair createQueuePair() {
        return QueuePairCreation.createXrcReceive(this);
    }

    /**
     * Opens the receiving end of an XRC connection that was made before, maybe by another process: {@code ibv_open_qp}.
     * It lives until all who have it open have closed it. It belongs to the calling thread. {@link QueuePair#query} tells
     * its state, which until then is taken for RESET.
     *
     * @param qpNum its number
     * @return the queue pair, which the caller closes before this
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails, such as when the domain has no such queue pair
     */
    public QueuePair openQueuePair(int qpNum) {
        return QueuePairCreation.open(this, qpNum);
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Closes the domain: {@code ibv_close_xrcd}. Does nothing when it is closed already. The domain itself lives on
     * while another process has it open.
     *
     * @throws IllegalStateException if queue pairs or shared receive queues of it are open
     * @throws dev.isthmus.VerbsException if the call fails; it can be tried again
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
