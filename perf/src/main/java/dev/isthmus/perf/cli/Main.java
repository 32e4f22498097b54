// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli;

import dev.isthmus.doctor.CommandFailures;
import dev.isthmus.doctor.DoctorCommand;
import dev.isthmus.doctor.info.InfoCommand;
import dev.isthmus.perf.bench.compare.CompareCommand;
import dev.isthmus.perf.bench.compare.CompareUcxCommand;
import dev.isthmus.perf.bench.direct.DirectCommand;
import dev.isthmus.perf.bench.instructions.InstructionsCommand;
import dev.isthmus.perf.bench.mpi.MpiCommand;
import dev.isthmus.perf.bench.spark.SparkCommand;
import dev.isthmus.perf.cli.report.ReportCommand;
import dev.isthmus.perf.tools.Counterpart;
import dev.isthmus.perf.tools.stream.StreamCommand;
import dev.isthmus.perf.tools.ucx.UcxCommand;
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
            SparkCommand.class,
            Main.PerfCommand.class
        })
public final class Main {

    /** {@code isthmus perf} and its subcommands. */
    @Command(
            name = "perf",
            description = "perftest's tools in Java, and benchmarks beside the C tools.",
            mixinStandardHelpOptions = true,
            synopsisSubcommandLabel = "COMMAND",
            subcommands = {
                JmhCommand.class,
                InstructionsCommand.class,
                DirectCommand.class,
                MpiCommand.class,
                StreamCommand.class,
                UcxCommand.class,
                CompareUcxCommand.class
            })
    static final class PerfCommand {}

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
     * of perftest's family, for which the other end waits, is built alone, and anything else without the family.
     */
    private static CommandLine read(String... args) {
        boolean perf = args.length > 0 && args[0].equals("perf");
        String which = perf && args.length > 1 ? args[1] : "";
        Optional<CommandLine> test = PerftestCommand.named(which);
        if (test.isPresent()) {
            var family = new CommandLine(CommandSpec.create().name("perf")).addSubcommand(test.get());
            return new CommandLine(CommandSpec.create().name("isthmus")).addSubcommand(family);
        }
        var all = new CommandLine(new Main());
        all.addSubcommand(new ReportCommand(Main.class));
        CommandLine suite = all.getSubcommands().get("perf");
        if (perf && !suite.getSubcommands().containsKey(which)) {
            PerftestCommand.addTo(suite);
        }
        return all;
    }
}
