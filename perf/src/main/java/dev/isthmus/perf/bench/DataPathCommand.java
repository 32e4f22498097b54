package dev.isthmus.perf.bench;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Times each call of the data path beside the same loop in C, in turn, and prints medians. */
@Command(
        name = "datapath",
        mixinStandardHelpOptions = true,
        description = {
            "Times the calls of the data path beside the same loops in C (datapath.c, compiled here: needs gcc and",
            "libibverbs-dev). Without an RDMA device `isthmus perf datapath` runs in the testbed, where the clock counts",
            "instructions, so that a nanosecond is an instruction, the kernel's among them."
        })
public final class DataPathCommand implements Callable<Integer> {

    private static final int WARM_UP_PASSES = 10;

    /** In a round. */
    private static final int BATCHES = 8;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "of C and Java in turn, for each operation (default: ${DEFAULT-VALUE})")
    private int rounds = 9;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description =
                    "requests posted, and 10 times as many empty polls, before Java is timed (default: ${DEFAULT-VALUE})")
    private int warmUp = 30_000;

    @Spec
    private CommandSpec spec;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** For the command line. */
    public DataPathCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1 || warmUp < 0) {
            throw new ParameterException(spec.commandLine(), "at least 1 round, and no negative warm-up");
        }
        try (var java = new RcLoopback();
                var c = new CDataPath(java.place())) {
            warmUp(java);
            PrintWriter out = spec.commandLine().getOut();
            out.printf("%-20s %10s %10s %8s %8s%n", "nanoseconds", "C", "Java", "Java/C", "B/op");
            for (DataPathOperation operation : DataPathOperation.values()) {
                out.println(compare(operation, java, c));
                out.flush();
            }
        }
        return 0;
    }

    /** All operations in turn, so that the JIT has time for one while another runs. */
    private void warmUp(RcLoopback java) {
        for (int pass = 0; pass < WARM_UP_PASSES; pass++) {
            for (DataPathOperation operation : DataPathOperation.values()) {
                int batches = Math.ceilDiv(warmUp, WARM_UP_PASSES * operation.requestsPerBatch());
                runJava(operation, java, batches);
            }
        }
    }

    private String compare(DataPathOperation operation, RcLoopback java, CDataPath c) throws IOException {
        double[] cNanos = new double[rounds];
        double[] javaNanos = new double[rounds];
        double operations = BATCHES * operation.perBatch();
        long allocated = Long.MAX_VALUE; // in the best round: the JIT adds a little once, when it replaces what runs
        for (int round = 0; round < rounds; round++) {
            cNanos[round] = c.run(operation, BATCHES) / operations;
            long before = threads.getCurrentThreadAllocatedBytes();
            long nanos = runJava(operation, java, BATCHES);
            allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
            javaNanos[round] = nanos / operations;
        }
        double cMedian = median(cNanos);
        double javaMedian = median(javaNanos);
        return String.format(
                Locale.ROOT,
                "%-20s %10.1f %10.1f %8.3f %8.2f",
                operation.title(),
                cMedian,
                javaMedian,
                javaMedian / cMedian,
                allocated / operations);
    }

    private static long runJava(DataPathOperation operation, RcLoopback java, int batches) {
        long nanos = 0;
        for (int batch = 0; batch < batches; batch++) {
            nanos += operation.batch(java);
        }
        return nanos;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
