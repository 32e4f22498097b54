// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a sample prints. */
final class Output extends ByteArrayOutputStream {

    private static volatile Output current;

    private Output() {}

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        super.write(bytes, offset, length);
        notifyAll();
    }

    static List<String> of(Task sample) {
        var output = new Output();
        current = output;
        PrintStream before = System.out;
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            sample.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            System.setOut(before);
        }
        return output.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** Waits, within a sample, until a text has been printed; the test has the deadline. */
    static void await(String text) throws InterruptedException {
        Output output = current;
        synchronized (output) {
            while (!output.toString(StandardCharsets.UTF_8).contains(text)) {
                output.wait();
            }
        }
    }
}
