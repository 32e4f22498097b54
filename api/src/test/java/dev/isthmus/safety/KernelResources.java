// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** How many objects of each kind the kernel holds for each device. */
public final class KernelResources {

    private KernelResources() {}

    /**
     * What {@code rdma resource show} prints.
     *
     * @return a line for each device; nothing if the devices are not the kernel's
     * @throws IOException if it cannot be run, or fails
     * @throws InterruptedException if the thread is interrupted
     */
    public static String now() throws IOException, InterruptedException {
        if (System.getenv("SYSFS_PATH") != null) {
            return "";
        }
        Process process = new ProcessBuilder("rdma", "resource", "show")
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0 || text.isBlank()) {
            throw new IOException("rdma resource show: " + text);
        }
        return text;
    }

    /**
     * Waits until there is again what there was; the kernel releases some objects a moment after they were closed.
     *
     * @param wanted what there was
     * @return what there is, in the end
     * @throws IOException if it cannot be found out
     * @throws InterruptedException if the thread is interrupted
     */
    public static String await(String wanted) throws IOException, InterruptedException {
        String now = now();
        for (int i = 0; i < 300 && !now.equals(wanted); i++) {
            Thread.sleep(200);
            now = now();
        }
        return now;
    }
}
