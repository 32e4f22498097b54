// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a method of the data path: it allocates nothing in steady state, takes no lock, and checks plain fields only. */
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.METHOD)
@interface HotPath {}
