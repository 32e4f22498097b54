// SPDX-License-Identifier: Apache-2.0
/**
 * The native seam: libraries, functions, errno, and the life of native objects. C names stop here and in its
 * sub-packages. Never exported.
 */
package dev.isthmus.internal;
