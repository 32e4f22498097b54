package dev.isthmus.spark.suites;

import org.apache.spark.launcher.JavaModuleOptions;

/** Prints the options that Spark's own launcher gives to a JVM. */
public final class Options {

    private Options() {}

    /**
     * Prints them.
     *
     * @param args none
     */
    public static void main(String... args) {
        System.out.println(JavaModuleOptions.defaultModuleOptions());
    }
}
