// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The part of the demo over UCX, in a JVM of its own, so that both ends run with the same options. Prints
 * {@link Event}s.
 */
@Command(name = "demo-ucx", hidden = true)
public final class UcxDuelCommand implements Callable<Integer> {

    @Mixin
    private DuelOptions options;

    @Override
    public Integer call() throws IOException, InterruptedException {
        UcxDuel.run(options, new Event.Printer(System.out));
        return 0;
    }
}
