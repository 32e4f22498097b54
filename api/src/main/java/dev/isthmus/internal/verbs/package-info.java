// SPDX-License-Identifier: Apache-2.0
/** The seam to libibverbs: its functions, what verbs.h has inline, its errors in words. Never exported. */
package dev.isthmus.internal.verbs;
