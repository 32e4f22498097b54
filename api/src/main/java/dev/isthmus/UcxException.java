// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

/** A call into UCX failed. The message names the call, its object and arguments, the status, and what helps. */
public final class UcxException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final String call;
    private final int status;

    /**
     * Used by Isthmus itself.
     *
     * @param call the C function that failed, or that Isthmus refuses because it would fail
     * @param arguments the object it was called on and the arguments that matter
     * @param status the {@code ucs_status_t}, negative
     * @param statusText the status in words, with its symbolic name and number
     * @param help what usually helps, or an empty string
     */
    public UcxException(String call, String arguments, int status, String statusText, String help) {
        super(call + "(" + arguments + "): " + statusText + (help.isEmpty() ? "" : ": " + help), null);
        this.call = call;
        this.status = status;
    }

    /**
     * The C function that failed.
     *
     * @return its name, such as {@code ucp_ep_create}
     */
    public String call() {
        return call;
    }

    /**
     * The status that it reported.
     *
     * @return a {@code ucs_status_t} (ucs/type/status.h), negative
     */
    public int status() {
        return status;
    }
}
