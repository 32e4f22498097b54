// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.UnionLayout;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds out by reflection what a package that jextract generated says about C. */
final class BindingsFacts {

    /** The masks by which a caller says which members of a struct it knows, so that later ones can follow. */
    private static final Set<String> MASKS = Set.of("field_mask", "op_attr_mask", "comp_mask");

    private final List<Class<?>> headers;
    private final List<AbiFact> facts = new ArrayList<>();

    BindingsFacts(List<Class<?>> headers) {
        this.headers = headers;
    }

    /** What the same classes say on another processor: loaded anew, by a JVM that seems to run there. */
    static List<AbiFact> asOn(String processor, List<Class<?>> headers) {
        Linker.nativeLinker(); // for the processor that it really is
        String real = System.setProperty("os.arch", processor);
        URL[] code = {headers.getFirst().getProtectionDomain().getCodeSource().getLocation()};
        try (URLClassLoader loader = new URLClassLoader(code, ClassLoader.getPlatformClassLoader())) {
            List<Class<?>> anew = new ArrayList<>();
            for (Class<?> header : headers) {
                anew.add(Class.forName(header.getName(), true, loader));
            }
            return new BindingsFacts(anew).facts();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("cannot load the bindings anew", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            System.setProperty("os.arch", real);
        }
    }

    /** The C functions that a header class binds. */
    static Set<String> functions(Class<?> header) {
        return Arrays.stream(header.getMethods())
                .map(Method::getName)
                .filter(name -> name.endsWith("$descriptor"))
                .map(name -> name.substring(0, name.indexOf('$')))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    List<AbiFact> facts() {
        try {
            for (Class<?> type : classesBeside(headers.getFirst())) {
                addType(type);
            }
            for (Class<?> header : headers) {
                addScalars(header);
                addConstants(header);
                addFunctions(header);
            }
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("not what jextract generates", e);
        }
        return List.copyOf(facts);
    }

    private static List<Class<?>> classesBeside(Class<?> header) throws ReflectiveOperationException {
        List<Class<?>> classes = new ArrayList<>();
        for (String name : classNames(header)) {
            classes.add(Class.forName(header.getPackageName() + "." + name, true, header.getClassLoader()));
        }
        return classes;
    }

    private static List<String> classNames(Class<?> header) {
        try {
            URI code =
                    header.getProtectionDomain().getCodeSource().getLocation().toURI();
            Path folderOrJar = Path.of(code);
            if (Files.isDirectory(folderOrJar)) {
                return classNames(folderOrJar, header);
            }
            try (FileSystem jar = FileSystems.newFileSystem(folderOrJar)) {
                return classNames(jar.getPath("/"), header);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("unexpected place of " + header, e);
        }
    }

    private static List<String> classNames(Path root, Class<?> header) throws IOException {
        try (Stream<Path> files =
                Files.list(root.resolve(header.getPackageName().replace('.', '/')))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".class") && !name.contains("$") && !name.contains("-"))
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .sorted()
                    .toList();
        }
    }

    // struct X and union X are class X, a typedef of an unnamed one is class X_t or MPI_X; nested ones are its members.
    private void addType(Class<?> type) throws ReflectiveOperationException {
        Method method = layoutMethod(type);
        if (method == null) {
            return; // a header class or a callback
        }
        method.setAccessible(true);
        GroupLayout layout = (GroupLayout) method.invoke(null);
        String name = type.getSimpleName();
        String kind = layout instanceof UnionLayout ? "union " : "struct ";
        String cType = name.endsWith("_t") || name.startsWith("MPI_") ? name : kind + name;
        facts.add(new AbiFact("sizeof(" + cType + ")", layout.byteSize(), hasMask(layout)));
        add("_Alignof(" + cType + ")", layout.byteAlignment());
        addMembers(cType, "", layout, 0);
    }

    private static boolean hasMask(GroupLayout layout) {
        return layout.memberLayouts().stream()
                .anyMatch(member -> MASKS.contains(member.name().orElse("")));
    }

    private static Method layoutMethod(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Method method : c.getDeclaredMethods()) {
                if (method.getName().equals("layout") && method.getReturnType() == GroupLayout.class) {
                    return method;
                }
            }
        }
        return null;
    }

    private void addMembers(String cType, String prefix, GroupLayout group, long start) {
        long offset = start;
        for (MemoryLayout member : group.memberLayouts()) {
            addMember(cType, prefix, member, offset);
            if (!(group instanceof UnionLayout)) {
                offset += member.byteSize();
            }
        }
    }

    private void addMember(String cType, String prefix, MemoryLayout member, long offset) {
        if (member instanceof PaddingLayout) {
            return; // also what jextract cannot express, such as bit fields
        }
        String name = member.name().orElse("$anon");
        boolean anonymous = name.startsWith("$anon");
        String path = prefix + name;
        boolean flexible = member instanceof SequenceLayout array && array.elementCount() == 0;
        if (!anonymous) {
            add("offsetof(" + cType + ", " + path + ")", offset);
            if (!flexible) {
                add("sizeof(((" + cType + " *) 0)->" + path + ")", member.byteSize());
            }
        }
        if (member instanceof GroupLayout group) {
            addMembers(cType, anonymous ? prefix : path + ".", group, offset);
        } else if (!flexible
                && member instanceof SequenceLayout array
                && array.elementLayout() instanceof GroupLayout group) {
            addMembers(cType, path + "[0].", group, offset);
        }
    }

    // A typedef of a scalar is a static field; C_INT and its like are jextract's own.
    private void addScalars(Class<?> header) throws IllegalAccessException {
        for (Field field : header.getFields()) {
            if (MemoryLayout.class.isAssignableFrom(field.getType())
                    && !field.getName().startsWith("C_")) {
                MemoryLayout layout = (MemoryLayout) field.get(null);
                add("sizeof(" + field.getName() + ")", layout.byteSize());
            }
        }
    }

    // How many parameters a function has and how large its result is. A 0 passes for every scalar parameter, and the
    // parentheses keep macros of the same name out.
    private void addFunctions(Class<?> header) throws ReflectiveOperationException {
        for (String name : functions(header)) {
            Method method = header.getMethod(name + "$descriptor");
            FunctionDescriptor descriptor = (FunctionDescriptor) method.invoke(null);
            String zeros = String.join(
                    ", ", Collections.nCopies(descriptor.argumentLayouts().size(), "0"));
            descriptor
                    .returnLayout()
                    .ifPresent(result -> add("sizeof((" + name + ")(" + zeros + "))", result.byteSize()));
        }
    }

    // A constant is a static method without parameters, and so is a function without parameters.
    private void addConstants(Class<?> header) throws ReflectiveOperationException {
        Set<String> functions = functions(header);
        for (Method method : header.getMethods()) {
            String name = method.getName();
            if (!Modifier.isStatic(method.getModifiers())
                    || method.getParameterCount() != 0
                    || name.contains("$")
                    || functions.contains(name)) {
                continue;
            }
            addConstant(name, method.invoke(null));
        }
    }

    private void addConstant(String name, Object value) {
        switch (value) {
            // Perhaps unsigned in C, and then in Java a number with the same bits.
            case Integer i -> {
                add("(int) " + name, i);
                add("sizeof(" + name + ")", Integer.BYTES);
            }
            case Long l -> {
                add("(long) " + name, l);
                add("sizeof(" + name + ")", Long.BYTES);
            }
            case MemorySegment pointer when pointer.byteSize() == 0 -> add("(long) " + name, pointer.address());
            default -> throw new IllegalStateException("no way is known to compare the constant " + name);
        }
    }

    private void add(String expression, long value) {
        facts.add(new AbiFact(expression, value, false));
    }
}
