// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

/**
 * The machine or the JVM lacks something that RDMA needs: a shared library, a symbol of a newer version of it, a
 * device, a permission, native access. The message says what to install or type. Catch this exception if the program
 * can communicate in another way.
 */
public final class RdmaUnavailableException extends RdmaException {

    private static final long serialVersionUID = 1L;

    /**
     * Used by Isthmus itself.
     *
     * @param message what is missing, and what to install or type
     */
    public RdmaUnavailableException(String message) {
        super(message, null);
    }

    /**
     * Used by Isthmus itself.
     *
     * @param message what is missing, and what to install or type
     * @param cause what the JVM threw
     */
    public RdmaUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
