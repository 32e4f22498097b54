// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.doctor;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Says what this machine lacks for which part of the library, and what mends it. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Says what this machine lacks for which part of the library, and what to type.",
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:the parts asked for work", "1:one of them lacks something", "2:the command line is wrong"})
public final class DoctorCommand implements Callable<Integer> {

    @Option(
            names = "--for",
            split = ",",
            paramLabel = "PART",
            description = "the parts that the exit status is about: ${COMPLETION-CANDIDATES} (default: all)")
    private Set<Part> parts = EnumSet.allOf(Part.class);

    @Option(names = "--json", description = "print the findings as JSON")
    private boolean json;

    @Spec
    private CommandSpec spec;

    /** Made by picocli. */
    public DoctorCommand() {}

    @Override
    public Integer call() throws IOException {
        var machine = new Machine(Path.of("/"));
        Findings findings = examine(machine, new LoadedLibraries(machine), new File("/dev/shm").getUsableSpace());
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            printJson(out, findings);
        } else {
            print(out, findings);
        }
        out.flush();
        return parts.stream().allMatch(findings::works) ? 0 : 1;
    }

    /** Looks at everything. */
    static Findings examine(Machine machine, Libraries libraries, long sharedMemoryBytes) {
        var findings = new Findings();
        JvmCheck.look(findings, Runtime.version(), JvmCheck.barrier());
        new VerbsCheck(machine, findings).look(libraries);
        MemoryCheck.look(machine, findings, sharedMemoryBytes);
        ConnectionCheck.look(machine, findings, libraries);
        UcxCheck.look(findings, libraries);
        return findings;
    }

    /** For people. */
    static void print(PrintWriter out, Findings findings) {
        for (Part part : Part.values()) {
            out.print(part.title() + (findings.works(part) ? ": works\n" : ": does not work\n"));
            for (Finding finding : findings.of(part)) {
                String mark = switch (finding.level()) {
                    case GOOD -> "  ok    ";
                    case NOTE -> "  note  ";
                    case MISSING -> "  FIX   ";
                };
                out.print(mark + finding.what() + "\n");
                if (!finding.mend().isEmpty()) {
                    out.print("        -> " + finding.mend() + "\n");
                }
            }
        }
    }

    /** One part as JSON has it. */
    record PartReport(Part part, boolean works, List<Finding> findings) {}

    /** For programs: a list of parts. */
    static void printJson(PrintWriter out, Findings findings) throws IOException {
        var reports = EnumSet.allOf(Part.class).stream()
                .map(part -> new PartReport(part, findings.works(part), findings.of(part)))
                .toList();
        out.println(
                new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(reports));
    }
}
