// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import dev.isthmus.testbed.ConnectionTransport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Creates a topic, sends records, and reads them in a consumer group: {@code KafkaProgram ADDRESS PORT}. */
public final class KafkaProgram {

    private static final String TOPIC = "bytes";
    private static final int SECONDS = 300; // on emulated processors, while the broker starts
    private static final int RECORDS = 1000;
    private static final int LARGE = 8; // of the records
    private static final int LARGE_BYTES = 500_000;

    private final InetSocketAddress broker;

    private KafkaProgram(InetSocketAddress broker) {
        this.broker = broker;
    }

    /** Runs the program. */
    public static void main(String... args) throws Exception {
        new KafkaProgram(new InetSocketAddress(args[0], Integer.parseInt(args[1]))).run();
    }

    private Map<String, Object> with(Map<String, Object> properties) {
        var all = new HashMap<String, Object>(properties);
        all.put(
                CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
                broker.getAddress().getHostAddress() + ":" + broker.getPort());
        all.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, SECONDS * 1000);
        return all;
    }

    private void run() throws Exception {
        try (Admin admin = Admin.create(with(Map.of()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get(SECONDS, TimeUnit.SECONDS);
            System.out.println("topic");
        }
        var producing = new HashMap<String, Object>(
                Map.of(ProducerConfig.ACKS_CONFIG, "all", ProducerConfig.MAX_BLOCK_MS_CONFIG, SECONDS * 1000));
        try (Producer<byte[], byte[]> producer =
                        new KafkaProducer<>(with(producing), new ByteArraySerializer(), new ByteArraySerializer());
                Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                        with(Map.of(
                                ConsumerConfig.GROUP_ID_CONFIG, "readers",
                                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest")),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            send(producer);
            consumer.subscribe(List.of(TOPIC));
            int read = read(consumer);
            System.out.println(read + " records: by " + ConnectionTransport.at(broker.getPort()));
        }
    }

    /** The value of a record. It depends on the number only, so nothing needs to be remembered. */
    private static byte[] value(int number) {
        byte[] bytes = new byte[number % (RECORDS / LARGE) == 0 ? LARGE_BYTES : 1 + number];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    private static void send(Producer<byte[], byte[]> producer) throws Exception {
        var sent = new ArrayList<Future<RecordMetadata>>();
        for (int i = 0; i < RECORDS; i++) {
            sent.add(producer.send(new ProducerRecord<>(TOPIC, value(i))));
        }
        for (int i = 0; i < RECORDS; i++) {
            long offset = sent.get(i).get(SECONDS, TimeUnit.SECONDS).offset();
            check(offset == i, "record " + i + " at " + offset);
        }
    }

    private static int read(Consumer<byte[], byte[]> consumer) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        int read = 0;
        while (read < RECORDS) {
            check(System.nanoTime() < end, read + " records read");
            for (ConsumerRecord<byte[], byte[]> one : consumer.poll(Duration.ofSeconds(1))) {
                check(one.offset() == read && Arrays.equals(one.value(), value(read)), "record " + one);
                read++;
            }
        }
        consumer.commitSync();
        return read;
    }

    private static void check(boolean good, String otherwise) {
        if (!good) {
            throw new AssertionError(otherwise);
        }
    }
}
