// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

/** Takes down what happens. What begins is taken down by running what is returned, when and if it succeeded. */
public interface Recorder {

    /** A native object is being made. */
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
