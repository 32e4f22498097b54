// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import dev.isthmus.perf.instructions.InstructionsCommand;
import dev.isthmus.perf.stream.StreamCommand;
import dev.isthmus.perf.ucx.CompareUcxCommand;
import dev.isthmus.perf.ucx.UcxCommand;
import picocli.CommandLine.Command;

/** {@code isthmus perf}: what it can run. */
@Command(
        name = "perf",
        description = "perftest's tools, and benchmarks that are held against the C tools.",
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
