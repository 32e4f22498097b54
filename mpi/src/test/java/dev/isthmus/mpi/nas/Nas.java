// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi.nas;

import dev.isthmus.mpi.Communicator;
import dev.isthmus.mpi.Mpi;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;

/**
 * Kernels of the NAS parallel benchmarks, written anew after their specification (NAS-95-020), by the public API alone. Each is
 * verified by the sums that NAS has published.
 */
final class Nas {

    private Nas() {}

    /** A kernel. */
    private interface Kernel {
        boolean verify(Communicator world, boolean small);
    }

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static long began;
    private static long took;
    private static long beganProcessor;
    private static long tookProcessor;

    /** The part that NAS times begins, on all ranks. */
    static void begin(Communicator world) {
        world.barrier();
        beganProcessor = THREADS.getCurrentThreadCpuTime();
        began = System.nanoTime();
    }

    /** It ends. */
    static void end() {
        took = System.nanoTime() - began;
        tookProcessor = THREADS.getCurrentThreadCpuTime() - beganProcessor;
    }

    static boolean isNear(double expected, double actual, double relative) {
        return Math.abs(expected - actual) <= relative * Math.abs(expected);
    }

    /**
     * Runs kernels, and prints of each whether it is verified, and how long the part took that NAS times.
     *
     * @param args the class, S or W, and the kernels; the same one several times lets the JVM compile it
     */
    public static void main(String[] args) {
        Mpi.run(mpi -> {
            for (int i = 1; i < args.length; i++) {
                Kernel kernel = switch (args[i]) {
                    case "EP" -> Ep::verify;
                    case "IS" -> Is::verify;
                    case "CG" -> Cg::verify;
                    case "MG" -> Mg::verify;
                    case "FT" -> Ft::verify;
                    default -> throw new IllegalArgumentException(args[i]);
                };
                boolean verified = kernel.verify(mpi.world(), args[0].equals("S"));
                if (mpi.world().rank() == 0) {
                    System.out.printf(
                            Locale.ROOT,
                            "%s %s: %s (%.2f ms, %.2f ms of processor time)%n",
                            args[i],
                            args[0],
                            verified ? "verified" : "WRONG",
                            took * 1e-6,
                            tookProcessor * 1e-6);
                }
            }
        });
    }
}
