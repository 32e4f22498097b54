// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor.info;

import dev.isthmus.verbs.Device;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ibv_devinfo} in Java, with the same options and the same text. */
@Command(
        name = "info",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Prints the capabilities of the RDMA devices, like ibv_devinfo.")
public final class InfoCommand implements Callable<Integer> {

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "DEV",
            description = "RDMA device (default: all of them)")
    private Optional<String> device = Optional.empty();

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "N",
            description = "port of the device (default: all of them)")
    private Optional<Integer> port = Optional.empty();

    @Option(
            names = {"-l", "--list"},
            description = "print the devices' names only")
    private boolean list;

    @Option(
            names = {"-v", "--verbose"},
            description = "print all attributes and limits, and the GIDs")
    private boolean verbose;

    @Spec
    private CommandSpec spec;

    /** For picocli. */
    public InfoCommand() {}

    @Override
    public Integer call() throws IOException {
        if (port.isPresent() && port.get() < 1) {
            throw new ParameterException(spec.commandLine(), "ports are numbered from 1, not " + port.get());
        }
        PrintWriter out = spec.commandLine().getOut();
        try {
            print(out);
        } finally {
            out.flush();
        }
        return 0;
    }

    private void print(PrintWriter out) throws IOException {
        var lines = new AttributeLines(out);
        if (list) {
            printNames(lines, Device.list());
            return;
        }
        var report = new DeviceReport(lines, verbose);
        OptionalInt onlyPort = port.map(OptionalInt::of).orElseGet(OptionalInt::empty);
        for (Device each : device.map(name -> List.of(Device.named(name))).orElseGet(InfoCommand::all)) {
            report.print(each, onlyPort);
        }
    }

    private static List<Device> all() {
        List<Device> devices = Device.list();
        return devices.isEmpty() ? List.of(Device.first()) : devices; // first throws with the reason if there is none
    }

    private static void printNames(AttributeLines lines, List<Device> devices) {
        lines.line("%d HCA%s found:", devices.size(), devices.size() == 1 ? "" : "s");
        devices.forEach(each -> lines.line("\t%s", each.name()));
        lines.line("");
    }
}
