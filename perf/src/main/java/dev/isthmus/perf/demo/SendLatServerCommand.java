// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.perf.perftest.Observer;
import dev.isthmus.perf.perftest.Perftest;
import dev.isthmus.perf.perftest.Plan;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The server's JVM of {@link JavaSendLat}: serves a session for each line of its input, "BYTES ITERATIONS". */
@Command(name = "demo-send-lat-server", hidden = true)
public final class SendLatServerCommand implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Parameters(index = "0")
    private int port;

    @Override
    public Integer call() throws IOException {
        DevicePair.End end = DevicePair.find().server();
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ", 2);
            Plan plan = JavaSendLat.plan(
                    end, Optional.empty(), port, Integer.parseInt(words[0]), Integer.parseInt(words[1]));
            Perftest.run(plan, PATIENCE, new Observer() {});
            System.out.println("served");
        }
        return 0;
    }
}
