// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.direct;

import dev.isthmus.VerbsException;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairType;
import java.io.PrintStream;
import java.util.Locale;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * Runs the exchanges on one device in one way, and times it. Arguments: a device, and whether Java itself drives its
 * queues. Without arguments it looks for devices where it can.
 */
public final class DirectProgram {

    /** Begin its lines: {@code "device NAME"}, {@code "refused SENTENCE"}, and the two that follow a round's result. */
    static final String DEVICE = "device ";

    static final String REFUSED = "refused ";
    static final String RESULT = "result ";
    static final String TIME = "time ";

    /** Between an operation and what came of it. */
    static final String IS = ": ";

    private static final Logger LOG = Logger.getLogger("dev.isthmus"); // held, as it would be collected

    private DirectProgram() {}

    /** Prints a line for each finding. */
    public static void main(String... args) {
        PrintStream out = System.out;
        if (args.length == 0) {
            LOG.setFilter(refusal -> {
                out.println(REFUSED + new SimpleFormatter().formatMessage(refusal));
                return false;
            });
            Device.list().forEach(device -> look(device, out));
            return;
        }
        boolean direct = Boolean.parseBoolean(args[1]);
        try (DeviceContext context = Device.named(args[0]).open()) {
            Exchanges.run(context, direct).forEach((name, result) -> out.println(RESULT + name + IS + result));
            Times.measure(args[0], direct)
                    .forEach(
                            (name, nanos) -> out.println(TIME + name + IS + String.format(Locale.ROOT, "%.2f", nanos)));
        }
    }

    private static void look(Device device, PrintStream out) {
        try (DeviceContext context = device.open();
                ProtectionDomain pd = context.allocateProtectionDomain();
                CompletionQueue queue = context.createCompletionQueue(1);
                QueuePair qp = pd.createQueuePair(QueuePairType.RC, queue, queue, config -> config.direct(true))) {
            if (qp.isDirect()) {
                out.println(DEVICE + device.name());
            }
        } catch (VerbsException e) {
            out.println(REFUSED + e.getMessage());
        }
    }
}
