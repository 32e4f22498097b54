// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

/**
 * The machine or the JVM lacks something that RDMA needs: a shared library, a symbol of a newer version of it, a
 * device, a permission, native access. The message says what to install or type. A program that has another way to
 * communicate catches this one and takes it.
 */
public final class RdmaUnavailableException extends RdmaException {

    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message what is missing, and what to install or type
     */
    public RdmaUnavailableException(String message) {
        super(message, null);
    }

    /**
     * Made by the library.
     *
     * @param message what is missing, and what to install or type
     * @param cause what the JVM said
     */
    public RdmaUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
