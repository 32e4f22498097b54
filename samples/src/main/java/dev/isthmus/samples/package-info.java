/**
 * Small programs to copy from, each run by a test. The ping-pong programs share the files that begin with PingPong;
 * everything else is one file.
 */
package dev.isthmus.samples;
