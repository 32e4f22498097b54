// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.trial;

import java.util.Locale;

/**
 * Queries like those of TPC-H with the same numbers, all of whose rows are returned; no result of theirs is one of TPC-H.
 */
enum Query {
    /** What open orders of a market segment are worth. */
    Q3("""
            SELECT o_orderkey, o_orderdate, sum(l_extendedprice * (1 - l_discount)) AS revenue
            FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
            WHERE c_mktsegment = 'BUILDING' AND o_orderdate < DATE'1995-03-15' AND l_shipdate > DATE'1995-03-15'
            GROUP BY o_orderkey, o_orderdate"""),
    /** What customers have ordered from suppliers of their own nation. */
    Q5("""
            SELECT /*+ BROADCAST(nation, region) */ n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
            FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
            JOIN supplier ON l_suppkey = s_suppkey AND c_nationkey = s_nationkey
            JOIN nation ON s_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey
            WHERE r_name = 'ASIA' AND year(o_orderdate) = 1994
            GROUP BY n_name"""),
    /** What has been earned with parts of a colour, by nation and year. */
    Q9("""
            SELECT /*+ BROADCAST(nation) */ n_name, year(o_orderdate) AS o_year,
            sum(l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity) AS profit
            FROM part JOIN lineitem ON p_partkey = l_partkey JOIN supplier ON s_suppkey = l_suppkey
            JOIN partsupp ON ps_suppkey = l_suppkey AND ps_partkey = l_partkey
            JOIN orders ON o_orderkey = l_orderkey JOIN nation ON s_nationkey = n_nationkey
            WHERE p_name LIKE '%green%'
            GROUP BY n_name, o_year"""),
    /** Who has returned goods. */
    Q10("""
            SELECT /*+ BROADCAST(nation) */ c_custkey, c_name, c_acctbal, n_name, c_address, c_phone,
            sum(l_extendedprice * (1 - l_discount)) AS revenue
            FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
            JOIN nation ON c_nationkey = n_nationkey
            WHERE o_orderdate >= DATE'1993-10-01' AND o_orderdate < DATE'1994-01-01' AND l_returnflag = 'R'
            GROUP BY c_custkey, c_name, c_acctbal, n_name, c_address, c_phone"""),
    /** How many customers have how many orders. */
    Q13("""
            SELECT c_count, count(*) AS customers FROM (
            SELECT c_custkey, count(o_orderkey) AS c_count
            FROM customer LEFT JOIN orders ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%'
            GROUP BY c_custkey)
            GROUP BY c_count"""),
    /** What parts of each type have been sold for, of all times. */
    Q14("""
            SELECT p_type, count(*) AS lines, sum(l_extendedprice * (1 - l_discount)) AS revenue
            FROM lineitem JOIN part ON l_partkey = p_partkey
            GROUP BY p_type"""),
    /** Large orders. */
    Q18("""
            SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) AS quantity
            FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
            WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 180)
            GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice"""),
    /** Suppliers of a nation that alone were late with an order. */
    Q21("""
            SELECT /*+ BROADCAST(nation) */ s_name, count(*) AS orders
            FROM supplier JOIN lineitem l1 ON s_suppkey = l1.l_suppkey JOIN orders ON o_orderkey = l1.l_orderkey
            JOIN nation ON s_nationkey = n_nationkey
            WHERE o_orderstatus = 'F' AND l1.l_receiptdate > l1.l_commitdate AND n_name = 'NATION 7'
            AND EXISTS (SELECT * FROM lineitem l2
            WHERE l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
            AND NOT EXISTS (SELECT * FROM lineitem l3
            WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey AND l3.l_receiptdate > l3.l_commitdate)
            GROUP BY s_name""");

    private final String text;

    Query(String text) {
        this.text = text;
    }

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** In SQL. */
    String text() {
        return text;
    }
}
