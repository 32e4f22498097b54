// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The jar that users add to their clusters has the shuffle, and nothing else. */
@Tag("unit")
class EntryPointsTest {

    @Test
    void shouldNeedEveryClassOfTheJar() {
        JavaClasses all = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackagesOf(UcxShufflePlugin.class);
        Set<String> needed = Stream.of(UcxShufflePlugin.class, UcxShuffleManager.class)
                .map(all::get)
                .flatMap(entry -> Stream.concat(
                        Stream.of(entry),
                        entry.getTransitiveDependenciesFromSelf().stream().map(Dependency::getTargetClass)))
                .map(one -> one.getBaseComponentType().getName())
                .collect(Collectors.toSet());
        List<String> others = all.stream()
                .map(JavaClass::getName)
                .filter(name -> !name.endsWith("package-info") && !needed.contains(name))
                .sorted()
                .toList();
        assertEquals(List.of(), others);
    }
}
