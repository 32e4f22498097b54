// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/** Receives operations with user data that have ended. Set it by {@link UcpWorkerConfig#completions}. */
@FunctionalInterface
public interface UcpCompletionHandler {

    /**
     * Called on the loop's thread when operations have ended, outside UCX. It may begin others.
     *
     * @param completions at least one; the same object at each call, with new content
     */
    void onCompletions(UcpCompletions completions);
}
