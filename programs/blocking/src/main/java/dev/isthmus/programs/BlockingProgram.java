// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.isthmus.testbed.ConnectionTransport;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.derby.drda.NetworkServerControl;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.h2.tools.Server;

/**
 * Servers and clients that open sockets of java.net: {@code BlockingProgram ADDRESS FOLDER KEYSTORE PASSWORD PORT...}, with
 * five ports. The key store has the server's key and certificate, which the client trusts.
 */
public final class BlockingProgram {

    private static final int ROWS = 200;
    private static final int LARGE = 1 << 20;
    private static final int SECONDS = 300; // on emulated processors

    private final InetAddress host;
    private final byte[] large = new byte[LARGE];

    private BlockingProgram(InetAddress host) {
        this.host = host;
        new Random(1).nextBytes(large);
    }

    /** Runs the program. */
    public static void main(String... args) throws Exception {
        var program = new BlockingProgram(InetAddress.getByName(args[0]));
        System.setProperty("h2.bindAddress", args[0]);
        System.setProperty("derby.system.home", args[1]);
        System.setProperty("java.rmi.server.hostname", args[0]);
        program.h2(Integer.parseInt(args[4]));
        program.derby(Integer.parseInt(args[5]));
        program.rmi(Integer.parseInt(args[6]));
        program.http(Integer.parseInt(args[7]), Path.of(args[1]));
        program.tls(Integer.parseInt(args[8]), Path.of(args[2]), args[3].toCharArray());
        System.exit(0); // RMI and Derby keep threads
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static void report(String what, int port) throws IOException {
        System.out.println(what + ": by " + ConnectionTransport.at(port));
    }

    private void h2(int port) throws SQLException, IOException {
        Server server = Server.createTcpServer("-tcpPort", "" + port, "-tcpAllowOthers", "-ifNotExists")
                .start();
        try (Connection connection =
                DriverManager.getConnection("jdbc:h2:tcp://" + host.getHostAddress() + ":" + port + "/mem:test")) {
            store(connection);
            report("H2", port);
        } finally {
            server.stop();
        }
    }

    private void derby(int port) throws Exception {
        var server = new NetworkServerControl(host, port);
        var ready = new CountDownLatch(1);
        server.start(new PrintWriter(new Log(ready), true));
        check(ready.await(SECONDS, TimeUnit.SECONDS), "Derby has not started");
        try (Connection connection = DriverManager.getConnection(
                "jdbc:derby://" + host.getHostAddress() + ":" + port + "/memory:test;create=true")) {
            store(connection);
            report("Derby", port);
        } finally {
            server.shutdown();
        }
    }

    /** Derby's log on standard error, which alone tells that its server is ready. */
    private static final class Log extends FilterWriter {

        private final CountDownLatch ready;

        Log(CountDownLatch ready) {
            super(new OutputStreamWriter(System.err, UTF_8));
            this.ready = ready;
        }

        @Override
        public void write(String text, int offset, int length) throws IOException {
            super.write(text, offset, length);
            if (text.contains("ready to accept connections")) {
                ready.countDown();
            }
        }
    }

    /** Rows, a large value, and a transaction that is rolled back. */
    private void store(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table t (id int primary key, name varchar(100), content blob)");
        }
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("insert into t values (?, ?, ?)")) {
            for (int i = 0; i < ROWS; i++) {
                insert.setInt(1, i);
                insert.setString(2, "row " + i);
                insert.setBytes(3, i == 7 ? large : new byte[] {(byte) i});
                insert.addBatch();
            }
            check(insert.executeBatch().length == ROWS, "rows were lost");
        }
        connection.commit();
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("delete from t");
            connection.rollback();
            try (ResultSet found = statement.executeQuery("select id, name, content from t order by id")) {
                for (int i = 0; i < ROWS; i++) {
                    check(
                            found.next()
                                    && found.getInt(1) == i
                                    && found.getString(2).equals("row " + i),
                            "row " + i);
                    byte[] content = found.getBytes(3);
                    check(Arrays.equals(content, i == 7 ? large : new byte[] {(byte) i}), "the value of row " + i);
                }
            }
        }
        connection.commit();
    }

    /** What is called remotely. */
    public interface Reverse extends Remote {

        /** Returns the bytes in reverse. */
        byte[] reverse(byte[] bytes) throws RemoteException;
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] all = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            all[i] = bytes[bytes.length - 1 - i];
        }
        return all;
    }

    private void rmi(int port) throws Exception {
        Reverse local = BlockingProgram::reversed;
        Registry registry = LocateRegistry.createRegistry(port);
        registry.bind("reverse", UnicastRemoteObject.exportObject(local, port));
        var remote = (Reverse)
                LocateRegistry.getRegistry(host.getHostAddress(), port).lookup("reverse");
        for (int length : new int[] {0, 1, 1000, LARGE}) {
            byte[] some = Arrays.copyOf(large, length);
            check(Arrays.equals(reversed(some), remote.reverse(some)), "RMI of " + length + " bytes");
        }
        report("RMI", port);
        UnicastRemoteObject.unexportObject(local, true);
        UnicastRemoteObject.unexportObject(registry, true);
    }

    /** Answers with what it gets. */
    private static final class Echo extends HttpServlet {

        private static final long serialVersionUID = 1;

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setContentType("application/octet-stream");
            // All of it first: the client reads only once it has written.
            response.getOutputStream().write(request.getInputStream().readAllBytes());
        }
    }

    /** Tomcat's server is on channels, the client on sockets of java.net. */
    private void http(int port, Path folder) throws LifecycleException, IOException {
        var tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createDirectory(folder.resolve("tomcat")).toString());
        tomcat.setPort(port);
        tomcat.getConnector().setProperty("address", host.getHostAddress());
        tomcat.addContext("", null);
        tomcat.addServlet("", "echo", new Echo()).addMapping("/echo");
        tomcat.start();
        try (CloseableHttpClient client = HttpClients.createDefault()) {
            for (int length : new int[] {1, 10_000, LARGE}) {
                var post = new HttpPost("http://" + host.getHostAddress() + ":" + port + "/echo");
                byte[] some = Arrays.copyOf(large, length);
                post.setEntity(new ByteArrayEntity(some, ContentType.APPLICATION_OCTET_STREAM));
                byte[] answer = client.execute(post, response -> EntityUtils.toByteArray(response.getEntity()));
                check(Arrays.equals(some, answer), "HTTP of " + length + " bytes");
            }
            report("HTTP", port);
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
    }

    private void tls(int port, Path keys, char[] password) throws Exception {
        SSLContext context = context(keys, password);
        try (SSLServerSocket server =
                (SSLServerSocket) context.getServerSocketFactory().createServerSocket(port, 5, host)) {
            CompletableFuture<Void> echoing = CompletableFuture.runAsync(() -> echo(server));
            try (SSLSocket client = (SSLSocket) context.getSocketFactory().createSocket(host, port)) {
                CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
                    try {
                        client.getOutputStream().write(large);
                        client.shutdownOutput();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
                check(Arrays.equals(large, client.getInputStream().readNBytes(LARGE)), "TLS");
                writing.get();
                report("TLS", port);
            }
            await(echoing);
        }
    }

    private static void await(CompletableFuture<Void> one) throws InterruptedException {
        try {
            one.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }

    private static void echo(SSLServerSocket server) {
        try (var accepted = server.accept()) {
            accepted.getInputStream().transferTo(accepted.getOutputStream());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static SSLContext context(Path keys, char[] password) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (var from = Files.newInputStream(keys)) {
            store.load(from, password);
        }
        var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(store, password);
        var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }
}
