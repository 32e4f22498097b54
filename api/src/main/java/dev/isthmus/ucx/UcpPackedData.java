// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Data that the program packs and unpacks itself, part by part, while UCX sends or receives it:
 * {@code ucp_dt_create_generic}. Use it for data whose layout no list of buffers describes, or that is computed. See
 * {@link UcpPayload}.
 *
 * <p>UCX calls back for each part. Such an upcall takes longer than a call into C, and allocates, so plain buffers are
 * faster where they will do. If a callback throws, UCX goes on: the rest of the data is zero or dropped, that operation
 * ends as {@link UcsStatus#IO_ERROR}, and {@link UcpWorker#progress()} throws the exception.
 */
public final class UcpPackedData extends UcpPayload {

    private final GenericDatatype type;
    private final UcpPacker packer; // null for a receive
    private final UcpUnpacker unpacker; // null for a send
    private final long length;

    private UcpPackedData(UcpWorker worker, long length, UcpPacker packer, UcpUnpacker unpacker) {
        super(worker, worker.genericDatatype().handle());
        if (length < 0) {
            throw new IllegalArgumentException("data of " + length + " bytes");
        }
        this.type = worker.genericDatatype();
        this.length = length;
        this.packer = packer;
        this.unpacker = unpacker;
    }

    /**
     * Data to send.
     *
     * @param worker the worker whose endpoints send it
     * @param length how long the packed data is, in bytes
     * @param packer writes it; operations of this object call it one after another
     * @return the data
     * @throws IllegalArgumentException if the length is negative
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public static UcpPackedData packing(UcpWorker worker, long length, UcpPacker packer) {
        return new UcpPackedData(worker, length, Objects.requireNonNull(packer, "packer"), null);
    }

    /**
     * Data to receive.
     *
     * @param worker the worker that receives it
     * @param length how long the packed data can be, in bytes; a longer message is {@link UcsStatus#MESSAGE_TRUNCATED}
     * @param unpacker reads it; operations of this object call it one after another
     * @return the data
     * @throws IllegalArgumentException if the length is negative
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public static UcpPackedData unpacking(UcpWorker worker, long length, UcpUnpacker unpacker) {
        return new UcpPackedData(worker, length, null, Objects.requireNonNull(unpacker, "unpacker"));
    }

    @Override
    public UcpPackedData options(UcpOperationOption... options) {
        super.options(options);
        return this;
    }

    @Override
    @HotPath
    public UcpPackedData userData(long data) {
        super.userData(data);
        return this;
    }

    @Override
    public UcpPackedData memoryType(UcpMemoryType memoryType) {
        super.memoryType(memoryType);
        return this;
    }

    @Override
    public long byteSize() {
        return length;
    }

    @Override
    long count() {
        return 1;
    }

    @Override
    long address(boolean toWrite) {
        if (toWrite == (unpacker == null)) {
            throw new IllegalArgumentException(this + " is " + (toWrite ? "to be sent" : "to be received"));
        }
        return 0; // C asks the datatype instead
    }

    @Override
    long queried() {
        return 1; // anything but NULL
    }

    @Override
    boolean isUsing(ArenaUse use) {
        return false;
    }

    @Override
    void hold(Operations operations) {}

    @Override
    void release() {}

    @Override
    void prepare(RequestSlot operation) {
        type.begin(this, operation);
    }

    @Override
    int ended(RequestSlot operation, int status) {
        super.ended(operation, status);
        return takeFailure(operation) && status == 0 ? UcsStatus.IO_ERROR.code() : status;
    }

    @Override
    void endedAtOnce(RequestSlot operation, byte kind) {
        super.endedAtOnce(operation, kind);
        if (takeFailure(operation)) {
            throw UcxFailure.ofProgram(RequestSlot.call(kind), toString());
        }
    }

    private static boolean takeFailure(RequestSlot operation) {
        boolean was = operation.packingFailed;
        operation.packingFailed = false;
        return was;
    }

    void pack(long offset, MemorySegment target) {
        packer.pack(offset, target);
    }

    void unpack(long offset, MemorySegment source) {
        unpacker.unpack(offset, source);
    }

    /** The data as it appears in error messages. */
    @Override
    public String toString() {
        return "UcpPackedData(" + length + " bytes)";
    }
}
