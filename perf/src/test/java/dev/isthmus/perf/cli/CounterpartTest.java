// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.tools.Counterpart;
import dev.isthmus.perf.tools.perftest.PerfTest;
import dev.isthmus.perf.tools.stream.StreamCommand;
import dev.isthmus.perf.tools.ucx.UcxCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** Each flag in the help of a program in C is here, too, or is known to be absent: none is merely forgotten. */
class CounterpartTest {

    /** What a line of help begins with. */
    private static final Pattern FLAGS = Pattern.compile("^\\s*(-\\w)?(, )?(--[\\w-]+)?.*");

    private static Set<String> flagsOf(String... command) throws IOException, InterruptedException {
        Process program = new ProcessBuilder(command).redirectErrorStream(true).start();
        String help = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        program.waitFor();
        Set<String> flags = new TreeSet<>();
        for (String line : help.lines().toList()) {
            Matcher found = FLAGS.matcher(line);
            if (found.matches()) {
                for (int group : new int[] {1, 3}) {
                    if (found.group(group) != null) {
                        flags.add(found.group(group));
                    }
                }
            }
        }
        assertTrue(flags.contains("-h"), help);
        return flags;
    }

    private static void assertKnown(CommandLine ours, Set<String> flags) {
        Counterpart counterpart = ours.getCommand();
        Set<String> here = ours.getCommandSpec().optionsMap().keySet();
        List<String> forgotten = new ArrayList<>();
        for (String flag : flags) {
            if (here.contains(flag) == counterpart.lacks(flag)) {
                forgotten.add(flag);
            }
        }
        assertEquals(List.of(), forgotten, "here and absent, or neither");
    }

    @Tag("device")
    @ParameterizedTest
    @EnumSource(PerfTest.class)
    void shouldKnowEachFlagOfPerftest(PerfTest test) throws Exception {
        assertKnown(PerftestCommand.named(test.command()).orElseThrow(), flagsOf(test.program(), "--help"));
    }

    @Tag("ucx")
    @Tag("system-ucx")
    @Tag("host")
    @Test
    void shouldKnowEachFlagOfUcxPerftest() throws Exception {
        assertKnown(new CommandLine(new UcxCommand()), flagsOf("ucx_perftest", "-h"));
    }

    @Tag("device")
    @Test
    void shouldKnowEachFlagOfRstream() throws Exception {
        Process program =
                new ProcessBuilder("rstream", "-h").redirectErrorStream(true).start();
        String usage = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Set<String> flags = Pattern.compile("(?<=\\[)-\\w")
                .matcher(usage)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
        assertTrue(flags.contains("-T"), usage);
        assertKnown(new CommandLine(new StreamCommand()), flags);
    }
}
