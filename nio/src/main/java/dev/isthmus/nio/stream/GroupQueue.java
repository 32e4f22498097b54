// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.verbs.CompletionQueue;

/** A completion queue that the streams of a group share. Guarded by the group's lock. */
final class GroupQueue {

    private final GroupDevice device;
    private final CompletionQueue completions;
    private int room; // for requests that no stream has reserved
    private boolean armed; // it will send an event for its next completion, or has sent it

    GroupQueue(GroupDevice device, CompletionQueue completions, int room) {
        this.device = device;
        this.completions = completions;
        this.room = room;
    }

    GroupDevice device() {
        return device;
    }

    CompletionQueue completions() {
        return completions;
    }

    /** Reserves room; returns whether there was enough. */
    boolean join(int requests) {
        boolean fits = requests <= room;
        room -= fits ? requests : 0;
        return fits;
    }

    void leave(int requests) {
        room += requests;
    }

    /** Has it send an event for its next completion; returns false if it was to do so already. */
    boolean arm() {
        if (armed) {
            return false;
        }
        completions.requestNotify(false);
        armed = true;
        return true;
    }

    void disarmed() {
        armed = false;
    }
}
