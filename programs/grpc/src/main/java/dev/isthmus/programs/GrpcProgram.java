// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import dev.isthmus.netty.RdmaByteBufAllocator;
import dev.isthmus.netty.RdmaIoHandler;
import dev.isthmus.netty.RdmaServerSocketChannel;
import dev.isthmus.netty.RdmaSocketChannel;
import dev.isthmus.testbed.ConnectionTransport;
import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * A gRPC server and client, first in plain text and then over TLS: {@code GrpcProgram ADDRESS KEYSTORE PASSWORD
 * [netty]}. The key store has the server's key and certificate, which the client trusts. With the word {@code netty} they
 * use the channels of module netty; otherwise they are as a user has them who knows nothing of RDMA.
 */
public final class GrpcProgram {

    private static final int LARGE = 1 << 20;
    private static final int MESSAGES = 8;
    private static final int SECONDS = 120; // on emulated processors

    private static final String NETTY = "netty";

    private final EchoService service;
    private final ManagedChannel channel;
    private final byte[] large = new byte[LARGE];
    private final byte[] small = new byte[50_000];

    private GrpcProgram(EchoService service, ManagedChannel channel) {
        this.service = service;
        this.channel = channel;
        new Random(1).nextBytes(large);
        new Random(2).nextBytes(small);
    }

    /** Runs the program. */
    public static void main(String... args) throws Exception {
        Transport transport =
                args.length > 3 && args[3].equals(NETTY) ? new RdmaTransport(args[0]) : new StockTransport(args[0]);
        run("plain", transport, InsecureServerCredentials.create(), InsecureChannelCredentials.create());
        KeyStore store = KeyStore.getInstance("PKCS12");
        char[] password = args[2].toCharArray();
        try (var from = Files.newInputStream(Path.of(args[1]))) {
            store.load(from, password);
        }
        run("TLS", transport, serverCredentials(store, password), channelCredentials(store));
    }

    private static ServerCredentials serverCredentials(KeyStore store, char[] password)
            throws GeneralSecurityException {
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        return TlsServerCredentials.newBuilder()
                .keyManager(keys.getKeyManagers())
                .build();
    }

    private static ChannelCredentials channelCredentials(KeyStore store) throws GeneralSecurityException {
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return TlsChannelCredentials.newBuilder()
                .trustManager(trust.getTrustManagers())
                .build();
    }

    /** What a server and a client are made with. */
    private interface Transport {

        ServerBuilder<?> server(ServerCredentials credentials);

        ManagedChannelBuilder<?> channel(int port, ChannelCredentials credentials);
    }

    private record StockTransport(String host) implements Transport {

        @Override
        public ServerBuilder<?> server(ServerCredentials credentials) {
            return Grpc.newServerBuilderForPort(0, credentials);
        }

        @Override
        public ManagedChannelBuilder<?> channel(int port, ChannelCredentials credentials) {
            return Grpc.newChannelBuilderForAddress(host, port, credentials);
        }
    }

    private record RdmaTransport(String host, EventLoopGroup loops) implements Transport {

        RdmaTransport(String host) {
            this(
                    host,
                    new MultiThreadIoEventLoopGroup(
                            1, new DefaultThreadFactory("rdma", true), RdmaIoHandler.newFactory()));
        }

        @Override
        public ServerBuilder<?> server(ServerCredentials credentials) {
            return NettyServerBuilder.forPort(0, credentials)
                    .channelType(RdmaServerSocketChannel.class)
                    .bossEventLoopGroup(loops)
                    .workerEventLoopGroup(loops)
                    .withChildOption(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT);
        }

