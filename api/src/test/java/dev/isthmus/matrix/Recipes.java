// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * What a matrix makes calls on, and with: objects by their class, and arguments by the type of the parameter, or by its
 * type and name. A class or type without a recipe is reported by {@link #missing}.
 *
 * @param <S> what has the objects
 */
final class Recipes<S> {

    /** An object of a name. */
    private record Named<S>(String name, Function<S, ?> object) {}

    /** A call on one object; without a receiver, the name is empty. */
    record Attempt<S>(Call call, String on, Function<S, ?> receiver, List<Function<S, ?>> arguments) {

        /** Creates what the call needs, where that is possible: not inside of a handler. */
        void prepare(S scene) {
            object(scene);
            arguments(scene);
        }

        /** Makes the call. */
        Object make(S scene) throws Throwable {
            return call.invoke(object(scene), arguments(scene));
        }

        private Object object(S scene) {
            return receiver.apply(scene);
        }

        private Object[] arguments(S scene) {
            return arguments.stream().map(argument -> argument.apply(scene)).toArray();
        }

        /** Such as {@code UcpEndpoint(one).flush()}. */
        @Override
        public String toString() {
            String[] parts = call.toString().split("\\.", 2);
            return parts[0] + (on.isEmpty() ? "" : "(" + on + ")") + "." + parts[1];
        }
    }

    @SuppressWarnings("ReferenceEquality") // a handler equals itself only
    private static final InvocationHandler DOES_NOTHING = (proxy, method, args) -> switch (method.getName()) {
        case "toString" -> "does nothing";
        case "equals" -> proxy == args[0];
        case "hashCode" -> 0;
        default -> null;
    };

    private final String where;
    private final Map<Class<?>, List<Named<S>>> objects = new LinkedHashMap<>();
    private final Map<String, Function<S, ?>> arguments = new LinkedHashMap<>();

    /**
     * None as yet, but for those of the JDK's types.
     *
     * @param where the place to add one, for messages
     */
    Recipes(String where) {
        this.where = where;
        argument(boolean.class, "", s -> false);
        argument(int.class, "", s -> 0);
        argument(long.class, "", s -> 8L);
        argument(double.class, "", s -> 0.5);
        argument(String.class, "", s -> "x");
        argument(Object.class, "", s -> "x");
        argument(Thread.class, "", s -> Thread.currentThread());
        argument(Duration.class, "", s -> Duration.ofMillis(1));
        argument(Collection.class, "", s -> List.of());
        argument(List.class, "", s -> List.of());
        argument(Set.class, "", s -> Set.of());
        argument(ReentrantLock.class, "", s -> new ReentrantLock());
    }

    /** An object on which all calls of its class are made. The first of a class is also the argument of that type. */
    <T> Recipes<S> object(Class<T> type, String name, Function<S, ? extends T> object) {
        objects.computeIfAbsent(type, t -> new ArrayList<>()).add(new Named<>(name, object));
        return this;
    }

    /** The argument for all parameters of a type or, if the name is not empty, of a type and a name. */
    <T> Recipes<S> argument(Class<T> type, String name, Function<S, ? extends T> value) {
        arguments.put(type.getName() + " " + name, value);
        return this;
    }

    /** What some calls lack, with what to do about it. */
    List<String> missing(List<Call> calls) {
        var missing = new TreeSet<String>();
        for (Call call : calls) {
            if (call.hasReceiver() && !objects.containsKey(call.type())) {
                missing.add("no object of " + call.type().getName() + ": add one to " + where);
            }
            for (Parameter parameter : call.executable().getParameters()) {
                if (argument(parameter) == null) {
                    missing.add("no argument of type " + parameter.getType().getName() + ", as for "
                            + parameter.getName() + " of " + call + ": add one to " + where);
                }
            }
        }
        return List.copyOf(missing);
    }

    /** A call on each object of its class. */
    List<Attempt<S>> attempts(Call call) {
        List<Function<S, ?>> with = new ArrayList<>();
        for (Parameter parameter : call.executable().getParameters()) {
            with.add(argument(parameter));
        }
        if (!call.hasReceiver()) {
            return List.of(new Attempt<>(call, "", s -> null, with));
        }
        return objects.get(call.type()).stream()
                .map(named -> new Attempt<>(call, named.name, named.object, with))
                .toList();
    }

    private Function<S, ?> argument(Parameter parameter) {
        Class<?> type = parameter.getType();
        Function<S, ?> known = arguments.get(type.getName() + " " + parameter.getName());
        if (known == null) {
            known = arguments.get(type.getName() + " ");
        }
        if (known == null && objects.containsKey(type)) {
            known = objects.get(type).getFirst().object;
        }
        return known != null ? known : made(type);
    }

    /** Null if there is none. */
    private static <S> Function<S, ?> made(Class<?> type) {
        if (type.isEnum()) {
            return s -> type.getEnumConstants()[0];
        }
        if (type.isArray()) {
            return s -> Array.newInstance(type.getComponentType(), 0);
        }
        boolean isHandler = type.isInterface() && !type.isSealed();
        return isHandler
                ? s -> Proxy.newProxyInstance(Recipes.class.getClassLoader(), new Class<?>[] {type}, DOES_NOTHING)
                : null;
    }
}
