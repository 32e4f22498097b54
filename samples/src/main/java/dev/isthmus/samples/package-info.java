// SPDX-License-Identifier: Apache-2.0
/**
 * Small programs to copy from, each run by a test. The ping-pong programs share the files that begin with PingPong;
 * everything else is one file for a program. docs/samples.md shows what they print.
 */
package dev.isthmus.samples;
