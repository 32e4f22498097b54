// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** Plans and results as command lines give them. */
final class UcxPlans {

    private UcxPlans() {}

    static UcxOptions options(String line) {
        var options = new UcxOptions();
        new CommandLine(CommandLine.Model.CommandSpec.create()
                        .addMixin("flags", CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
                .parseArgs(line.split(" "));
        return options;
    }

    static UcxPlan of(String line) {
        return options(line).plan();
    }

    /** What a run prints. */
    static String printed(String line, UcxResult... results) {
        var text = new StringWriter();
        UcxOptions options = options(line);
        UcxConsole console = options.console(new PrintWriter(text));
        console.begin(options.plan());
        for (int i = 0; i < results.length; i++) {
            console.report(results[i], i == results.length - 1);
        }
        return text.toString();
    }
}