        @Override
        public ManagedChannelBuilder<?> channel(int port, ChannelCredentials credentials) {
            return NettyChannelBuilder.forAddress(host, port, credentials)
                    .channelType(RdmaSocketChannel.class)
                    .eventLoopGroup(loops)
                    .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, 1000 * SECONDS)
                    .withOption(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT);
        }
    }

    private static void run(String how, Transport transport, ServerCredentials forServer, ChannelCredentials forClient)
            throws Exception {
        var service = new EchoService();
        Server server = transport
                .server(forServer)
                .addService(service.definition())
                .build()
                .start();
        ManagedChannel channel = transport.channel(server.getPort(), forClient).build();
        try {
            var program = new GrpcProgram(service, channel);
            program.callEachKind();
            program.giveUp();
            program.callEachKind(); // the cancelled calls did not harm the connection
            System.out.println(how + ": by " + ConnectionTransport.at(server.getPort()));
        } finally {
            channel.shutdownNow();
            server.shutdownNow();
            check(server.awaitTermination(SECONDS, TimeUnit.SECONDS), "the server did not end");
        }
    }

    private static void check(boolean good, String otherwise) {
        if (!good) {
            throw new AssertionError(otherwise);
        }
    }

    private static CallOptions within(int seconds) {
        return CallOptions.DEFAULT.withDeadlineAfter(seconds, TimeUnit.SECONDS);
    }

    private void callEachKind() throws InterruptedException, ExecutionException, TimeoutException {
        byte[] echo = ClientCalls.blockingUnaryCall(channel, EchoService.ECHO, within(SECONDS), large);
        checkSame(List.of(echo), 1, large);
        var repeated = new ArrayList<byte[]>();
        Iterator<byte[]> answers =
                ClientCalls.blockingServerStreamingCall(channel, EchoService.REPEAT, within(SECONDS), small);
        answers.forEachRemaining(repeated::add);
        checkSame(repeated, EchoService.REPETITIONS, small);
        List<byte[]> sums = stream(EchoService.CHECKSUM, small);
        checkSame(sums, 1, EchoService.checksum(small, MESSAGES));
        checkSame(stream(EchoService.TALK, large), MESSAGES, large);
    }

    private static void checkSame(List<byte[]> answers, int count, byte[] each) {
        check(answers.size() == count, answers.size() + " answers rather than " + count);
        for (byte[] answer : answers) {
            check(Arrays.equals(answer, each), "the bytes differ from those that were sent");
        }
    }

    /** Sends messages and returns the answers. */
    private List<byte[]> stream(MethodDescriptor<byte[], byte[]> method, byte[] message)
            throws InterruptedException, ExecutionException, TimeoutException {
        var answers = new Answers();
        ClientCall<byte[], byte[]> call = channel.newCall(method, within(SECONDS));
        StreamObserver<byte[]> requests = method == EchoService.TALK
                ? ClientCalls.asyncBidiStreamingCall(call, answers)
                : ClientCalls.asyncClientStreamingCall(call, answers);
        for (int i = 0; i < MESSAGES; i++) {
            requests.onNext(message);
        }
        requests.onCompleted();
        return answers.all.get(SECONDS, TimeUnit.SECONDS);
    }

    /** Ends calls by cancelling and by a deadline. The client gets the right status, and the server notices. */
    private void giveUp() throws InterruptedException {
        var answers = new Answers();
        ClientCall<byte[], byte[]> call = channel.newCall(EchoService.SILENCE, within(SECONDS));
        ClientCalls.asyncUnaryCall(call, small, answers);
        await(service.silent, "the server did not get the call");
        call.cancel("it takes too long", null);
        check(answers.failure() == Status.Code.CANCELLED, "not cancelled: " + answers.all);
        await(service.cancelled, "the server was not told that the call was cancelled");
        int seconds = 1; // or longer, until the server gets the call before it is over
        do {
            try {
                byte[] answer = ClientCalls.blockingUnaryCall(channel, EchoService.SILENCE, within(seconds), small);
                throw new AssertionError("answered by " + answer.length + " bytes");
            } catch (StatusRuntimeException e) {
                check(e.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED, e.toString());
            }
            seconds *= 4;
        } while (!service.silent.tryAcquire() && seconds < SECONDS);
        await(service.cancelled, "the server was not told that the deadline had passed");
    }

    private static void await(Semaphore event, String otherwise) throws InterruptedException {
        check(event.tryAcquire(SECONDS, TimeUnit.SECONDS), otherwise);
    }

    /** All answers of a call, or its failure. */
    private static final class Answers implements StreamObserver<byte[]> {

        private final List<byte[]> soFar = new ArrayList<>();
        private final CompletableFuture<List<byte[]>> all = new CompletableFuture<>();

        @Override
        public void onNext(byte[] answer) {
            soFar.add(answer);
        }

        @Override
        public void onError(Throwable cause) {
            all.completeExceptionally(cause);
        }

        @Override
        public void onCompleted() {
            all.complete(soFar);
        }

        Status.Code failure() throws InterruptedException {
            try {
                List<byte[]> answers = all.get(SECONDS, TimeUnit.SECONDS);
                throw new AssertionError(answers.size() + " answers");
            } catch (ExecutionException e) {
                return Status.fromThrowable(e.getCause()).getCode();
            } catch (TimeoutException e) {
                throw new AssertionError("the call did not end", e);
            }
        }
    }
}
