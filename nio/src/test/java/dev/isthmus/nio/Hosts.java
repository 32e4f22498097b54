package dev.isthmus.nio;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The addresses of the two devices that the testbed makes: what goes from one to the other crosses a link. */
final class Hosts {

    private Hosts() {}

    /** Where clients are. */
    static InetAddress near() {
        return given(0);
    }

    /** Where servers are. */
    static InetAddress far() {
        return given(1);
    }

    private static InetAddress given(int which) {
        String both = System.getenv("ISTHMUS_ADDRESSES");
        if (both == null || both.isEmpty()) {
            throw new AssertionError("the testbed names no addresses: run this by isthmus test --tier device");
        }
        try {
            return InetAddress.getByName(both.split(" ", 2)[which]);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
