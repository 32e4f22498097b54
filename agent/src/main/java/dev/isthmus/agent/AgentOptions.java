// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The options of the agent: {@code name=value}, separated by semicolons. Each is a system property
 * {@code isthmus.nio.name}.
 */
final class AgentOptions {

    private static final String PREFIX = "isthmus.nio.";

    /** The names, and what each is for. */
    private static final Map<String, String> NAMES = new TreeMap<>(Map.ofEntries(
            Map.entry("connect", "which connects use RDMA: connect=10.0.0.0/24 *, fd00::/64 7000-7999"),
            Map.entry("bind", "which servers are reached by RDMA: bind=* 7000-7999, * 8080 tcp"),
            Map.entry("rules", "a file with such rules"),
            Map.entry("loopback", "the device's address that stands for 127.0.0.1"),
            Map.entry("polling", "microseconds that a read or write polls before it sleeps"),
            Map.entry("selectPolling", "microseconds that a select polls before it sleeps"),
            Map.entry("sendBuffer", "bytes pinned for sending, of each connection"),
            Map.entry("receiveBuffer", "bytes pinned for receiving, of each connection"),
            Map.entry("connectSeconds", "how long a connect tries"),
            Map.entry("handshakeSeconds", "how long a client may take for its handshake"),
            Map.entry("lingerSeconds", "how long a close in the background may take"),
            Map.entry("keepAliveSeconds", "after how long a silent peer is asked whether it is there"),
            Map.entry("valkeyMaxBuffer", "bytes of a buffer that a peer of Valkey's protocol may announce"),
            Map.entry("valkeyMaxCommands", "commands of that protocol that such a peer may send in a second")));

    private AgentOptions() {}

    /**
     * Sets the system properties.
     *
     * @throws IllegalArgumentException if there is no such option; the message names those that there are
     */
    static void apply(String options) {
        for (String one : options == null ? new String[0] : options.split(";", -1)) {
            if (!one.isBlank()) {
                set(one.strip());
            }
        }
    }

    private static void set(String option) {
        int equals = option.indexOf('=');
        String name = option.substring(0, Math.max(0, equals)).strip();
        if (equals < 0 || !NAMES.containsKey(name)) {
            throw new IllegalArgumentException("\"" + option + "\" is no option of the agent. Options are NAME=VALUE,"
                    + " separated by semicolons:" + described());
        }
        System.setProperty(PREFIX + name, option.substring(equals + 1).strip());
    }

    private static String described() {
        var text = new StringBuilder();
        NAMES.forEach((name, what) -> text.append(String.format("%n  %-17s %s", name, what)));
        return text.toString();
    }

    /** The rules that are in force, in a few words. */
    static String rules() {
        var found = new TreeSet<String>();
        for (String name : new String[] {"rules", "bind", "connect"}) {
            String value = System.getProperty(PREFIX + name);
            if (value != null) {
                found.add(name + "=" + value);
            }
        }
        return found.isEmpty()
                ? "where a device leads to the peer, as no rules are given"
                : "where these rules say so: " + String.join("; ", found);
    }
}
