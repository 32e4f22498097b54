// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.zip.CRC32;

/** A service with one method of each kind, whose messages are plain bytes. */
final class EchoService {

    /** How often {@link #REPEAT} repeats its request. */
    static final int REPETITIONS = 8;

    static final MethodDescriptor<byte[], byte[]> ECHO = method("Echo", MethodType.UNARY);
    static final MethodDescriptor<byte[], byte[]> REPEAT = method("Repeat", MethodType.SERVER_STREAMING);
    static final MethodDescriptor<byte[], byte[]> CHECKSUM = method("Checksum", MethodType.CLIENT_STREAMING);
    static final MethodDescriptor<byte[], byte[]> TALK = method("Talk", MethodType.BIDI_STREAMING);

    /** Never answers. */
    static final MethodDescriptor<byte[], byte[]> SILENCE = method("Silence", MethodType.UNARY);

    /** A permit for each call of {@link #SILENCE} that has arrived. */
    final Semaphore silent = new Semaphore(0);

    /** A permit for each of these calls that was cancelled, as the server saw it. */
    final Semaphore cancelled = new Semaphore(0);

    /** Passes bytes through. */
    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try (stream) {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
        return MethodDescriptor.newBuilder(new Bytes(), new Bytes())
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName("isthmus.Echo", name))
                .build();
    }

    ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder("isthmus.Echo")
                .addMethod(ECHO, ServerCalls.asyncUnaryCall((request, answers) -> answer(request, 1, answers)))
                .addMethod(
                        REPEAT,
                        ServerCalls.asyncServerStreamingCall(
                                (request, answers) -> answer(request, REPETITIONS, answers)))
                .addMethod(CHECKSUM, ServerCalls.asyncClientStreamingCall(Summing::new))
                .addMethod(TALK, ServerCalls.asyncBidiStreamingCall(Echoing::new))
                .addMethod(SILENCE, ServerCalls.asyncUnaryCall(this::stayCalm))
                .build();
    }

    private static void answer(byte[] request, int times, StreamObserver<byte[]> answers) {
        for (int i = 0; i < times; i++) {
            answers.onNext(request);
        }
        answers.onCompleted();
    }

    private void stayCalm(byte[] request, StreamObserver<byte[]> answers) {
        ((ServerCallStreamObserver<byte[]>) answers).setOnCancelHandler(cancelled::release);
        silent.release();
    }

    /** The checksum of bytes repeated so many times, as a message. */
    static byte[] checksum(byte[] bytes, int times) {
        var sum = new CRC32();
        for (int i = 0; i < times; i++) {
            sum.update(bytes);
        }
        return ByteBuffer.allocate(Long.BYTES).putLong(sum.getValue()).array();
    }

    private static class Echoing implements StreamObserver<byte[]> {

        final StreamObserver<byte[]> answers;

        Echoing(StreamObserver<byte[]> answers) {
            this.answers = answers;
        }

        @Override
        public void onNext(byte[] message) {
            answers.onNext(message);
        }

        @Override
        public void onError(Throwable cause) {
            System.err.println("the client gave up: " + cause);
        }

        @Override
        public void onCompleted() {
            answers.onCompleted();
        }
    }

    private static final class Summing extends Echoing {

        private final CRC32 sum = new CRC32();

        Summing(StreamObserver<byte[]> answers) {
            super(answers);
        }

        @Override
        public void onNext(byte[] message) {
            sum.update(message);
        }

        @Override
        public void onCompleted() {
            answers.onNext(
                    ByteBuffer.allocate(Long.BYTES).putLong(sum.getValue()).array());
            answers.onCompleted();
        }
    }
}
