// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

/**
 * Records events. For an action that begins, the caller runs the result once the action has succeeded, which
 * records it.
 */
public interface Recorder {

    /** A native object is being created. */
    Runnable opening(String kind, String name);

    /** A native object is being destroyed. */
    Runnable closing(String kind, String name);

    /** A queue pair or connection is being connected. */
    Runnable connecting(String local, String remote);

    /** Memory is being registered. */
    Runnable registering(String device, long bytes);

    /** A call failed. */
    void failed(String exception, String message);
}
