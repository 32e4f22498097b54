// SPDX-License-Identifier: Apache-2.0
/** The events for JDK Flight Recorder. Loaded only where the module jdk.jfr is there. */
package dev.isthmus.internal.jfr;
