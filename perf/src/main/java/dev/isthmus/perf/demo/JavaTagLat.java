// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.RdmaException;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Placement;
import java.io.IOException;
import java.util.HexFormat;
import java.util.Map;

/** A {@link TagPingPong} between this JVM and another one that stays up between rounds. */
final class JavaTagLat implements Contestant {

    private final JavaChild server;
    private final TagPingPong client;

    JavaTagLat(Map<String, String> settings, int maxBytes, Children children) throws IOException, InterruptedException {
        server = new JavaChild(
                children, Placement.SERVER, Map.of(), "demo-tag-lat-server", settings.get("TLS"), "" + maxBytes);
        client = new TagPingPong(settings, maxBytes);
        server.tell(HexFormat.of().formatHex(client.address()));
        client.connect(HexFormat.of().parseHex(server.answer()));
    }

    @Override
    public Latency round(int bytes, int iterations) throws IOException, InterruptedException {
        try {
            server.tell(bytes + " " + iterations);
            Latency latency = client.runClient(bytes, iterations);
            server.answer();
            return latency;
        } catch (IOException | RdmaException e) {
            server.checkCrash(e);
            throw e;
        }
    }

    @Override
    public void close() {
        server.close();
        client.close();
    }
}
