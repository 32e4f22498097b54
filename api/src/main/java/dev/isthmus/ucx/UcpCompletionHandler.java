package dev.isthmus.ucx;

/** Is told of operations that carry user data and have ended: {@link UcpEventLoopConfig#completions}. */
@FunctionalInterface
public interface UcpCompletionHandler {

    /**
     * Operations have ended. Called on the loop's thread, outside of UCX: it may begin others.
     *
     * @param completions one at least; filled anew for the next call
     */
    void onCompletions(UcpCompletions completions);
}
