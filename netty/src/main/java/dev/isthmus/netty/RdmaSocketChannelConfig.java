// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import static io.netty.channel.ChannelOption.ALLOW_HALF_CLOSURE;
import static io.netty.channel.ChannelOption.IP_TOS;
import static io.netty.channel.ChannelOption.SO_KEEPALIVE;
import static io.netty.channel.ChannelOption.SO_LINGER;
import static io.netty.channel.ChannelOption.SO_RCVBUF;
import static io.netty.channel.ChannelOption.SO_REUSEADDR;
import static io.netty.channel.ChannelOption.SO_SNDBUF;
import static io.netty.channel.ChannelOption.TCP_NODELAY;
import static io.netty.util.internal.ObjectUtil.checkPositiveOrZero;

import dev.isthmus.nio.stream.StreamOptions;
import dev.isthmus.nio.stream.StreamProtocol;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import java.util.Map;

/**
 * The options of an {@link RdmaSocketChannel}. Thread-safe.
 *
 * <p>{@code SO_SNDBUF}, {@code SO_RCVBUF}, {@code IP_TOS} and those of {@link RdmaChannelOption} count when it connects
 * or, for an accepted one, when it is registered, except {@code MAX_KEPT}; {@code SO_LINGER} when it is closed; {@code SO_KEEPALIVE} when it is
 * connected, or at once. {@code TCP_NODELAY} changes nothing, as writes go out at once anyway.
 */
@SuppressWarnings("ReferenceEquality") // an option equals only itself
public final class RdmaSocketChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {

    private static final int MAX_TOS = 255;

    private final RdmaSocketChannel socket;
    private volatile boolean allowHalfClosure;
    private volatile boolean tcpNoDelay = true;
    private volatile int soLinger = -1;
    private volatile int sendBufferSize = StreamOptions.DEFAULT.sendBuffer();
    private volatile int receiveBufferSize = StreamOptions.DEFAULT.receiveBuffer();
    private volatile boolean keepAlive;
    private volatile int trafficClass;
    private volatile boolean reuseAddress;
    private volatile int sendQueue = StreamOptions.DEFAULT.sendQueue();
    private volatile int receiveQueue = StreamOptions.DEFAULT.receiveQueue();
    private volatile int inline = StreamOptions.DEFAULT.inline();
    private volatile int maxKept = 1 << 18;
    private volatile StreamProtocol protocol = StreamOptions.DEFAULT.protocol();

    RdmaSocketChannelConfig(RdmaSocketChannel channel) {
        super(channel);
        setAllocator(RdmaByteBufAllocator.DEFAULT);
        socket = channel;
    }

    int maxKept() {
        return maxKept;
    }

    /** What the option's value says. */
    static StreamProtocol protocol(Object value) {
        return (Boolean) value ? StreamProtocol.VALKEY : StreamProtocol.RSOCKET;
    }

    /** An accepted channel speaks what its server does. */
    void protocol(StreamProtocol of) {
        protocol = of;
    }

    /** The options for a new stream. */
    StreamOptions stream() {
        return new StreamOptions(sendBufferSize, receiveBufferSize, sendQueue, receiveQueue, inline, 0, 0, protocol);
    }

