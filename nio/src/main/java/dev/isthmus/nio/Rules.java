// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Which sockets use RDMA, by the address and port that they bind or connect to. The rules are the lines of the file
 * that the system property {@code isthmus.nio.rules} names, and of the properties {@code isthmus.nio.bind} and
 * {@code isthmus.nio.connect}. Without rules, all sockets that a device can carry use RDMA. Immutable.
 */
final class Rules {

    private static final String SYNTAX = "\"bind ADDRESS PORT\", \"bind ADDRESS PORT tcp\" or \"connect ADDRESS PORT\","
            + " or \"valkey\" after a port, with an ADDRESS like 10.0.0.1, 10.0.0.0/24, fd00::/64, node7 or *, and a PORT like 7471, 7000-7999 or *";

    /** What a socket uses. */
    enum TransportChoice {
        TCP,
        RDMA,
        /** Peers reach a server by both. */
        BOTH,
        /** RDMA, with Valkey's protocol. */
        VALKEY;

        /** Whether it uses TCP, too. */
        boolean hasTcp() {
            return this == TCP || this == BOTH;
        }

        private static TransportChoice named(String word, boolean binds) {
            if (word.equals("valkey")) {
                return VALKEY;
            }
            if (word.equals("tcp") && binds) {
                return BOTH;
            }
            throw new IllegalArgumentException("this is not a rule");
        }
    }

    private record Rule(InetAddress network, int bits, int firstPort, int lastPort, TransportChoice choice) {

        boolean matches(InetSocketAddress address) {
            return address.getPort() >= firstPort && address.getPort() <= lastPort && isOfNetwork(address.getAddress());
        }

        private boolean isOfNetwork(InetAddress address) {
            if (network == null) {
                return true;
            }
            byte[] bytes = address.getAddress();
            byte[] wanted = network.getAddress();
            if (bytes.length != wanted.length) {
                return false;
            }
            for (int i = 0; i < bits; i++) {
                if (((bytes[i / 8] ^ wanted[i / 8]) & (0x80 >> i % 8)) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    private List<Rule> bind; // null: whatever a device can carry
    private List<Rule> connect;

    private Rules() {}

    /**
     * The rules of the system properties.
     *
     * @throws IllegalArgumentException if a rule is malformed; the message says where, and what was expected
     */
    static Rules ofSystem() {
        var rules = new Rules();
        String file = System.getProperty("isthmus.nio.rules");
        if (file != null) {
            rules.readFile(Path.of(file));
        }
        rules.readProperty("bind");
        rules.readProperty("connect");
        return rules;
    }

    /** The rules of a file's lines. */
    static Rules of(String file, List<String> lines) {
        var rules = new Rules();
        rules.read(file, lines);
        return rules;
    }

    private void readFile(Path file) {
        try {
            read(file.toString(), Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException("isthmus.nio.rules names a file that cannot be read: " + file, e);
        }
    }

    private void read(String file, List<String> lines) {
        bind = new ArrayList<>();
        connect = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).replaceFirst("#.*", "").strip();
            if (!line.isEmpty()) {
                add(file + ":" + (i + 1), line);
            }
        }
    }

    private void readProperty(String direction) {
        String name = "isthmus.nio." + direction;
        String value = System.getProperty(name);
        if (value == null) {
            return;
        }
        if (direction.equals("bind")) {
            bind = bind == null ? new ArrayList<>() : bind;
        } else {
            connect = connect == null ? new ArrayList<>() : connect;
        }
        for (String rule : value.split(",", -1)) {
            if (!rule.isBlank()) {
                add("system property " + name, direction + " " + rule.strip());
            }
        }
    }

    private void add(String where, String line) {
        String[] words = line.split("\\s+", -1);
        boolean binds = words[0].equals("bind");
        try {
            if ((!binds && !words[0].equals("connect")) || words.length < 3 || words.length > 4) {
                throw new IllegalArgumentException("this is not a rule");
            }
            TransportChoice choice = words.length == 3 ? TransportChoice.RDMA : TransportChoice.named(words[3], binds);
            add(binds ? bind : connect, words[1], words[2], choice);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    where + ": \"" + line + "\": " + e.getMessage() + "; expected " + SYNTAX, e);
        }
    }

    private static void add(List<Rule> rules, String address, String port, TransportChoice way) {
        int dash = port.indexOf('-');
        int first = port.equals("*") ? 0 : port(dash < 0 ? port : port.substring(0, dash));
        int last = port.equals("*") ? 65_535 : port(port.substring(dash + 1));
        if (first > last) {
            throw new IllegalArgumentException("the first port is above the last");
        }
        if (address.equals("*")) {
            rules.add(new Rule(null, 0, first, last, way));
            return;
        }
        int slash = address.indexOf('/');
        for (InetAddress one : named(slash < 0 ? address : address.substring(0, slash))) {
            int most = one.getAddress().length * 8;
            int bits = slash < 0 ? most : number(address.substring(slash + 1), most, "a prefix of " + one);
            rules.add(new Rule(one, bits, first, last, way));
        }
    }

    private static InetAddress[] named(String host) {
        if (host.isEmpty()) {
            throw new IllegalArgumentException("the address is missing");
        }
        try {
            return InetAddress.getAllByName(host);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("there is no host " + host, e);
        }
    }

    private static int port(String text) {
        return number(text, 65_535, "a port");
    }

    private static int number(String text, int most, String what) {
        if (!text.matches("[0-9]{1,5}") || Integer.parseInt(text) > most) {
            throw new IllegalArgumentException("\"" + text + "\" is not " + what + ", 0 to " + most);
        }
        return Integer.parseInt(text);
    }

    /** What a bound socket uses. */
    TransportChoice bind(InetSocketAddress local) throws IOException {
        if (isOfUnwantedFamily(local)) {
            return TransportChoice.TCP;
        }
        if (bind == null) {
            return Addresses.isCarriedAt(local.getAddress()) ? TransportChoice.RDMA : TransportChoice.TCP;
        }
        return of(bind, local);
    }

    /** What a socket uses that connects without being bound. */
    TransportChoice connect(InetSocketAddress remote) throws IOException {
        if (isOfUnwantedFamily(remote)) {
            return TransportChoice.TCP;
        }
        if (connect == null) {
            return Addresses.isCarriedTo(remote.getAddress()) ? TransportChoice.RDMA : TransportChoice.TCP;
        }
        return of(connect, remote);
    }

    /** Whether the JDK refuses such addresses, which its own sockets tell. */
    private static boolean isOfUnwantedFamily(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address && Boolean.getBoolean("java.net.preferIPv4Stack");
    }

    private static TransportChoice of(List<Rule> rules, InetSocketAddress address) {
        TransportChoice way = TransportChoice.TCP;
        for (Rule rule : rules) {
            if (rule.choice().compareTo(way) > 0 && rule.matches(address)) {
                way = rule.choice();
            }
        }
        return way;
    }
}
