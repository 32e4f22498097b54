/** The seam to libibverbs: its functions, the inline functions of verbs.h, and its errors in words. Never exported. */
package dev.isthmus.internal.verbs;
