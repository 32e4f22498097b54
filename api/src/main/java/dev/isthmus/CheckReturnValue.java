// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method whose result says how the call ended, for example that a post found the queue full. Ignoring the
 * result is a mistake. Error Prone and IntelliJ IDEA recognise an annotation of this simple name, and report callers
 * that do so.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface CheckReturnValue {}
