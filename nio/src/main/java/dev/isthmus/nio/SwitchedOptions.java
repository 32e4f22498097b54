// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The options of a socket that uses RDMA or TCP: until it has chosen, those of both. The chosen channel gets the
 * options that it supports, and has its own from then on. Guarded by the socket; null stands for no chosen channel.
 */
final class SwitchedOptions {

    /** Opens a channel of the JDK. */
    interface Opener {
        NetworkChannel open() throws IOException;
    }

    private final Set<SocketOption<?>> ofRdma;
    private final Opener jdk;
    private final ChannelOptions values = new ChannelOptions();
    private final Map<SocketOption<?>, Object> set = new LinkedHashMap<>();

    SwitchedOptions(Set<SocketOption<?>> ofRdma, Opener jdk) {
        this.ofRdma = ofRdma;
        this.jdk = jdk;
    }

    Set<SocketOption<?>> supported(NetworkChannel chosen) {
        if (chosen != null) {
            return chosen.supportedOptions();
        }
        Set<SocketOption<?>> all = new HashSet<>(ofRdma);
        try (NetworkChannel one = jdk.open()) {
            all.addAll(one.supportedOptions());
        } catch (IOException e) {
            return ofRdma; // one over TCP could not be opened now, either
        }
        return Set.copyOf(all);
    }

    <T> void set(NetworkChannel chosen, SocketOption<T> name, T value) throws IOException {
        if (chosen != null) {
            chosen.setOption(name, value);
        } else if (ofRdma.contains(Objects.requireNonNull(name, "name"))) {
            values.set(name, value, ofRdma);
            set.put(name, values.get(name, ofRdma));
        } else {
            try (NetworkChannel one = jdk.open()) {
                set.put(name, one.setOption(name, value).getOption(name));
            }
        }
    }

    <T> T get(NetworkChannel chosen, SocketOption<T> name) throws IOException {
        if (chosen != null) {
            return chosen.getOption(name);
        }
        if (ofRdma.contains(Objects.requireNonNull(name, "name"))) {
            return values.get(name, ofRdma);
        }
        try (NetworkChannel one = jdk.open()) {
            T usual = one.getOption(name);
            return set.containsKey(name) ? name.type().cast(set.get(name)) : usual;
        }
    }

    /** Applies the options that were set. */
    void applyTo(NetworkChannel chosen) throws IOException {
        Set<SocketOption<?>> supported = chosen.supportedOptions();
        for (Map.Entry<SocketOption<?>, Object> each : set.entrySet()) {
            if (supported.contains(each.getKey())) {
                apply(chosen, each.getKey(), each.getValue());
            }
        }
    }

    private static <T> void apply(NetworkChannel chosen, SocketOption<T> name, Object value) throws IOException {
        chosen.setOption(name, name.type().cast(value));
    }
}
