// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Queue pairs are found by their numbers. */
@Tag("unit")
class NumberTableTest {

    @Test
    void shouldDoAsAMapDoes() {
        var random = new SplittableRandom(42);
        var table = new NumberTable<Object>();
        Map<Integer, Object> map = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            int number = 1 + random.nextInt(i < 100_000 ? 3000 : 30);
            Object object = map.get(number);
            if (object == null || random.nextInt(4) == 0) {
                object = new Object();
                table.add(number, object);
                map.put(number, object);
            } else {
                table.remove(number, new Object()); // is not it
                table.remove(number, object);
                map.remove(number);
            }
            int other = random.nextInt(3100);
            assertEquals(map.get(other), table.find(other));
        }
        for (int number = 0; number < 3100; number++) {
            assertEquals(map.get(number), table.find(number));
        }
        assertNull(table.find(-1));
    }

    @Test
    void shouldFindWhatStaysWhileOthersComeAndGo() throws InterruptedException {
        var table = new NumberTable<String>();
        table.add(17, "stays");
        var failed = new AtomicBoolean();
        var finished = new AtomicBoolean();
        var reader = new Thread(() -> {
            while (!finished.get()) {
                if (!"stays".equals(table.find(17))) {
                    failed.set(true);
                }
            }
        });
        reader.start();
        for (int round = 0; round < 50; round++) {
            for (int number = 18; number < 1000; number++) {
                table.add(number, "comes");
            }
            for (int number = 18; number < 1000; number++) {
                table.remove(number, "comes");
            }
        }
        finished.set(true);
        reader.join();
        assertEquals(false, failed.get());
    }
}
