// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import dev.isthmus.perf.compare.CompareUcxCommand;
import dev.isthmus.perf.instructions.InstructionsCommand;
import dev.isthmus.perf.stream.StreamCommand;
import dev.isthmus.perf.ucx.UcxCommand;
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
            StreamCommand.class,
            UcxCommand.class,
            CompareUcxCommand.class
        })
final class PerfCommand {}
