// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Loads the library and this suite again, so that the JIT has no profile of them: docs/instructions.md, "How it
 * counts".
 */
final class OwnClasses extends ClassLoader {

    private static final String ISTHMUS = "dev.isthmus.";

    private OwnClasses() {
        super(OwnClasses.class.getClassLoader());
    }

    /** Measures rows at a place, each with new classes. The program's arguments are the place and the rows. */
    @SuppressWarnings("unchecked") // they are the program's own class again
    static void measure(Class<? extends BiConsumer<String, String>> program, String... args)
            throws ReflectiveOperationException {
        for (String spec : List.of(args).subList(1, args.length)) {
            Class<?> again = new OwnClasses().loadClass(program.getName());
            ((BiConsumer<String, String>) again.getConstructor().newInstance()).accept(args[0], spec);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(ISTHMUS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? load(name) : loaded;
        }
    }

    private Class<?> load(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
