// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.doctor.info.InfoCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of these commands alone, for a machine to which the other commands' jars are not to be copied. */
@Command(
        name = "isthmus",
        description = "Says what this machine, its RDMA devices and a running JVM have and lack.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {DoctorCommand.class, InfoCommand.class})
public final class Main {

    private Main() {}

    /**
     * Runs a command and ends the JVM with its exit status.
     *
     * @param args the command and its options
     */
    public static void main(String... args) {
        System.exit(CommandFailures.reportedBy(new CommandLine(new Main())).execute(args));
    }
}
