package dev.isthmus.loop;

/** That a loop serves something. It ends with the loop at the latest. */
public interface Registration extends AutoCloseable {

    /**
     * Has the loop serve it no more. A handler that another thread is in goes on to its end. Thread-safe. Does not block.
     * Does nothing when it was called before, or the loop is closed.
     */
    @Override
    void close();
}
