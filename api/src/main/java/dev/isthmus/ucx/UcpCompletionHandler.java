// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/** Receives the operations with user data that have ended. Set by {@link UcpWorkerConfig#completions}. */
@FunctionalInterface
public interface UcpCompletionHandler {

    /**
     * Called on the loop's thread when operations have ended, outside of UCX: it may begin others.
     *
     * @param completions one at least; the same object at each call, with new content
     */
    void onCompletions(UcpCompletions completions);
}
