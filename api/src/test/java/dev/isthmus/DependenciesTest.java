// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.isthmus.ucx.UcpContext;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Dependencies run one way: cm knows verbs, all know internal, and internal knows none of them. */
@Tag("unit")
class DependenciesTest {

    private static final String VERBS = "dev.isthmus.verbs";
    private static final String CM = "dev.isthmus.cm..";
    private static final String UCX = "dev.isthmus.ucx..";
    private static final String LOOP = "dev.isthmus.loop..";
    private static final String BUFFERS = "dev.isthmus.buffers..";
    private static final String INTERNAL = "dev.isthmus.internal..";

    private static final JavaClasses LIBRARY = new ClassFileImporter().importPath(library());

    private static Path library() {
        try {
            return Path.of(UcpContext.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertKnowsNone(String of, String... others) {
        noClasses()
                .that()
                .resideInAPackage(of)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .check(LIBRARY);
    }

    /** It may use the exceptions of {@code dev.isthmus}, which verbs, cm and ucx share: it throws them. */
    @Test
    void shouldHaveInternalPackagesThatKnowNoneOfTheApi() {
        assertKnowsNone(INTERNAL, VERBS + "..", CM, UCX, LOOP, BUFFERS);
        assertKnowsNone("dev.isthmus", VERBS + "..", CM, UCX, LOOP, BUFFERS);
        assertKnowsNone(LOOP, VERBS + "..", CM, UCX, BUFFERS);
    }

    @Test
    void shouldHaveVerbsThatKnowNeitherCmNorUcx() {
        assertKnowsNone(VERBS + "..", CM, UCX, BUFFERS);
    }

    /**
     * The records that describe a device and a port. Verbs depends on them, so this package is not a feature package
     * but below all.
     */
    private static final String ATTRIBUTES = VERBS + ".attributes";

    /** The packages under verbs, one for each special feature. */
    private static Set<String> rooms() {
        Set<String> rooms = LIBRARY.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith(VERBS + ".") && !name.equals(ATTRIBUTES))
                .collect(Collectors.toCollection(TreeSet::new));
        assertTrue(rooms.contains(VERBS + ".exchange"), rooms::toString);
        return rooms;
    }

    @Test
    void shouldHaveAttributesThatKnowNoVerbs() {
        assertKnowsNone(ATTRIBUTES, VERBS);
        assertKnowsNone(ATTRIBUTES, rooms().toArray(String[]::new));
    }

    @Test
    void shouldHaveRoomsThatVerbsDoNotKnow() {
        assertKnowsNone(VERBS, rooms().toArray(String[]::new));
    }

    @Test
    void shouldHaveRoomsThatKnowVerbsButNotEachOther() {
        for (String room : rooms()) {
            String[] others =
                    rooms().stream().filter(other -> !other.equals(room)).toArray(String[]::new);
            assertKnowsNone(room, others);
        }
    }

    @Test
    void shouldHaveCmThatKnowsNoUcx() {
        assertKnowsNone(CM, UCX, BUFFERS);
    }

    @Test
    void shouldHaveUcxThatKnowsNeitherVerbsNorCm() {
        assertKnowsNone(UCX, VERBS + "..", CM, BUFFERS);
        assertKnowsNone("dev.isthmus.internal.ucx..", "dev.isthmus.internal.verbs..", "dev.isthmus.internal.cm..");
    }

    /**
     * The internal packages that all use and the exceptions count as one slice: an exception notifies the flight
     * recorder, and what calls C creates exceptions.
     */
    @Test
    void shouldHaveNoCirclesOfPackages() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        boolean shared = resideInAPackage("dev.isthmus")
                                .or(resideInAPackage("dev.isthmus.internal"))
                                .or(resideInAPackage("dev.isthmus.internal.jfr"))
                                .test(type);
                        return SliceIdentifier.of(shared ? "shared" : type.getPackageName());
                    }

                    @Override
                    public String getDescription() {
                        return "packages";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(LIBRARY);
    }

    /** They know WorkerCore; only the adapter of a loop calls a worker as programs do. */
    @Test
    void shouldHavePartsOfAUcpWorkerThatDoNotKnowIt() {
        noClasses()
                .that()
                .resideInAPackage(UCX)
                .and()
                .areNotPublic()
                .and()
                .doNotHaveSimpleName("LoopedWorker")
                .and()
                .areTopLevelClasses()
                .should()
                .dependOnClassesThat()
                .haveSimpleName("UcpWorker")
                .check(LIBRARY);
    }
}
