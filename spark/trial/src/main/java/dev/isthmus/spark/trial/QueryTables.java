// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.trial;

import java.util.Locale;
import org.apache.spark.sql.SparkSession;

/**
 * Tables like those of TPC-H, as views that compute each row from its number: the same rows each time, and nothing is
 * stored. Unlike in TPC-H, a tenth of the orders are of one customer, a fifth of what is ordered is one part, and every
 * order has four lines.
 */
final class QueryTables {

    private static final long LEAST_ROWS = 100;

    private final long customers;
    private final long parts;
    private final long suppliers;
    private final long orders;

    private QueryTables(double scale) {
        customers = count(150_000, scale);
        parts = count(200_000, scale);
        suppliers = count(10_000, scale);
        orders = count(1_500_000, scale);
    }

    /**
     * Makes the views, or makes them anew.
     *
     * @param scale 1 for TPC-H's 1,500,000 orders
     * @param tasks in how many parts a table is computed
     */
    static void create(SparkSession session, double scale, int tasks) {
        new QueryTables(scale).create(session, tasks);
    }

    private void create(SparkSession session, int tasks) {
        create(session, "region", 5, 1, """
                id AS r_regionkey, elt(cast(id AS int) + 1, 'AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST') AS r_name
                """);
        create(session, "nation", 25, 1, "id AS n_nationkey, concat('NATION ', id) AS n_name, id % 5 AS n_regionkey");
        create(session, "supplier", suppliers, tasks, """
                id AS s_suppkey, concat('Supplier#', id) AS s_name, %s AS s_nationkey
                """.formatted(random(1, 25)));
        create(session, "customer", customers, tasks, """
                id AS c_custkey, concat('Customer#', id) AS c_name, %s AS c_nationkey,
                elt(%s + 1, 'AUTOMOBILE', 'BUILDING', 'FURNITURE', 'MACHINERY', 'HOUSEHOLD') AS c_mktsegment,
                %s - 1000 AS c_acctbal, hex(xxhash64(id, 4)) AS c_phone, sha1(cast(id AS string)) AS c_address
                """.formatted(random(2, 25), random(3, 5), cents(5, 1_100_000)));
        create(session, "part", parts, tasks, """
                id AS p_partkey, concat(elt(%s + 1, 'green', 'almond', 'blue', 'coral', 'ivory', 'navy', 'plum', 'red'),
                ' ', hex(xxhash64(id, 6))) AS p_name, concat('TYPE ', %s) AS p_type
                """.formatted(random(7, 8), random(8, 150)));
        create(session, "partsupp", 4 * parts, tasks, """
                id div 4 AS ps_partkey, %s AS ps_suppkey, %s AS ps_supplycost
                """.formatted(supplier("id div 4", "id % 4"), cents(9, 100_000)));
        create(session, "orders", orders, tasks, """
                id AS o_orderkey, cast(if(%s = 0, 0, %s) AS bigint) AS o_custkey, %s AS o_orderdate, %s AS o_totalprice,
                elt(%s + 1, 'F', 'O', 'P') AS o_orderstatus,
                concat(if(%s = 0, 'special requests', 'carefully'), ' ', sha1(cast(id AS string))) AS o_comment
                """.formatted(
                        random(10, 10),
                        random(11, customers * 2 / 3), // a third has ordered nothing
                        orderDate("id"),
                        cents(12, 50_000_000),
                        random(13, 3),
                        random(14, 50)));
        createLines(session, tasks);
    }

    private void createLines(SparkSession session, int tasks) {
        create(session, "line", 4 * orders, tasks, """
                id, cast(if(%s = 0, 0, %s) AS bigint) AS l_partkey, %s AS l_supplier, %s + 1 AS l_quantity,
                %s + 1000 AS l_extendedprice, cast(%s AS decimal(2)) / 100 AS l_discount,
                elt(%s + 1, 'A', 'N', 'R') AS l_returnflag, %s AS ordered, %s AS shipping, %s AS committed, %s AS travelling
                """.formatted(
                        random(15, 5),
                        random(16, parts),
                        random(17, 4),
                        random(18, 50),
                        cents(19, 9_000_000),
                        random(20, 11),
                        random(21, 3),
                        orderDate("id div 4"),
                        random(22, 121),
                        random(23, 61),
                        random(24, 30)));
        session.sql("""
                CREATE OR REPLACE TEMP VIEW lineitem AS SELECT id div 4 AS l_orderkey, l_partkey, %s AS l_suppkey,
                l_quantity, l_extendedprice, l_discount, l_returnflag, date_add(ordered, shipping + 1) AS l_shipdate,
                date_add(ordered, committed + 30) AS l_commitdate,
                date_add(ordered, shipping + travelling + 2) AS l_receiptdate FROM line
                """.formatted(supplier("l_partkey", "l_supplier")));
    }

    private static long count(long atOne, double scale) {
        return Math.max(LEAST_ROWS, Math.round(atOne * scale));
    }

    private static void create(SparkSession session, String name, long rows, int tasks, String columns) {
        session.sql(String.format(
                Locale.ROOT,
                "CREATE OR REPLACE TEMP VIEW %s AS SELECT %s FROM range(0, %d, 1, %d)",
                name,
                columns,
                rows,
                tasks));
    }

    /** A number from 0 to below the bound, which depends on the row and the column. */
    private static String random(int column, long bound) {
        return String.format(Locale.ROOT, "cast(pmod(xxhash64(id, %d), %d) AS int)", column, bound);
    }

    /** An amount with two decimals, of which sums do not depend on the order. */
    private static String cents(int column, long bound) {
        return "cast(cast(" + random(column, bound) + " AS decimal(12)) / 100 AS decimal(12, 2))";
    }

    private static String orderDate(String order) {
        return "date_add(DATE'1992-01-01', cast(pmod(xxhash64(" + order + ", 25), 2406) AS int))";
    }

    /** One of the four suppliers of a part. */
    private String supplier(String part, String which) {
        return String.format(Locale.ROOT, "(%s + %s * %d) %% %d", part, which, suppliers / 4 + 1, suppliers);
    }
}
