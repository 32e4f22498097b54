// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The part of the demo that runs where the devices are: in the testbed. Prints {@link Event}s. */
@Command(name = "demo-verbs", hidden = true)
public final class VerbsDuelCommand implements Callable<Integer> {

    @Mixin
    private DuelOptions options;

    @Override
    public Integer call() throws IOException, InterruptedException {
        VerbsDuel.run(options, new Event.Printer(System.out));
        return 0;
    }
}
