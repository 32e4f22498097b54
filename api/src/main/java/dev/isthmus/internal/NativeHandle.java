// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

/**
 * C's pointer to one object. It leaves by {@link #take}, once, and only the caller that got it destroys the object. So
 * nobody destroys an object twice, whatever the program did during a wait or in a callback. For one thread at a time,
 * like the object that it belongs to.
 */
public final class NativeHandle {

    private long address; // 0 once taken

    /** Takes over an object that C has created. */
    public NativeHandle(long address) {
        this.address = address;
    }

    /** The pointer for calls that use the object; 0 once it is taken. */
    @HotPath
    public long address() {
        return address;
    }

    /** The pointer for the call that destroys the object; 0 if somebody else has taken it. */
    public long take() {
        long taken = address;
        address = 0;
        return taken;
    }
}