    /** Takes the options of a stream, which may be less than was asked for. */
    void stream(StreamOptions options) {
        sendBufferSize = options.sendBuffer();
        receiveBufferSize = options.receiveBuffer();
        sendQueue = options.sendQueue();
        receiveQueue = options.receiveQueue();
        inline = options.inline();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                SO_RCVBUF,
                SO_SNDBUF,
                TCP_NODELAY,
                SO_KEEPALIVE,
                SO_REUSEADDR,
                SO_LINGER,
                IP_TOS,
                ALLOW_HALF_CLOSURE,
                RdmaChannelOption.SEND_QUEUE,
                RdmaChannelOption.RECEIVE_QUEUE,
                RdmaChannelOption.INLINE,
                RdmaChannelOption.MAX_KEPT,
                RdmaChannelOption.VALKEY);
    }

    @Override
    @SuppressWarnings("unchecked") // each option has the type of its value
    public <T> T getOption(ChannelOption<T> option) {
        Object value = own(option);
        return value != null ? (T) value : super.getOption(option);
    }

    private Object own(ChannelOption<?> option) {
        if (option == SO_RCVBUF) {
            return receiveBufferSize;
        } else if (option == SO_SNDBUF) {
            return sendBufferSize;
        } else if (option == TCP_NODELAY) {
            return tcpNoDelay;
        } else if (option == SO_KEEPALIVE) {
            return keepAlive;
        } else if (option == SO_REUSEADDR) {
            return reuseAddress;
        } else if (option == SO_LINGER) {
            return soLinger;
        } else if (option == IP_TOS) {
            return trafficClass;
        } else if (option == ALLOW_HALF_CLOSURE) {
            return allowHalfClosure;
        } else if (option == RdmaChannelOption.SEND_QUEUE) {
            return sendQueue;
        } else if (option == RdmaChannelOption.RECEIVE_QUEUE) {
            return receiveQueue;
        } else if (option == RdmaChannelOption.MAX_KEPT) {
            return maxKept;
        } else if (option == RdmaChannelOption.VALKEY) {
            return protocol == StreamProtocol.VALKEY;
        }
        return option == RdmaChannelOption.INLINE ? inline : null;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == SO_RCVBUF) {
            setReceiveBufferSize((Integer) value);
        } else if (option == SO_SNDBUF) {
            setSendBufferSize((Integer) value);
        } else if (option == TCP_NODELAY) {
            setTcpNoDelay((Boolean) value);
        } else if (option == SO_KEEPALIVE) {
            setKeepAlive((Boolean) value);
        } else if (option == SO_REUSEADDR) {
            setReuseAddress((Boolean) value);
        } else if (option == SO_LINGER) {
            setSoLinger((Integer) value);
        } else if (option == IP_TOS) {
            setTrafficClass((Integer) value);
        } else if (option == ALLOW_HALF_CLOSURE) {
            setAllowHalfClosure((Boolean) value);
        } else if (option == RdmaChannelOption.SEND_QUEUE) {
            sendQueue = checkPositiveOrZero((Integer) value, option.name());
        } else if (option == RdmaChannelOption.RECEIVE_QUEUE) {
            receiveQueue = checkPositiveOrZero((Integer) value, option.name());
        } else if (option == RdmaChannelOption.INLINE) {
            inline = checkPositiveOrZero((Integer) value, option.name());
        } else if (option == RdmaChannelOption.MAX_KEPT) {
            maxKept = checkPositiveOrZero((Integer) value, option.name());
        } else if (option == RdmaChannelOption.VALKEY) {
            protocol = protocol(value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    @Override
    public boolean isTcpNoDelay() {
        return tcpNoDelay;
    }

    @Override
    public RdmaSocketChannelConfig setTcpNoDelay(boolean tcpNoDelay) {
        this.tcpNoDelay = tcpNoDelay;
        return this;
    }

    @Override
    public int getSoLinger() {
        return soLinger;
    }

    @Override
    public RdmaSocketChannelConfig setSoLinger(int soLinger) {
        this.soLinger = Math.max(-1, soLinger);
        return this;
    }

    @Override
    public int getSendBufferSize() {
        return sendBufferSize;
    }

    @Override
    public RdmaSocketChannelConfig setSendBufferSize(int sendBufferSize) {
        this.sendBufferSize = checkPositiveOrZero(sendBufferSize, "sendBufferSize");
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return receiveBufferSize;
    }

    @Override
    public RdmaSocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        this.receiveBufferSize = checkPositiveOrZero(receiveBufferSize, "receiveBufferSize");
        return this;
    }

    @Override
    public boolean isKeepAlive() {
        return keepAlive;
    }

    @Override
    public RdmaSocketChannelConfig setKeepAlive(boolean keepAlive) {
        this.keepAlive = keepAlive;
        socket.applyKeepAlive();
        return this;
    }

    @Override
    public int getTrafficClass() {
        return trafficClass;
    }

    @Override
    public RdmaSocketChannelConfig setTrafficClass(int trafficClass) {
        if (trafficClass < 0 || trafficClass > MAX_TOS) {
            throw new ChannelException("IP_TOS cannot be " + trafficClass);
        }
        this.trafficClass = trafficClass;
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return reuseAddress;
    }

    @Override
    public RdmaSocketChannelConfig setReuseAddress(boolean reuseAddress) {
        this.reuseAddress = reuseAddress;
        return this;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public RdmaSocketChannelConfig setAllowHalfClosure(boolean allowHalfClosure) {
        this.allowHalfClosure = allowHalfClosure;
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public RdmaSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setWriteBufferHighWaterMark(int writeBufferHighWaterMark) {
        super.setWriteBufferHighWaterMark(writeBufferHighWaterMark);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setWriteBufferLowWaterMark(int writeBufferLowWaterMark) {
        super.setWriteBufferLowWaterMark(writeBufferLowWaterMark);
        return this;
    }
}
