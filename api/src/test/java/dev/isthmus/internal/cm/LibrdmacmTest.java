// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.bindings.ibverbs.rdma_cma_h;
import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.FunctionDescriptor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class LibrdmacmTest {

    @Test
    void shouldHaveTheSignaturesOfTheHeader() throws ReflectiveOperationException {
        int checked = 0;
        for (Field field : Librdmacm.class.getDeclaredFields()) {
            if (field.getType() == NativeFunction.class && Modifier.isPublic(field.getModifiers())) {
                var function = (NativeFunction) field.get(null);
                var generated = (FunctionDescriptor) rdma_cma_h
                        .class
                        .getMethod(function.name() + "$descriptor")
                        .invoke(null);
                assertEquals(generated.toMethodType(), function.descriptor().toMethodType(), function.name());
                checked++;
            }
        }
        assertTrue(checked >= 30, "checked " + checked);
    }
}
