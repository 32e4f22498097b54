// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.isthmus.CmException;
import dev.isthmus.bindings.ibverbs.rdma_addrinfo;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.SocketAddresses;
import dev.isthmus.internal.cm.CmCall;
import dev.isthmus.internal.cm.CmErrors;
import dev.isthmus.internal.cm.CmSocketAddresses;
import dev.isthmus.internal.cm.Librdmacm;
import dev.isthmus.internal.cm.RdmacmLibrary;
import dev.isthmus.verbs.QueuePairType;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/**
 * The addresses behind the names of a host and a service: {@code struct rdma_addrinfo}. A program that has an
 * {@link InetSocketAddress} does not need it.
 *
 * @param source the local address, to listen at; null if there is none
 * @param destination the peer's address, to connect to; null if there is none
 * @param portSpace the port space
 * @param queuePairType the type of the queue pairs
 */
public record AddressInfo(
        InetSocketAddress source, InetSocketAddress destination, PortSpace portSpace, QueuePairType queuePairType) {

    /** {@code RAI_PASSIVE}. */
    private static final int PASSIVE = 1;

    private static final int EAI_SYSTEM = -11;

    /**
     * Looks up where to listen: {@code rdma_getaddrinfo}. Blocks as long as the name service takes.
     *
     * @param node a name or address of this machine; null for all of them
     * @param service a name or number of a port
     * @param space the port space
     * @return the result, with a source
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm is not installed
     * @throws CmException if there is no such host or service
     */
    public static AddressInfo toListen(String node, String service, PortSpace space) {
        return resolve(node, service, space, PASSIVE);
    }

    /**
     * This, with queue pairs of another type, such as UC. Only the port space IB offers a choice. Both sides pass the
     * result to {@link EventChannel#createId(AddressInfo)}.
     *
     * @param type the type
     * @return a new instance
     * @throws IllegalArgumentException if the type is UNKNOWN
     */
    public AddressInfo withType(QueuePairType type) {
        if (type == QueuePairType.UNKNOWN) {
            throw new IllegalArgumentException("the type is UNKNOWN");
        }
        return new AddressInfo(source, destination, PortSpace.IB, type);
    }

    /** Whether it is for listening. */
    boolean isPassive() {
        return destination == null;
    }

    /** Writes a {@code struct rdma_addrinfo}. */
    MemorySegment write(CmCall call) {
        if (portSpace == PortSpace.UNKNOWN || queuePairType == QueuePairType.UNKNOWN) {
            throw new IllegalArgumentException("the port space or the type is UNKNOWN: " + this);
        }
        if (portSpace != PortSpace.IB && queuePairType != portSpace.queuePairType()) { // the kernel would not know it
            throw new IllegalArgumentException(
                    "only the port space IB has a choice of types, which withType() gives: " + this);
        }
        if (source == null && destination == null) {
            throw new IllegalArgumentException("no address, neither this side's nor the peer's: " + this);
        }
        MemorySegment info = call.allocate(rdma_addrinfo.layout());
        rdma_addrinfo.ai_flags(info, isPassive() ? PASSIVE : 0);
        rdma_addrinfo.ai_port_space(info, portSpace.code());
        rdma_addrinfo.ai_qp_type(info, queuePairType.code());
        if (source != null) {
            MemorySegment address = CmSocketAddresses.write(call, source);
            rdma_addrinfo.ai_src_addr(info, address);
            rdma_addrinfo.ai_src_len(info, (int) address.byteSize());
        }
        if (destination != null) {
            MemorySegment address = CmSocketAddresses.write(call, destination);
            rdma_addrinfo.ai_dst_addr(info, address);
            rdma_addrinfo.ai_dst_len(info, (int) address.byteSize());
        }
        return info;
    }

    /**
     * Looks up where to connect to: {@code rdma_getaddrinfo}. Blocks as long as the name service takes.
     *
     * @param node a name or address of the peer
     * @param service a name or number of a port
     * @param space the port space
     * @return the result, with a destination
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm is not installed
     * @throws CmException if there is no such host or service
     */
    public static AddressInfo toConnect(String node, String service, PortSpace space) {
        return resolve(node, service, space, 0);
    }

    private static AddressInfo resolve(String node, String service, PortSpace space, int flags) {
        RdmacmLibrary.require();
        if (space == PortSpace.UNKNOWN) {
            throw new IllegalArgumentException("the port space is UNKNOWN");
        }
        try (var call = new CmCall()) {
            MemorySegment hints = call.allocate(rdma_addrinfo.layout());
            rdma_addrinfo.ai_flags(hints, flags);
            rdma_addrinfo.ai_port_space(hints, space.code());
            rdma_addrinfo.ai_qp_type(hints, space.queuePairType().code());
            MemorySegment result = call.allocate(ADDRESS);
            int status = call.integer(Librdmacm.GETADDRINFO, string(call, node), string(call, service), hints, result);
            if (status != 0) {
                throw failure(node + ", " + service, status, call.errno());
            }
            MemorySegment first = result.get(ADDRESS, 0);
            try {
                return read(NativeCall.sized(first, rdma_addrinfo.sizeof()));
            } finally {
                call.nothing(Librdmacm.FREEADDRINFO, first);
            }
        }
    }

    private static MemorySegment string(CmCall call, String text) {
        return text == null ? MemorySegment.NULL : call.allocateFrom(text);
    }

    private static AddressInfo read(MemorySegment info) {
        return new AddressInfo(
                address(rdma_addrinfo.ai_src_addr(info)),
                address(rdma_addrinfo.ai_dst_addr(info)),
                PortSpace.of(rdma_addrinfo.ai_port_space(info)),
                QueuePairType.of(rdma_addrinfo.ai_qp_type(info)));
    }

    private static InetSocketAddress address(MemorySegment pointer) {
        return pointer.address() == 0 ? null : SocketAddresses.read(pointer);
    }

    private static CmException failure(String what, int status, int errno) {
        if (status == -1 || status == EAI_SYSTEM) {
            // -1 is EAI_BADFLAGS, too, but none of this library's flags is bad
            return CmErrors.ofCall("rdma_getaddrinfo", what, errno, "");
        }
        String error = switch (status) {
            case -2 -> "EAI_NONAME (-2)";
            case -3 -> "EAI_AGAIN (-3)";
            case -4 -> "EAI_FAIL (-4)";
            case -8 -> "EAI_SERVICE (-8)";
            default -> "EAI code " + status;
        };
        return new CmException(
                CmException.Failure.UNREACHABLE,
                "rdma_getaddrinfo",
                what,
                status == -3 ? Errno.EAGAIN : 0,
                status,
                error,
                status == -3 ? "the name service does not answer" : "there is no such host or service",
                null);
    }
}
