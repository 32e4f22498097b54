package dev.isthmus.perf.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class SendLatOptionsTest {

    private static SendLatOptions defaults() {
        return SendLatOptions.on("rxe0", Optional.empty());
    }

    @Test
    void shouldHaveTheDefaultsOfTheCProgram() {
        assertEquals(2, defaults().bytes());
        assertEquals(1000, defaults().iterations());
        assertEquals(512, defaults().receiveDepth());
        assertEquals(18515, defaults().tcpPort());
    }

    @Test
    void shouldPostNoMoreReceivesThanMessagesButAnEvenNumber() {
        var few = new SendLatOptions(
                Optional.empty(),
                1,
                OptionalInt.empty(),
                Optional.empty(),
                2,
                7,
                512,
                18515,
                OptionalInt.empty(),
                Optional.empty());
        assertEquals(8, few.receiveDepth());
        assertEquals(512, defaults().messages(8, 5000).receiveDepth());
    }

    @Test
    void shouldRefuseWhatIsOutOfRange() {
        assertThrows(IllegalArgumentException.class, () -> defaults().messages(0, 100));
        assertThrows(IllegalArgumentException.class, () -> defaults().messages(SendLatOptions.MAX_BYTES + 1, 100));
        assertThrows(IllegalArgumentException.class, () -> defaults().messages(8, 4));
        assertThrows(IllegalArgumentException.class, () -> defaults().port(65536));
        assertThrows(IllegalArgumentException.class, () -> defaults().gid(-1));
    }
}
