// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

/**
 * The machine or the JVM lacks something that MPI needs: a library with the standard's ABI, or native access. The message
 * says what to install or type.
 */
public final class MpiUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MpiUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
