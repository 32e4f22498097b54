package dev.isthmus.perf;

import dev.isthmus.perf.bench.DataPathCommand;
import picocli.CommandLine.Command;

/** {@code isthmus perf}: what it can run. */
@Command(
        name = "perf",
        description = "Latency tools and benchmarks that are held against the C tools.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {SendLatCommand.class, JmhCommand.class, DataPathCommand.class})
final class PerfCommand {}
