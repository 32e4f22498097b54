// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.isthmus.perf.bench.jmh.StartBenchmark;
import dev.isthmus.perf.cli.Main;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each package says what its classes are for, and depends only on those below it. */
@Tag("unit")
class PackagesTest {

    private static final String SUITE = PackagesTest.class.getPackageName();
    private static final String PROCESS = SUITE + ".process";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .importPath(Path.of(Main.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .getPath()));

    /** Each package is a slice, and those of the packages inside it are others. */
    private static final SliceAssignment PACKAGES = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass one) {
            return one.getPackageName().startsWith(SUITE)
                    ? SliceIdentifier.of(one.getPackageName())
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    };

    @Test
    void shouldDependOnLowerLayersOnly() {
        layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage(SUITE + "..")
                .layer("common")
                .definedBy(SUITE + ".common")
                .layer("process")
                .definedBy(PROCESS)
                .layer("tools")
                .definedBy(SUITE + ".tools..")
                .layer("bench")
                .definedBy(SUITE + ".bench..")
                .layer("cli")
                .definedBy(SUITE + ".cli..")
                .whereLayer("common")
                .mayNotAccessAnyLayer()
                .whereLayer("process")
                .mayOnlyAccessLayers("common")
                .whereLayer("tools")
                .mayOnlyAccessLayers("common", "process")
                .whereLayer("bench")
                .mayOnlyAccessLayers("common", "process", "tools")
                .ensureAllClassesAreContainedInArchitectureIgnoring(SUITE + ".bench.jmh.jmh_generated")
                .check(CLASSES);
    }

    @Test
    void shouldHaveNoCircles() {
        slices().assignedFrom(PACKAGES).should().beFreeOfCycles().check(CLASSES);
        slices().matching(SUITE + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void shouldStartProcessesInOnePackage() {
        noClasses()
                .that()
                .resideOutsideOfPackage(PROCESS)
                .and()
                .doNotHaveFullyQualifiedName(StartBenchmark.class.getName()) // it measures a start
                .should()
                .accessClassesThat()
                .areAssignableTo(ProcessBuilder.class)
                .check(CLASSES);
    }

    @Test
    void shouldHaveNoClassNameTwice() {
        Map<String, List<String>> names = CLASSES.stream()
                .filter(each -> each.isTopLevelClass() && each.getPackageName().startsWith(SUITE))
                .filter(each -> !each.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName, Collectors.mapping(JavaClass::getName, Collectors.toList())));
        assertTrue(names.containsKey("Main"), names::toString);
        names.values().removeIf(same -> same.size() == 1);
        assertEquals(Map.of(), names);
    }
}
