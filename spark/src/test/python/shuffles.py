# SPDX-License-Identifier: Apache-2.0
"""A program for PySpark, which knows nothing of how its blocks are fetched.

It sorts and groups what Python makes, and joins two tables of which one has a key far more often than others, so that Spark
splits a partition between tasks. It prints what comes out, as RESULT NAME=VALUE.
"""

import hashlib

from pyspark.sql import SparkSession, functions as f

RECORDS = 4000
ROWS = 300_000


def show(name, value):
    print(f"RESULT {name}={value}", flush=True)


def pairs(context):
    def one(number):
        value = hashlib.sha512(str(number).encode()).digest() * 20  # 1280 bytes
        return int.from_bytes(value[:4], "big") % 500, value + str(number).encode()

    return context.parallelize(range(RECORDS), 6).map(one)


def digest(values):
    return hashlib.sha256(repr(values).encode()).hexdigest()


def sort_and_group(context):
    keys = pairs(context).sortByKey(numPartitions=5).keys().collect()
    assert keys == sorted(keys) and len(keys) == RECORDS
    show("sorted", digest(keys))
    groups = pairs(context).groupByKey(4).mapValues(lambda values: digest(sorted(values))).collect()
    show("grouped", digest(sorted(groups)))


def join_with_skew(spark):
    """Two thirds of the rows have the key 0."""
    left = spark.range(0, ROWS, numPartitions=6).select(
        f.when(f.col("id") % 3 < 2, 0).otherwise(f.col("id") % 1000).alias("key"),
        f.sha2(f.col("id").cast("string"), 512).alias("text"))
    right = spark.range(0, 1000, numPartitions=3).select(f.col("id").alias("key"), (f.col("id") * 7).alias("factor"))
    joined = left.join(right, "key").select("key", (f.hash("text") * f.col("factor") + f.hash("text")).alias("value"))
    rows = joined.agg(f.count("*"), f.sum("value"), f.sum(f.col("key") * f.hash("value")))
    show("joined", tuple(rows.collect()[0]))
    show("skewed", "skew=true" in rows._jdf.queryExecution().executedPlan().toString())


def main():
    spark = SparkSession.builder.appName("shuffles").getOrCreate()
    sort_and_group(spark.sparkContext)
    join_with_skew(spark)
    spark.stop()


main()
