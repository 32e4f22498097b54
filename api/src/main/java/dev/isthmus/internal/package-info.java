/**
 * The native seam: libraries, functions, errno, and the lifetime of native objects. C names stop here and in the
 * packages below. Never exported.
 */
package dev.isthmus.internal;
