// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import dev.isthmus.spark.transport.Node;
import dev.isthmus.spark.transport.Settings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/** Reads {@code spark.isthmus.*}. */
final class UcxSettings {

    private static final String PREFIX = "spark.isthmus.";

    private UcxSettings() {}

    static Settings of(SparkConf conf) {
        Settings defaults = Settings.defaults();
        long longest = conf.getSizeAsBytes("spark.network.maxRemoteBlockSizeFetchToMem", defaults.blockBytes() + "b");
        long inline = Math.min(bytes(conf, "inlineBytes", defaults.inlineBytes()), longest);
        return new Settings(
                Math.toIntExact(bytes(conf, "sliceBytes", defaults.sliceBytes())),
                bytes(conf, "servingBytes", defaults.servingBytes()),
                bytes(conf, "receivingBytes", defaults.receivingBytes()),
                bytes(conf, "unpooledBytes", defaults.unpooledBytes()),
                longest,
                bytes(conf, "messageBytes", defaults.messageBytes()),
                conf.getInt(PREFIX + "credits", defaults.credits()),
                Math.toIntExact(inline),
                conf.getInt(PREFIX + "readers", defaults.readers()),
                time(conf, "patience", conf.getTimeAsSeconds("spark.network.timeout", "120s") + "s"),
                time(conf, "connecting", defaults.connecting().toSeconds() + "s"),
                conf.getBoolean("spark.authenticate", false),
                ucx(conf));
    }

    /** The secret of an application whose processes Spark authenticates, by its secret and a number of the driver's. */
    static byte[] secret(String ofSpark, byte[] ofDriver) {
        return Node.seal(ofDriver, ofSpark.getBytes(StandardCharsets.UTF_8));
    }

    private static long bytes(SparkConf conf, String key, long otherwise) {
        return conf.getSizeAsBytes(PREFIX + key, otherwise);
    }

    private static Duration time(SparkConf conf, String key, String otherwise) {
        return Duration.ofMillis(conf.getTimeAsMs(PREFIX + key, otherwise));
    }

    /** UCX options, which override the environment: {@code spark.isthmus.ucx.TLS=tcp,self}. */
    private static Map<String, String> ucx(SparkConf conf) {
        var options = new HashMap<String, String>();
        for (Tuple2<String, String> one : conf.getAllWithPrefix(PREFIX + "ucx.")) {
            if (one._1().startsWith("UCX_")) {
                throw new IllegalArgumentException(PREFIX + "ucx." + one._1() + ": write the option without UCX_");
            }
            options.put(one._1(), one._2());
        }
        return options;
    }
}
