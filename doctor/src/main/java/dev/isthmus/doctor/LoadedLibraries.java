// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.mpi.Mpi;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcxVersion;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.GidType;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The libraries of this process, loaded as any program loads them. */
record LoadedLibraries(KernelFiles machine) implements Libraries {

    private static final Pattern RESOURCE = Pattern.compile("resource +[0-9]+ .* flags +\\S+ +(\\S+/\\S+)");

    @Override
    public String verbs() {
        try {
            Device.list();
        } catch (RdmaUnavailableException e) {
            if (version("libibverbs").isEmpty()) { // otherwise the library is there, but the kernel's part is not
                throw e;
            }
        }
        return rdmaCore("libibverbs");
    }

    @Override
    public boolean isGidOf(int interfaceIndex, String gid) {
        byte[] bytes = HexFormat.of().parseHex(gid.replace(":", ""));
        return new GidEntry(1, 0, Gid.of(bytes), GidType.ROCE_V2, interfaceIndex).isInThisNamespace();
    }

    @Override
    public String rdmaCm() {
        try {
            EventChannel.open().close();
        } catch (RdmaUnavailableException e) {
            if (version("librdmacm").isEmpty()) {
                throw e;
            }
        }
        return rdmaCore("librdmacm");
    }

    @Override
    public String ucx() {
        return "UCX " + UcxVersion.loaded();
    }

    @Override
    public List<String> ucxTransports() {
        try (var context = UcpContext.create()) {
            return RESOURCE.matcher(context.info())
                    .results()
                    .map(match -> match.group(1))
                    .toList();
        }
    }

    @Override
    public FoundMpi mpi() {
        String library = Mpi.library();
        String implementation =
                Mpi.libraryVersion().lines().findFirst().orElse("").replaceAll("\\s+", " ");
        return new FoundMpi(
                implementation.strip() + ": MPI " + Mpi.version() + ", ABI " + Mpi.abiVersion(),
                library,
                launcher(Path.of(library).resolveSibling("../bin")),
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                        .filter(folder -> !folder.isEmpty())
                        .map(folder -> launcher(Path.of(folder)))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null));
    }

    private static Path launcher(Path folder) {
        Path launcher = folder.resolve("mpiexec");
        try {
            return Files.isExecutable(launcher) ? launcher.toRealPath() : null;
        } catch (IOException e) { // it has gone
            return null;
        }
    }

    // libibverbs.so.1.14.44.0 comes from rdma-core 44.
    private String rdmaCore(String library) {
        String version = version(library);
        String[] parts = version.split("\\.", -1);
        return library + " " + version + (parts.length == 4 ? " (rdma-core " + parts[2] + ")" : "");
    }

    private String version(String library) {
        return machine.find("proc/self/maps", "/" + library + "\\.so\\.([0-9.]+)$");
    }
}
