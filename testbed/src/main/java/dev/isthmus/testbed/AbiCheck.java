// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Compares generated bindings with the C headers and libraries that they stand for: the size, alignment and members of
 * every struct and union, the size of every scalar type, the value of every constant, and the symbol of every function.
 *
 * <p>Headers of a later release than the bindings were generated from may have more at the end of structs that are made
 * for it: those in which the caller says by a mask which members it knows. Everything else must still be the same.
 */
public final class AbiCheck {

    private final List<String> includes;
    private final List<Class<?>> headers;
    private final HeaderRelease madeFrom;
    private final Set<String> growing;

    /**
     * Bindings to check.
     *
     * @param includes the C headers that they were generated from, as {@code #include} names them
     * @param headers the header classes, all of one package
     * @param madeFrom the release of those headers
     * @param growing expressions of C, besides the sizes of structs with a mask, that later releases make larger
     */
    public AbiCheck(List<String> includes, List<Class<?>> headers, HeaderRelease madeFrom, Set<String> growing) {
        this.includes = List.copyOf(includes);
        this.headers = List.copyOf(headers);
        this.madeFrom = madeFrom;
        this.growing = Set.copyOf(growing);
    }

    /** What the bindings say about C on this machine. */
    public List<AbiFact> facts() {
        return judged(new BindingsFacts(headers).facts());
    }

    /**
     * Compiles and runs a program that prints what C says.
     *
     * @return a line for each fact on which C and the bindings differ
     */
    public List<String> mismatches() {
        List<AbiFact> facts = facts();
        StringBuilder source = new StringBuilder(preamble()).append("#include <stdio.h>\nint main(void) {\n");
        for (AbiFact fact : facts) {
            source.append("printf(\"%lld\\n\", (long long)(")
                    .append(fact.expression())
                    .append("));\n");
        }
        List<String> answers;
        try (CProgram program = CProgram.compile(source.append("return 0;\n}\n").toString())) {
            answers = program.run();
        }
        if (answers.size() != facts.size()) {
            throw new IllegalStateException(facts.size() + " questions, " + answers.size() + " answers");
        }
        List<String> mismatches = new ArrayList<>();
        for (int i = 0; i < facts.size(); i++) {
            AbiFact fact = facts.get(i);
            if (!fact.allows(Long.parseLong(answers.get(i)))) {
                mismatches.add(fact.expression() + " is " + answers.get(i) + " in C, " + fact.value() + " in Java");
            }
        }
        return mismatches;
    }

    /**
     * Compiles what the bindings say on a processor as static assertions for that processor.
     *
     * @param processor as Java's {@code os.arch} names it
     * @param folders the folders that the headers stand in, below the machine's include folder
     * @throws IllegalStateException if the compiler disagrees, with what it says
     */
    public void assertOn(String processor, String... folders) {
        StringBuilder source = new StringBuilder(preamble());
        judged(BindingsFacts.asOn(processor, headers)).forEach(fact -> source.append(fact.assertion()));
        CProgram.check(processor, source.toString(), folders);
    }

    /** The functions that a header class binds and a shared library does not have. */
    public static List<String> missingFunctions(Class<?> header, String soname) {
        SymbolLookup symbols = lookup(soname);
        return BindingsFacts.functions(header).stream()
                .filter(name -> symbols.find(name).isEmpty())
                .toList();
    }

    // On the release from which the bindings were made, nothing may be larger.
    private List<AbiFact> judged(List<AbiFact> facts) {
        if (!madeFrom.isBeforeThisMachines()) {
            return facts.stream().map(AbiFact::exact).toList();
        }
        return facts.stream()
                .map(fact -> growing.contains(fact.expression()) ? fact.orMore() : fact)
                .toList();
    }

    @SuppressWarnings("restricted")
    private static SymbolLookup lookup(String soname) {
        return SymbolLookup.libraryLookup(soname, Arena.global());
    }

    private String preamble() {
        StringBuilder source = new StringBuilder("#include <stddef.h>\n");
        includes.forEach(header -> source.append("#include <").append(header).append(">\n"));
        return source.toString();
    }
}
