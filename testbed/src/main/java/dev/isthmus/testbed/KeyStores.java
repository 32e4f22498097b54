// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.nio.file.Path;

/** Key stores for TLS. */
public final class KeyStores {

    private KeyStores() {}

    /**
     * Makes a key for a host, and a self-signed certificate of it.
     *
     * @param keys the key store's file, which does not exist
     * @param host the host's IP address
     * @param password the password
     * @throws InterruptedException if the thread is interrupted
     */
    public static void create(Path keys, String host, String password) throws InterruptedException {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        try (var making = new ChildProgram(
                keytool,
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=" + host,
                "-ext",
                "san=ip:" + host,
                "-validity",
                "2",
                "-keystore",
                keys.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                password)) {
            making.ended();
        }
    }
}
