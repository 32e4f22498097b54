// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxLibrary;

/**
 * The version of the UCX library that is loaded: {@code ucp_get_version}.
 *
 * @param major the API's generation
 * @param minor grows with each release
 * @param release grows with each correction
 */
public record UcxVersion(int major, int minor, int release) {

    /**
     * Loads UCX, if it is not loaded yet, and reads its version. Thread-safe.
     *
     * @return the version
     * @throws dev.isthmus.RdmaUnavailableException if UCX is not on this machine or too old
     */
    public static UcxVersion loaded() {
        int[] version = UcxLibrary.load();
        return new UcxVersion(version[0], version[1], version[2]);
    }

    /**
     * Loads UCX, if it is not loaded yet, and returns its version as text: {@code ucp_get_version_string}. Thread-safe.
     *
     * @return the version and, if it is not a release, what identifies the build
     * @throws dev.isthmus.RdmaUnavailableException if UCX is not on this machine or too old
     */
    public static String text() {
        UcxLibrary.load();
        try (var call = new UcpCall()) {
            return UcpCall.string(call.pointer(Libucp.GET_VERSION_STRING));
        }
    }

    /** The usual notation, such as {@code 1.13.1}. */
    @Override
    public String toString() {
        return major + "." + minor + "." + release;
    }
}
