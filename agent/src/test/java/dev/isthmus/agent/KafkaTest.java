// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.FreePorts;
import dev.isthmus.testbed.TestDeadlines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Unmodified Kafka: a broker that is its own controller, a producer and a consumer. */
@Tag("device")
@Tag("extended")
@Timeout(1100) // on emulated processors
class KafkaTest {

    private static final Duration MOST = TestDeadlines.ofSeconds(480);

    @Test
    void shouldGoByRdmaByTheAgent(@TempDir Path folder) throws Exception {
        String host = ProgramOverRdma.host().getHostAddress();
        int port = FreePorts.free(ProgramOverRdma.host());
        int controller = FreePorts.free(ProgramOverRdma.host());
        Path config = Files.writeString(folder.resolve("server.properties"), """
                process.roles=broker,controller
                node.id=1
                controller.quorum.bootstrap.servers=HOST:CONTROLLING
                controller.listener.names=CONTROLLER
                listeners=PLAINTEXT://HOST:SERVING,CONTROLLER://HOST:CONTROLLING
                log.dirs=LOGS
                offsets.topic.replication.factor=1
                offsets.topic.num.partitions=1
                group.initial.rebalance.delay.ms=0
                """.replace("HOST", host)
                .replace("SERVING", "" + port)
                .replace("CONTROLLING", "" + controller)
                .replace("LOGS", folder.resolve("logs").toString()));
        ProgramOverRdma kafka = ProgramOverRdma.of("kafka", folder);
        try (ChildProgram format = kafka.start(
                "kafka.tools.StorageTool",
                "format",
                "--standalone",
                "-t",
                "AAAAAAAAQACAAAAAAAAAAQ",
                "-c",
                config.toString())) {
            format.ended(MOST);
        }
        try (ChildProgram broker = kafka.start("kafka.Kafka", config.toString());
                ChildProgram client = kafka.start("dev.isthmus.programs.KafkaProgram", host, "" + port)) {
            try {
                assertEquals("1000 records: by RDMA", client.ended(MOST).getLast());
            } catch (AssertionError e) {
                e.addSuppressed(new AssertionError(broker.lines().toString()));
                throw e;
            }
        }
    }
}
