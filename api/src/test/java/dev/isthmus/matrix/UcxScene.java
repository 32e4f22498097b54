// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpContextConfig;
import dev.isthmus.ucx.UcpFeature;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** What a cell of UCX's matrices acts on, by trade. Only the peers are created at once. */
final class UcxScene {

    /** How long a close may wait that waits in vain, as both peers are of one thread. */
    static final Duration SHORT_CLOSE = Duration.ofMillis(30);

    private static final int RENDEZVOUS_FROM = 2000; // bytes

    /** What all cells of a JVM share. */
    record Shared(UcpContext context, UcpContextConfig staleConfig, boolean hasSockets) {

        static Shared of(String tls) {
            UcpContextConfig[] stale = {null};
            UcpContext context = UcpContext.create(config -> {
                config.set("TLS", tls)
                        .set("RNDV_THRESH", Integer.toString(RENDEZVOUS_FROM))
                        .features(EnumSet.allOf(UcpFeature.class));
                stale[0] = config;
            });
            return new Shared(context, stale[0], tls.contains("tcp"));
        }
    }

    final Shared shared;
    final Faults faults = new Faults();
    final UcxBytes bytes = new UcxBytes(faults);
    final UcxCallbacks callbacks = new UcxCallbacks();
    final UcxCloses closes = new UcxCloses();
    final UcxPeers peers;
    final UcxTraffic traffic;
    final UcxMessages messages;
    final UcxMemories memories;
    final UcxConnections connections;
    final UcxResources resources;

    /**
     * Creates the peers.
     *
     * @param closeTimeout how long a close may wait
     * @param variant chooses among what an argument can be
     */
    UcxScene(Shared shared, boolean isLooped, Duration closeTimeout, int variant) {
        this.shared = shared;
        this.peers = new UcxPeers(shared.context, isLooped, closeTimeout, bytes, callbacks, faults);
        this.resources = new UcxResources(peers, faults);
        this.traffic = new UcxTraffic(peers, bytes, callbacks, faults);
        this.messages = new UcxMessages(peers, bytes, callbacks, traffic, resources, variant);
        this.memories = new UcxMemories(shared.context, peers, bytes, resources);
        this.connections = new UcxConnections(shared.hasSockets, peers, callbacks, resources);
    }

    /** What a call has returned may have to be closed, or given back. */
    void returned(Call call, Object result) {
        memories.returned(call, result);
        if (result instanceof AutoCloseable object
                && !resources.contains(object)
                && !List.of(shared.context, peers.mine, peers.theirs, peers.one, peers.two, peers.back)
                        .contains(object)) {
            resources.add(object);
        }
    }

    /**
     * Checks that nothing was harmed, closes everything, and returns what was wrong.
     *
     * @param mayDrop whether a close may have dropped what was under way, so that its memory stays for ever
     */
    List<String> finish(boolean mayDrop) {
        peers.stopPumping();
        callbacks.reset();
        peers.settle();
        traffic.overwrite();
        bytes.checkLent();
        traffic.drain();
        peers.exchange();
        bytes.checkMessages();
        closeAll(mayDrop);
        return faults.all();
    }

    private void closeAll(boolean mayDrop) {
        List<AutoCloseable> needed = resources.close();
        peers.closeEndpoints();
        memories.giveBack();
        List<AutoCloseable> last = new ArrayList<>(needed);
        last.add(connections.listenerOrNull());
        last.add(peers.loop == null ? peers.mine : peers::closeLooped);
        last.add(peers.theirs);
        last.addAll(needed);
        last.addAll(memories.registrations());
        last.addAll(peers.loops());
        last.add(bytes.arena);
        last.add(bytes.own);
        for (AutoCloseable object : last) {
            resources.closeAtLast(object, mayDrop);
        }
    }
}
