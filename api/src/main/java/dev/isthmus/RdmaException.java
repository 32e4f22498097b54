// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

import dev.isthmus.internal.Trace;

/**
 * A call into an RDMA library failed, or the machine lacks what it needs.
 *
 * <p>A caller's mistake is an {@link IllegalArgumentException} or an {@link IllegalStateException} instead. The status
 * of a completion is data, not an exception. The project's page {@code docs/errors.md} says what usually causes each
 * errno and status.
 */
public abstract sealed class RdmaException extends RuntimeException
        permits CmException, RdmaUnavailableException, UcxException, VerbsException {

    private static final long serialVersionUID = 1L;

    RdmaException(String message, Throwable cause) {
        super(message, cause);
        Trace.failed(getClass().getSimpleName(), message);
    }
}
