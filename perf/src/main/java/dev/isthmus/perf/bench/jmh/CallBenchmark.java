// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.ucx.UcpContext;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * The cost of a call from Java to C by FFM, by a critical FFM call, and by JNI. It calls {@code ucp_worker_progress}
 * of an idle worker, some 40 instructions. Programs make this call most often, so its cost bounds what any binding
 * can reach.
 */
public class CallBenchmark extends ThreadBenchmark {

    private static final String TRANSPORTS = "self";

    private static final MethodHandle PLAIN;

    // Nothing calls back here. A real program must not call progress like this.
    private static final MethodHandle CRITICAL;

    static {
        UcpContext.create(config -> config.set("TLS", TRANSPORTS)).close(); // loads UCX, leaving signals alone
        PLAIN = link();
        CRITICAL = link(Linker.Option.critical(false));
    }

    private UcpContext context;
    private dev.isthmus.ucx.UcpWorker worker;
    private org.openucx.jucx.ucp.UcpContext jucxContext;
    private UcpWorker jucxWorker;
    private long handle;

    @SuppressWarnings("restricted")
    private static MethodHandle link(Linker.Option... options) {
        return Linker.nativeLinker()
                .downcallHandle(
                        SymbolLookup.libraryLookup("libucp.so.0", Arena.global())
                                .find("ucp_worker_progress")
                                .orElseThrow(),
                        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG),
                        options);
    }

    /** Runs on the measuring thread, as workers belong to a thread. The bare calls use JUCX's worker. */
    @Setup(Level.Trial)
    public void open() {
        context = UcpContext.create(config -> config.set("TLS", TRANSPORTS));
        worker = context.createWorker();
        jucxContext = new org.openucx.jucx.ucp.UcpContext(
                new UcpParams().requestTagFeature().setConfig("TLS", TRANSPORTS));
        jucxWorker = new UcpWorker(jucxContext, new UcpWorkerParams());
        handle = jucxWorker.getNativeId();
    }

    /** Runs on the measuring thread. */
    @TearDown(Level.Trial)
    public void close() {
        jucxWorker.close();
        jucxContext.close();
        worker.close();
        context.close();
    }

    /** By FFM, without a check of the function or the worker. */
    @Benchmark
    public int plain() throws Throwable {
        return (int) PLAIN.invokeExact(handle);
    }

    /** By a critical call: the thread stays in the Java state, and garbage collection waits for it. */
    @Benchmark
    public int critical() throws Throwable {
        return (int) CRITICAL.invokeExact(handle);
    }

    /** By JNI, as in JUCX. */
    @Benchmark
    public int jni() throws Exception {
        return jucxWorker.progress();
    }

    /** By this library: the plain call and its checks. */
    @Benchmark
    public int checked() {
        return worker.progress();
    }
}
