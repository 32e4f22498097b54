// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
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
                "(default: jvm, verbs, rdma_cm and ucx; with --pid, sockets, which need verbs and rdma_cm)"
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
            parts = pid == null ? EnumSet.range(Part.JVM, Part.UCX) : EnumSet.of(Part.SOCKETS);
        } else if (pid == null && parts.contains(Part.SOCKETS)) {
            throw new ParameterException(spec.commandLine(), "sockets belong to a JVM: name its process with --pid");
        }
        Map<Part, Findings> findings =
                examine(machine, new LoadedLibraries(machine), new File("/dev/shm").getUsableSpace());
        if (pid != null) {
            var sockets = new Findings(Part.SOCKETS);
            findings.put(Part.SOCKETS, sockets);
            try {
                new SocketsCheck(machine, sockets, RunningJvm.attach(pid))
                        .look(findings.get(Part.VERBS).works()
                                && findings.get(Part.RDMA_CM).works());
            } catch (IOException e) {
                sockets.missing(e.getMessage(), "name a JVM of this user, or be root");
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            printJson(out, findings);
        } else {
            print(out, findings);
        }
        out.flush();
        return parts.stream().allMatch(part -> findings.get(part).works()) ? 0 : 1;
    }

    /** Looks at everything but another JVM. */
    static Map<Part, Findings> examine(KernelFiles machine, Libraries libraries, long sharedMemoryBytes) {
        var jvm = new Findings(Part.JVM);
        JvmCheck.look(jvm, Runtime.version(), JvmCheck.barrier());
        var verbs = new Findings(Part.VERBS);
        new VerbsCheck(machine, verbs).look(libraries);
        MemoryCheck.lockedMemory(machine, verbs, "proc/self");
        MemoryCheck.hugePages(machine, verbs);
        var cm = new Findings(Part.RDMA_CM);
        ConnectionCheck.look(machine, cm, libraries, verbs.works());
        var ucx = new Findings(Part.UCX);
        MemoryCheck.sharedMemory(ucx, sharedMemoryBytes);
        UcxCheck.look(machine, ucx, libraries, verbs.works());
        var mpi = new Findings(Part.MPI);
        MpiCheck.look(mpi, libraries);
        return new EnumMap<>(Map.of(Part.JVM, jvm, Part.VERBS, verbs, Part.RDMA_CM, cm, Part.UCX, ucx, Part.MPI, mpi));
    }

    /** What was found of one part, in the order of JSON's fields. */
    record PartReport(Part part, boolean works, List<Finding> findings) {}

    private static List<PartReport> reports(Map<Part, Findings> findings) {
        return findings.entrySet().stream()
                .map(one -> new PartReport(
                        one.getKey(), one.getValue().works(), one.getValue().list()))
                .toList();
    }

    /** What doctor prints for people, of what it has printed for programs. */
    public static String text(String json) throws IOException {
        var text = new StringWriter();
        print(new PrintWriter(text), List.of(new ObjectMapper().readValue(json, PartReport[].class)));
        return text.toString();
    }

    /** Prints the findings for people. */
    static void print(PrintWriter out, Map<Part, Findings> findings) {
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
    static void printJson(PrintWriter out, Map<Part, Findings> findings) throws IOException {
        out.println(
                new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(reports(findings)));
    }
}
