// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.RdmaException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExitCodeGenerator;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** How commands report what went wrong, on standard error and by their exit status. */
public final class CommandFailures {

    /** Failures outside this program: reported in one line, without a stack trace. */
    private static final List<Class<? extends Exception>> EXPECTED =
            List.of(RdmaException.class, IOException.class, IllegalArgumentException.class);

    private CommandFailures() {}

    /** Has commands report failures as this class does. An exception that has an exit status of its own decides it. */
    public static CommandLine reportedBy(CommandLine commands) {
        return commands.setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((e, words) -> explain(e))
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    String name = command.getCommandSpec().name();
                    if (EXPECTED.stream().anyMatch(expected -> expected.isInstance(e))) {
                        command.getErr().println(name + ": " + e.getMessage());
                    } else {
                        e.printStackTrace(command.getErr());
                    }
                    return e instanceof IExitCodeGenerator own ? own.getExitCode() : CommandLine.ExitCode.SOFTWARE;
                });
    }

    /**
     * Prints one line that says what is wrong and where to look; the whole help after it would push it out of sight. Returns
     * the exit status.
     */
    public static int explain(ParameterException e) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        PrintWriter err = e.getCommandLine().getErr();
        err.println(command.name() + ": " + e.getMessage());
        UnmatchedArgumentException.printSuggestions(e, err);
        err.println("Try: " + command.qualifiedName() + " --help");
        return CommandLine.ExitCode.USAGE;
    }
}
