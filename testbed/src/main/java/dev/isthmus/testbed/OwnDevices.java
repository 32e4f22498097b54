// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Two Soft-RoCE devices on the two ends of a link, for one test alone, which may take them down or remove them. Needs
 * root, like all tests of devices where these are created.
 */
public final class OwnDevices implements AutoCloseable {

    private static final long DEADLINE_SECONDS = TestDeadlines.seconds(60);

    private final String[] ends;

    private OwnDevices(String... ends) {
        this.ends = ends;
    }

    /**
     * Creates the devices {@code NAME0} and {@code NAME1}, on interfaces of the same names.
     *
     * @param name at most 14 characters, used by nothing else
     * @param address0 the first one's IPv4 address
     * @param address1 the second one's, in the same network of 24 bits
     */
    public static OwnDevices up(String name, String address0, String address1)
            throws IOException, InterruptedException {
        var devices = new OwnDevices(name + 0, address0, name + 0, name + 1, address1, name + 1);
        try {
            devices.run("up");
        } catch (IOException e) {
            devices.close();
            throw e;
        }
        return devices;
    }

    /** The name of the first device. */
    public String first() {
        return ends[2];
    }

    /** The name of the second device. */
    public String second() {
        return ends[5];
    }

    /** Removes what still exists. */
    @Override
    public void close() throws IOException {
        run("down");
    }

    private void run(String action) throws IOException {
        String[] command = new String[2 + ends.length];
        command[0] = Path.of(System.getProperty("isthmus.home"), "testbed", "devices")
                .toString();
        command[1] = action;
        System.arraycopy(ends, 0, command, 2, ends.length);
        Process process = new ProcessBuilder(command).inheritIO().start();
        try {
            if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException(String.join(" ", command) + ": not done after " + DEADLINE_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(String.join(" ", command) + ": interrupted");
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + ": exit status " + process.exitValue());
        }
    }
}
