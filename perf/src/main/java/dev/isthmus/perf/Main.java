package dev.isthmus.perf;

import dev.isthmus.RdmaException;
import dev.isthmus.perf.demo.CrashException;
import dev.isthmus.perf.demo.DemoCommand;
import dev.isthmus.perf.demo.SendLatServerCommand;
import dev.isthmus.perf.demo.TagLatServerCommand;
import dev.isthmus.perf.demo.UcxDuelCommand;
import dev.isthmus.perf.demo.VerbsDuelCommand;
import dev.isthmus.perf.info.InfoCommand;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The entry of all the suite's commands. Exit status 0 when all went well, 1 with one line on standard error when the
 * machine, a peer or a device did not play along, 2 when the command line is wrong, 128 + N when signal N has ended a
 * second JVM.
 */
@Command(
        name = "isthmus",
        description = "The launcher's commands that are written in Java.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            InfoCommand.class,
            DemoCommand.class,
            PerfCommand.class,
            VerbsDuelCommand.class,
            UcxDuelCommand.class,
            SendLatServerCommand.class,
            TagLatServerCommand.class
        })
public final class Main {

    /** What may go wrong outside of this program: told in one line, without a stack trace. */
    private static final List<Class<? extends Exception>> EXPECTED =
            List.of(RdmaException.class, IOException.class, IllegalArgumentException.class);

    private Main() {}

    /**
     * Runs a command and ends the JVM with its exit status.
     *
     * @param args the command and its options
     */
    public static void main(String... args) {
        System.exit(commandLine().execute(args));
    }

    /** The commands, with how they fail. */
    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
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
}
