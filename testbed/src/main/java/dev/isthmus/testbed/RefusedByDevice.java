// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * Ends a test whose device lacks what the test is about, once the test has seen that the refusal is what it must be. Such a
 * test has neither passed nor failed: {@link TierRunner} counts it apart, and compares its name and reason with what is
 * stated of the device. Nothing else makes a test count as refused.
 *
 * <pre>
 * var e = assertThrows(VerbsException.class, context::allocateThreadDomain);
 * throw RefusedByDevice.saying(e, "ibv_alloc_td(rxe0): EOPNOTSUPP (95): this device or its driver does not support it");
 * </pre>
 */
public final class RefusedByDevice extends TestAbortedException {

    private static final long serialVersionUID = 1;

    private static final Pattern MESSAGE = Pattern.compile("(\\w+)\\(.*\\): (E\\w+) \\(\\d+\\).*", Pattern.DOTALL);

    private RefusedByDevice(String reason, Throwable cause) {
        super(reason, cause);
    }

    /**
     * The device refused a call.
     *
     * @param refusal what the call threw
     * @param message the whole message that it must have: {@code call(arguments): ERRNO (number): help}
     * @return what the test throws
     * @throws AssertionFailedError when the message is another
     */
    public static RefusedByDevice saying(RuntimeException refusal, String message) {
        Matcher parts = MESSAGE.matcher(message);
        if (!parts.matches()) {
            throw new IllegalArgumentException("not a call, an error and what helps: " + message);
        }
        if (!message.equals(refusal.getMessage())) {
            throw new AssertionFailedError(
                    "another refusal than expected: " + refusal.getMessage(), message, refusal.getMessage(), refusal);
        }
        return new RefusedByDevice(parts.group(1) + ": " + parts.group(2), refusal);
    }

    /**
     * The end of a test whose device refuses a call by a message whose middle does not matter, or changes each time.
     *
     * @param refusal what the call threw
     * @param beginning how its message must begin: {@code call(arguments}
     * @param end how it must end: {@code ): ERRNO (number): help}
     * @return what the test throws
     * @throws AssertionFailedError when the message is another
     */
    public static RefusedByDevice saying(RuntimeException refusal, String beginning, String end) {
        String is = refusal.getMessage();
        boolean fits = is.startsWith(beginning)
                && is.endsWith(end)
                && end.startsWith("): ")
                && is.length() >= beginning.length() + end.length();
        return saying(refusal, fits ? is : beginning + " ... " + end);
    }

    /**
     * The device refused in another way than by a failed call, for example by the status of a completion.
     *
     * @param what the C function that began it
     * @param answer what the device did, in a word or a few, without what differs from run to run
     * @return what the test throws
     */
    public static RefusedByDevice by(String what, String answer) {
        return new RefusedByDevice(what + ": " + answer, null);
    }
}
