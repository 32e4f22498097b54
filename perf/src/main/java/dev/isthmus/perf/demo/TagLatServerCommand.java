// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * The server's JVM of {@link JavaTagLat}: reads the client's worker address and prints its own, in hexadecimal, then
 * runs a ping-pong for each further line of its input, "BYTES ITERATIONS".
 */
@Command(name = "demo-tag-lat-server", hidden = true)
public final class TagLatServerCommand implements Callable<Integer> {

    @Parameters(index = "0", description = "UCX_TLS")
    private String transports;

    @Parameters(index = "1")
    private int maxBytes;

    @Override
    public Integer call() throws IOException {
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String peer = commands.readLine();
        if (peer == null) {
            return 0;
        }
        try (var server = new TagPingPong(Map.of("TLS", transports), maxBytes)) {
            server.connect(HexFormat.of().parseHex(peer));
            System.out.println(HexFormat.of().formatHex(server.address()));
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                String[] words = line.split(" ", 2);
                server.runServer(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
                System.out.println("served");
            }
        }
        return 0;
    }
}
