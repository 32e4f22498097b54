/** The programs that {@code isthmus spark} submits, in a jar of its own. */
package dev.isthmus.spark.trial;
