// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.isthmus.perf.bench.StartBenchmark;
import dev.isthmus.perf.process.Children;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What belongs to one package is nowhere else. */
@Tag("unit")
class PackagesTest {

    private static final String SUITE = Main.class.getPackageName();
    private static final String PROCESS = Children.class.getPackageName();

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .importPath(Path.of(Main.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .getPath()));

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
    void shouldHaveProcessesThatKnowNoCommand() {
        noClasses()
                .that()
                .resideInAPackage(PROCESS)
                .should()
                .dependOnClassesThat(resideInAPackage(SUITE + ".*..").and(not(resideInAPackage(PROCESS))))
                .check(CLASSES);
    }

    @Test
    void shouldHaveNoCircles() {
        slices().matching(SUITE + ".(*)..").should().beFreeOfCycles().check(CLASSES);
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
