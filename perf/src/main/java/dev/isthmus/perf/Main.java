// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import dev.isthmus.doctor.CommandFailures;
import dev.isthmus.doctor.DoctorCommand;
import dev.isthmus.doctor.info.InfoCommand;
import dev.isthmus.perf.compare.AgentCommand;
import dev.isthmus.perf.compare.CompareCommand;
import dev.isthmus.perf.demo.DemoCommand;
import dev.isthmus.perf.demo.DemoPartCommand;
import dev.isthmus.perf.report.ReportCommand;
import dev.isthmus.perf.spark.SparkCommand;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The entry point of all commands. Exit status 0 is success; 1, with one line on standard error, a failure of the
 * machine, a peer or a device; 2 a wrong command line; 128 + N means that signal N ended a second JVM.
 */
@Command(
        name = "isthmus",
        description = "The launcher's commands that are written in Java.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DoctorCommand.class,
            InfoCommand.class,
            DemoCommand.class,
            CompareCommand.class,
            ReportCommand.class,
            SparkCommand.class,
            PerfCommand.class,
            DemoPartCommand.class,
            AgentCommand.class
        })
public final class Main {

    private Main() {}

    /**
     * Runs a command and ends the JVM with its exit status.
     *
     * @param args the command and its options
     */
    public static void main(String... args) {
        System.exit(commandLine(args).execute(args));
    }

    /** The commands, and how they report failures. */
    static CommandLine commandLine(String... args) {
        return CommandFailures.reportedBy(read(args))
                .setParameterExceptionHandler((e, words) -> CommandFailures.explain(named(e)));
    }

    /** The failure, with another message if a flag is one of the C program's that the command lacks. */
    private static ParameterException named(ParameterException e) {
        CommandLine commandLine = e.getCommandLine();
        Optional<String> lacked = e instanceof UnmatchedArgumentException unmatched
                ? lacked(commandLine.getCommandSpec().userObject(), unmatched.getUnmatched())
                : Optional.empty();
        return lacked.map(flag ->
                        new ParameterException(commandLine, flag + " is not implemented: docs/perf.md lists what is"))
                .orElse(e);
    }

    private static Optional<String> lacked(Object command, List<String> words) {
        return command instanceof Counterpart counterpart
                ? words.stream()
                        .filter(counterpart::lacks)
                        .findFirst()
                        .map(word -> counterpart.program() + "'s " + Counterpart.flagOf(word))
                : Optional.empty();
    }

    /**
     * Builds the commands that the arguments can mean. Building all of them takes longer than building one. So a test
     * of perftest's family, or a comparison's agent, for which the other end waits, is built alone, and anything else
     * is built without the family.
     */
    private static CommandLine read(String... args) {
        if (args.length > 0 && args[0].equals(AgentCommand.NAME)) {
            return new CommandLine(CommandSpec.create().name("isthmus")).addSubcommand(new AgentCommand());
        }
        boolean perf = args.length > 0 && args[0].equals("perf");
        String which = perf && args.length > 1 ? args[1] : "";
        Optional<CommandLine> test = PerftestCommand.named(which);
        if (test.isPresent()) {
            var family = new CommandLine(CommandSpec.create().name("perf")).addSubcommand(test.get());
            return new CommandLine(CommandSpec.create().name("isthmus")).addSubcommand(family);
        }
        var all = new CommandLine(new Main());
        CommandLine suite = all.getSubcommands().get("perf");
        if (perf && !suite.getSubcommands().containsKey(which)) {
            PerftestCommand.addTo(suite);
        }
        return all;
    }
}
