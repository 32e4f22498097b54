// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * The two streams of bytes between an endpoint and its peer's endpoint in the other direction, one each way. Bytes
 * arrive in the order in which they were sent, and have no boundaries: what one call sends, several may receive. See
 * {@link UcpEndpoint#stream()}.
 *
 * <p>What arrives before the peer has created its endpoint waits for that. When the endpoint is closed, or fails, bytes
 * that were not received are dropped. A connection by socket address fails when the peer closes it, and that may come
 * before what the peer sent last. So let the receiver say that it has everything before the sender closes.
 *
 * <p>Confined to the thread of the worker. Nothing blocks.
 */
public final class UcpStream {

    private final UcpEndpoint endpoint;
    private final StreamOperations operations;
    private final AsyncRequests async;

    UcpStream(UcpEndpoint endpoint, StreamOperations operations, AsyncRequests async) {
        this.endpoint = endpoint;
        this.operations = operations;
        this.async = async;
    }

    /**
     * The endpoint of this stream.
     *
     * @return the endpoint
     */
    public UcpEndpoint endpoint() {
        return endpoint;
    }

    /**
     * Sends bytes: {@code ucp_stream_send_nbx}. UCX reads the buffer until the operation is done. Until then, neither
     * change it nor close its arena. Done means that the buffer is yours again, not that the bytes were received.
     *
     * @param buffer off the heap, of an arena that this thread may access
     * @param offset where the bytes begin in the buffer
     * @param length how many bytes to send; 0 does nothing
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if the buffer is on the heap
     * @throws IndexOutOfBoundsException if offset and length are not within the buffer
     * @throws IllegalStateException if the endpoint or the buffer's arena is closed
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if UCX refuses, for example because the endpoint failed
     */
    @HotPath
    public long send(MemorySegment buffer, long offset, long length) {
        return operations.send(endpoint, endpoint.sendHandle(), buffer, offset, length);
    }

    /**
     * Sends a payload other than a plain buffer; otherwise like {@link #send(MemorySegment, long, long)}.
     *
     * @param payload of the same worker
     * @return 0 if done at once, {@link UcpRequests#NOT_BEGUN} if that was asked for and could not be, otherwise the
     *     operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if the payload is of another worker, or cannot be sent
     * @throws IllegalStateException if the endpoint or the arena of a buffer is closed
     * @throws WrongThreadException if the worker or a buffer belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public long send(UcpPayload payload) {
        return operations.send(endpoint, endpoint.sendHandle(), payload);
    }

    /**
     * Receives some bytes: {@code ucp_stream_recv_nbx}. It is done once there is at least one, and
     * {@link UcpRequests#length} says how many there are. UCX writes to the buffer until then: neither use it nor close
     * its arena. The receives of a stream are served in turn. UCX cannot cancel them: a receive for which nothing
     * arrives ends as {@link UcsStatus#CANCELED} when the endpoint is closed, or with an error when the peer fails.
     *
     * @param buffer off the heap, writable, of an arena that this thread may access
     * @param offset where the bytes begin in the buffer
     * @param length how many to receive at most; with 0 it is done at once
     * @return the operation's number in {@link UcpWorker#requests()}, never 0; release it
     * @throws IllegalArgumentException if the buffer is on the heap or read-only
     * @throws IndexOutOfBoundsException if offset and length are not within the buffer
     * @throws IllegalStateException if the endpoint or the buffer's arena is closed
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if the endpoint has failed, or UCX refuses
     */
    @HotPath
    public long receive(MemorySegment buffer, long offset, long length) {
        return operations.receive(endpoint, endpoint.receiveHandle(), buffer, offset, length, false);
    }

    /**
     * Receives bytes until all have arrived: {@code UCP_STREAM_RECV_FLAG_WAITALL}. Otherwise like
     * {@link #receive(MemorySegment, long, long)}.
     *
     * @param buffer off the heap, writable, of an arena that this thread may access
     * @param offset where the bytes begin in the buffer
     * @param length how many to receive
     * @return the operation's number in {@link UcpWorker#requests()}, never 0; release it
     * @throws IllegalArgumentException if the buffer is on the heap or read-only
     * @throws IndexOutOfBoundsException if offset and length are not within the buffer
     * @throws IllegalStateException if the endpoint or the buffer's arena is closed
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if the endpoint has failed, or UCX refuses
     */
    @HotPath
    public long receiveAll(MemorySegment buffer, long offset, long length) {
        return operations.receive(endpoint, endpoint.receiveHandle(), buffer, offset, length, true);
    }

    /**
     * Receives some bytes into a payload other than a plain buffer; otherwise like
     * {@link #receive(MemorySegment, long, long)}.
     *
     * @param payload of the same worker
     * @return the operation's number in {@link UcpWorker#requests()}; release it. {@link UcpRequests#NOT_BEGUN} if you
     *     asked for that and it could not be done at once
     * @throws IllegalArgumentException if the payload is of another worker, or cannot be received into
     * @throws IllegalStateException if the endpoint or the arena of a buffer is closed
     * @throws WrongThreadException if the worker or a buffer belongs to another thread
     * @throws UcxException if the endpoint has failed, or UCX refuses
     */
    @HotPath
    public long receive(UcpPayload payload) {
        return operations.receive(endpoint, endpoint.receiveHandle(), payload, false);
    }

    /**
     * Receives bytes into a payload other than a plain buffer until it is full; otherwise like
     * {@link #receive(UcpPayload)}.
     *
     * @param payload of the same worker
     * @return the operation's number in {@link UcpWorker#requests()}; release it. {@link UcpRequests#NOT_BEGUN} if you
     *     asked for that and it could not be done at once
     * @throws IllegalArgumentException if the payload is of another worker, or cannot be received into
     * @throws IllegalStateException if the endpoint or the arena of a buffer is closed
     * @throws WrongThreadException if the worker or a buffer belongs to another thread
     * @throws UcxException if the endpoint has failed, or UCX refuses
     */
    @HotPath
    public long receiveAll(UcpPayload payload) {
        return operations.receive(endpoint, endpoint.receiveHandle(), payload, true);
    }

    /**
     * Gets the next bytes that have arrived, in UCX's own memory: {@code ucp_stream_recv_data_nb}. Not while a receive
     * is pending.
     *
     * @param data of the same worker; holds the bytes until it is released
     * @return whether there are bytes
     * @throws IllegalArgumentException if {@code data} is for another worker
     * @throws IllegalStateException if {@code data} holds bytes, or the endpoint is closed
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public boolean receiveData(UcpStreamData data) {
        return operations.receiveData(endpoint, endpoint.open(), data);
    }

    /**
     * Sends a whole buffer, and returns a future. {@link UcpWorker#progress()} completes it on the worker's thread,
     * with a {@link UcxException} if the send fails. It allocates; otherwise like
     * {@link #send(MemorySegment, long, long)}.
     *
     * @param buffer off the heap; UCX reads it until the operation is done
     * @return completed when the buffer is yours again
     */
    public CompletableFuture<Void> sendAsync(MemorySegment buffer) {
        return async.send(() -> send(buffer, 0, buffer.byteSize()), endpoint);
    }

    /**
     * Receives some bytes, and returns a future: see {@link #receive(MemorySegment, long, long)}. UCX cannot cancel
     * such a receive: a future that you cancel, or that times out, completes with the next bytes all the same, or when
     * the endpoint is closed.
     *
     * @param buffer off the heap, writable; UCX writes to it until the future has ended
     * @return completed with how many bytes there are
     */
    public CompletableFuture<Long> receiveAsync(MemorySegment buffer) {
        return async.streamReceive(() -> receive(buffer, 0, buffer.byteSize()), endpoint);
    }

    /**
     * Receives bytes until the buffer is full, and returns a future; otherwise like {@link #receiveAsync}.
     *
     * @param buffer off the heap, writable; UCX writes to it until the operation is done
     * @return completed with how many bytes there are, which is the length of the buffer
     */
    public CompletableFuture<Long> receiveAllAsync(MemorySegment buffer) {
        return async.streamReceive(() -> receiveAll(buffer, 0, buffer.byteSize()), endpoint);
    }

    /** The stream as it appears in error messages. */
    @Override
    public String toString() {
        return "the stream of " + endpoint;
    }
}
