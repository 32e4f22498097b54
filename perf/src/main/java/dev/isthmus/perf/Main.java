// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import dev.isthmus.RdmaException;
import dev.isthmus.doctor.DoctorCommand;
import dev.isthmus.doctor.info.InfoCommand;
import dev.isthmus.perf.compare.AgentCommand;
import dev.isthmus.perf.compare.CompareCommand;
import dev.isthmus.perf.demo.DemoCommand;
import dev.isthmus.perf.demo.HalfCommand;
import dev.isthmus.perf.process.CrashException;
import dev.isthmus.perf.report.ReportCommand;
import dev.isthmus.perf.spark.SparkCommand;
import dev.isthmus.perf.ucx.UcxAgentCommand;
import java.io.IOException;
import java.io.PrintWriter;
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
            HalfCommand.class,
            UcxAgentCommand.class,
            AgentCommand.class
        })
public final class Main {

    /** Failures outside this program: reported in one line, without a stack trace. */
    private static final List<Class<? extends Exception>> EXPECTED =
            List.of(RdmaException.class, IOException.class, IllegalArgumentException.class);

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
        return read(args)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((e, wrong) -> {
                    explain(e);
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    String name = command.getCommandSpec().name();
                    if (EXPECTED.stream().anyMatch(expected -> expected.isInstance(e))) {
                        command.getErr().println(name + ": " + e.getMessage());
                    } else {
                        e.printStackTrace(command.getErr());
                    }
                    return e instanceof CrashException crash ? crash.status() : CommandLine.ExitCode.SOFTWARE;
                });
    }

    /**
     * Prints one line that says what is wrong and where to look; the whole help after it would push it out of sight.
     */
    private static void explain(ParameterException e) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        PrintWriter err = e.getCommandLine().getErr();
        Optional<String> lacked = e instanceof UnmatchedArgumentException unmatched
                ? lacked(command.userObject(), unmatched.getUnmatched())
                : Optional.empty();
        if (lacked.isPresent()) {
            err.println(command.name() + ": " + lacked.get() + " is not implemented: docs/perf.md lists what is");
        } else {
            err.println(command.name() + ": " + e.getMessage());
            UnmatchedArgumentException.printSuggestions(e, err);
        }
        err.println("Try: " + command.qualifiedName() + " --help");
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
