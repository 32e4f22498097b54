package dev.isthmus.spark.suites;

import org.apache.spark.SortShuffleSuite;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/** Spark's suite of shuffles, whose configuration knows no defaults: here it has those that system properties give. */
public class ShuffleSuiteOverUcx extends SortShuffleSuite {

    @Override
    public void beforeAll() {
        super.beforeAll();
        for (Tuple2<String, String> setting : new SparkConf(true).getAll()) {
            conf().set(setting._1(), setting._2());
        }
    }
}
