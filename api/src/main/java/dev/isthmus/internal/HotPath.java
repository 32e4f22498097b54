// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of the data path. It allocates nothing in steady state, takes no lock, logs nothing, and every
 * check on it is a plain field test. A benchmark with the GC profiler holds these methods at 0 B per call.
 */
@Retention(RetentionPolicy.SOURCE)
@Target({ElementType.METHOD, ElementType.CONSTRUCTOR})
public @interface HotPath {}
