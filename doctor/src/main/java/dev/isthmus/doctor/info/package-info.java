/** {@code ibv_devinfo} in Java, with the same options and the same text. */
package dev.isthmus.doctor.info;
