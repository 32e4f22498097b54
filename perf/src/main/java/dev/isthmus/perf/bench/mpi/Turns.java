// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.mpi;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** A named pipe for each of two ranks, of which one sleeps while the other works: then nothing is polled for. */
final class Turns implements AutoCloseable {

    private final RandomAccessFile[] pipes = new RandomAccessFile[2];

    /** Opens the pipes 0 and 1 in a folder. */
    Turns(Path folder) throws IOException {
        for (int i = 0; i < pipes.length; i++) {
            pipes[i] = new RandomAccessFile(folder.resolve(String.valueOf(i)).toFile(), "rw"); // so it does not wait
        }
    }

    /** Wakes a rank. */
    void pass(int rank) {
        try {
            pipes[rank].write(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sleeps until this rank is woken. */
    void await(int rank) {
        try {
            pipes[rank].read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        for (RandomAccessFile pipe : pipes) {
            pipe.close();
        }
    }
}
