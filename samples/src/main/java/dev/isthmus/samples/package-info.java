/**
 * Small programs to copy from; a test runs each. The ping-pong programs share the files that begin with PingPong; every
 * other program is one file. docs/samples.md shows what they print.
 */
package dev.isthmus.samples;
