// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method whose result says what became of the call, such as a post that found the queue full: to ignore it is a
 * mistake. Error Prone and IntelliJ IDEA know an annotation by this simple name, and report calls that do.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface CheckReturnValue {}
