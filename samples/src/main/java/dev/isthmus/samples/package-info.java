/** Small programs to copy from: each is one file, and each is run by a test. */
package dev.isthmus.samples;
