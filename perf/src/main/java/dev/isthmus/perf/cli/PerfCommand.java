// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli;

import dev.isthmus.perf.bench.compare.CompareUcxCommand;
import dev.isthmus.perf.bench.direct.DirectCommand;
import dev.isthmus.perf.bench.instructions.InstructionsCommand;
import dev.isthmus.perf.tools.stream.StreamCommand;
import dev.isthmus.perf.tools.ucx.UcxCommand;
import picocli.CommandLine.Command;

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
            StreamCommand.class,
            UcxCommand.class,
            CompareUcxCommand.class
        })
final class PerfCommand {}
