/** The events for JDK Flight Recorder. Loaded only if the module jdk.jfr is present. */
package dev.isthmus.internal.jfr;
