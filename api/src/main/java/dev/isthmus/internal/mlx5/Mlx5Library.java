// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.bindings.ibverbs.mlx5dv_ah;
import dev.isthmus.bindings.ibverbs.mlx5dv_cq;
import dev.isthmus.bindings.ibverbs.mlx5dv_h;
import dev.isthmus.bindings.ibverbs.mlx5dv_obj;
import dev.isthmus.bindings.ibverbs.mlx5dv_qp;
import dev.isthmus.internal.NativeAccess;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.NativeLibrary;
import dev.isthmus.internal.SharedObject;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** libmlx5, loaded when a direct queue pair is asked for: it tells where its queues are. */
public final class Mlx5Library {

    // rdma-core's releases whose providers/mlx5 was read: the first one, and the last one.
    private static final int OLDEST = 44;
    private static final int NEWEST = 65;

    /** Its file has the release of rdma-core as the last but one number: libmlx5.so.1.24.44.0. */
    private static final Pattern FILE = Pattern.compile("libmlx5\\.so\\.1\\.\\d+\\.(\\d{1,4})\\.\\d+");

    /** Variables by which libmlx5 gets other entries or another register than those that Java writes. */
    private static final List<String> VARIABLES =
            List.of("MLX5_QP_SIGNATURE", "MLX5_CQE_SIZE", "MLX5_SHUT_UP_BF", "MLX5_POST_SEND_PREFER_BF");

    private static final String SCATTER = "MLX5_SCATTER_TO_CQE"; // that IbverbsLibrary sets to 0

    /** {@code int mlx5dv_init_obj(struct mlx5dv_obj *, uint64_t)}: returns 0, or an error number. */
    private static final FunctionDescriptor INIT_OBJECT =
            NativeLibrary.declared(FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));

    private static Mlx5Library loaded; // null until asked for

    private final NativeFunction initObject;

    private Mlx5Library(NativeFunction initObject) {
        this.initObject = initObject;
    }

    /**
     * The library that contains a driver's function.
     *
     * @throws NotDirect if the driver is another one, or cannot be taken to be known
     */
    public static synchronized Mlx5Library driving(MemorySegment function) throws NotDirect {
        SharedObject driver = SharedObject.of(function)
                .orElseThrow(() -> new NotDirect("the driver of its device is in no shared object"));
        checkFile(driver.file());
        checkPlace(System.getProperty("os.arch"));
        for (String name : VARIABLES) {
            if (System.getenv(name) != null) {
                throw new NotDirect(name + " is set");
            }
        }
        String scatter = System.getenv(SCATTER);
        if (scatter != null && !scatter.equals("0")) {
            throw new NotDirect(SCATTER + " is " + scatter);
        }
        if (loaded == null) {
            loaded = load(driver);
        }
        return loaded;
    }

    /** The bare file name of the driver, symbolic links followed, must be of a known release. */
    static void checkFile(String file) throws NotDirect {
        String name = String.valueOf(Path.of(file).getFileName());
        if (!name.startsWith("libmlx5")) {
            throw new NotDirect("its device is driven by " + name + ", not by libmlx5");
        }
        try {
            name = String.valueOf(Path.of(file).toRealPath().getFileName());
        } catch (IOException e) {
            throw new NotDirect(file + " cannot be found again: " + e.getMessage());
        }
        checkRelease(name);
    }

    static void checkRelease(String name) throws NotDirect {
        Matcher matcher = FILE.matcher(name);
        if (!matcher.matches()) {
            throw new NotDirect(name + " does not say which release of rdma-core it is of");
        }
        int release = Integer.parseInt(matcher.group(1));
        if (release < OLDEST || release > NEWEST) {
            throw new NotDirect(name + " is of rdma-core " + release + ", and known are " + OLDEST + " to " + NEWEST);
        }
    }

    /**
     * A card reads memory that is not coherent with the processor's order of stores, unless the processor is told. On
     * aarch64 that takes {@code dsb st}, which orders stores for devices, too (rdma-core, util/udma_barrier.h). Java's
     * fences are {@code dmb ish}, which order stores for other processors only. On x86-64 Java's fences suffice: see
     * {@link Register}.
     */
    static void checkPlace(String processor) throws NotDirect {
        if (!"amd64".equals(processor)) {
            throw new NotDirect("Java's fences order stores for a card on x86-64 only, and this is " + processor);
        }
    }

    private static Mlx5Library load(SharedObject driver) throws NotDirect {
        NativeLibrary library;
        try {
            library = NativeLibrary.load("libmlx5.so.1", "rdma-core", "ibverbs-providers");
        } catch (RdmaUnavailableException e) {
            throw new NotDirect(String.valueOf(e.getMessage()));
        }
        NativeAccess.require(mlx5dv_h.class);
        MemorySegment symbol = library.symbol("mlx5dv_init_obj");
        if (SharedObject.of(symbol).filter(o -> o.base() == driver.base()).isEmpty()) {
            throw new NotDirect("its device is driven by " + driver.file() + ", and libmlx5.so.1 is another library");
        }
        return new Mlx5Library(library.function("mlx5dv_init_obj", INIT_OBJECT));
    }

    /** Where the queues of a queue pair are, which must have a register: receive scaling has none. */
    QueuePairLayout queuePair(MemorySegment qp) throws NotDirect {
        try (var call = new NativeCall()) {
            MemorySegment of = call.allocate(mlx5dv_obj.layout());
            MemorySegment out = call.allocate(mlx5dv_qp.layout());
            mlx5dv_obj.qp.in(mlx5dv_obj.qp(of), qp);
            mlx5dv_obj.qp.out(mlx5dv_obj.qp(of), out);
            init(call, of, mlx5dv_h.MLX5DV_OBJ_QP());
            return QueuePairLayout.of(out);
        }
    }

    /** Where a completion queue is. From now on libmlx5 does not remove the completions of queue pairs that end. */
    CompletionQueueLayout completionQueue(MemorySegment cq) throws NotDirect {
        try (var call = new NativeCall()) {
            MemorySegment of = call.allocate(mlx5dv_obj.layout());
            MemorySegment out = call.allocate(mlx5dv_cq.layout());
            mlx5dv_obj.cq.in(mlx5dv_obj.cq(of), cq);
            mlx5dv_obj.cq.out(mlx5dv_obj.cq(of), out);
            init(call, of, mlx5dv_h.MLX5DV_OBJ_CQ());
            return CompletionQueueLayout.of(out);
        }
    }

    /** The address of an address handle's {@code struct mlx5_wqe_av}. */
    public long addressVector(MemorySegment ah) {
        try (var call = new NativeCall()) {
            MemorySegment of = call.allocate(mlx5dv_obj.layout());
            MemorySegment out = call.allocate(mlx5dv_ah.layout());
            mlx5dv_obj.ah.in(mlx5dv_obj.ah(of), ah);
            mlx5dv_obj.ah.out(mlx5dv_obj.ah(of), out);
            init(call, of, mlx5dv_h.MLX5DV_OBJ_AH());
            long vector = mlx5dv_ah.av(out).address();
            if (vector == 0) {
                throw new IllegalStateException("libmlx5 reports no address vector of an address handle");
            }
            return vector;
        } catch (NotDirect e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private void init(NativeCall call, MemorySegment of, int kind) throws NotDirect {
        int error = call.integer(initObject, of, (long) kind);
        if (error != 0) {
            throw new NotDirect("mlx5dv_init_obj failed with error " + error);
        }
    }
}
