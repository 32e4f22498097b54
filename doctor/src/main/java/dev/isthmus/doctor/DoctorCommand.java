// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Says what this machine lacks for each part of the library, and how to fix it. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Says what this machine lacks for each part of the library, and what to type;",
            "with --pid, what a program's JVM lacks for sockets over RDMA."
        },
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:the requested parts work", "1:one of them lacks something", "2:the command line is wrong"})
public final class DoctorCommand implements Callable<Integer> {

    @Option(
            names = "--for",
            split = ",",
            paramLabel = "PART",
            description = {
                "parts that decide the exit status: ${COMPLETION-CANDIDATES}",
                "(default: all; with --pid, sockets, which need verbs and rdma_cm)"
            })
    private Set<Part> parts;

    @Option(
            names = "--pid",
            paramLabel = "PID",
            description =
                    "also check a running JVM: whether its sockets can use RDMA, and what to add to its command line")
    private Long pid;

    @Option(names = "--json", description = "print the findings as JSON")
    private boolean json;

    @Spec
    private CommandSpec spec;

    /** For picocli. */
    public DoctorCommand() {}

    @Override
    public Integer call() throws IOException {
        var machine = new KernelFiles(Path.of("/"));
        if (parts == null) {
            parts = pid == null ? EnumSet.allOf(Part.class) : EnumSet.of(Part.SOCKETS);
        } else if (pid == null && parts.contains(Part.SOCKETS)) {
            throw new ParameterException(spec.commandLine(), "sockets belong to a JVM: name its process with --pid");
        }
        Findings findings = examine(machine, new LoadedLibraries(machine), new File("/dev/shm").getUsableSpace());
        if (pid != null) {
            try {
                new SocketsCheck(machine, findings, RunningJvm.attach(pid)).look();
            } catch (IOException e) {
                findings.missing(Part.SOCKETS, e.getMessage(), "name a JVM of this user, or be root");
            }
        }
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
    static Findings examine(KernelFiles machine, Libraries libraries, long sharedMemoryBytes) {
        var findings = new Findings();
        JvmCheck.look(findings, Runtime.version(), JvmCheck.barrier());
        new VerbsCheck(machine, findings).look(libraries);
        MemoryCheck.look(machine, findings, sharedMemoryBytes);
        ConnectionCheck.look(machine, findings, libraries);
        UcxCheck.look(machine, findings, libraries);
        return findings;
    }

    /** What was found of one part, in the order of JSON's fields. */
    record PartReport(Part part, boolean works, List<Finding> findings) {}

    /** Those of the examined parts. */
    private static List<PartReport> reports(Findings findings) {
        return Stream.of(Part.values())
                .filter(part -> !findings.of(part).isEmpty())
                .map(part -> new PartReport(part, findings.works(part), findings.of(part)))
                .toList();
    }

    /**
     * What doctor prints for people.
     *
     * @param json what it has printed for programs, with {@code --json}
     * @return lines of text
     * @throws IOException if this is no such JSON
     */
    public static String text(String json) throws IOException {
        var text = new StringWriter();
        print(new PrintWriter(text), List.of(new ObjectMapper().readValue(json, PartReport[].class)));
        return text.toString();
    }

    /** Prints the findings for people. */
    static void print(PrintWriter out, Findings findings) {
        print(out, reports(findings));
    }

    private static void print(PrintWriter out, List<PartReport> reports) {
        for (PartReport report : reports) {
            out.print(report.part().title() + (report.works() ? ": works\n" : ": does not work\n"));
            for (Finding finding : report.findings()) {
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

    /** Prints the findings for programs: a list of parts. */
    static void printJson(PrintWriter out, Findings findings) throws IOException {
        out.println(
                new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(reports(findings)));
    }
}
