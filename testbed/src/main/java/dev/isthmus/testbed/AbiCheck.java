package dev.isthmus.testbed;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds generated bindings against the C headers and libraries that they stand for: the size, alignment and members of
 * every struct and union, the size of every scalar type, the value of every constant, and the symbol of every function.
 */
public final class AbiCheck {

    private final List<String> includes;
    private final List<Class<?>> headers;

    /**
     * Bindings to check.
     *
     * @param includes the C headers that they were generated from, as {@code #include} names them
     * @param headers the header classes, all of one package
     */
    public AbiCheck(List<String> includes, List<Class<?>> headers) {
        this.includes = List.copyOf(includes);
        this.headers = List.copyOf(headers);
    }

    /** What the bindings say about C on this machine. */
    public List<AbiFact> facts() {
        return new BindingsFacts(headers).facts();
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
            if (fact.value() != Long.parseLong(answers.get(i))) {
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
        for (AbiFact fact : BindingsFacts.asOn(processor, headers)) {
            source.append("_Static_assert((long long)(")
                    .append(fact.expression())
                    .append(") == ")
                    .append(fact.literal())
                    .append(", \"Java has ")
                    .append(fact.value())
                    .append("\");\n");
        }
        CProgram.check(processor, source.toString(), folders);
    }

    /** The functions that a header class binds and a shared library does not have. */
    public static List<String> missingFunctions(Class<?> header, String soname) {
        SymbolLookup symbols = lookup(soname);
        return BindingsFacts.functions(header).stream()
                .filter(name -> symbols.find(name).isEmpty())
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
