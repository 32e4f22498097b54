/** {@code isthmus doctor}: what this machine lacks for each part of the library, and the command that fixes it. */
package dev.isthmus.doctor;
