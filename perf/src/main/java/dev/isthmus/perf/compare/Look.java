// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Polygon;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Rectangle2D;
import java.util.function.DoubleFunction;
import org.knowm.xchart.style.markers.Marker;

/**
 * How a way looks in every plot. The hue and the shape show what it does; C is light and hollow, Java dark and filled.
 * People who are red-green colour-blind can tell the hues apart, too.
 */
record Look(Color color, Marker marker) {

    static Look of(Way way) {
        return switch (way) {
            case C_VERBS_SEND -> look(0x3D9FDB, Look::circle, false);
            case JAVA_VERBS_SEND -> look(0x00558B, Look::circle, true);
            case C_VERBS_WRITE -> look(0xE69F00, Look::square, false);
            case JAVA_VERBS_WRITE -> look(0xC24A00, Look::square, true);
            case C_VERBS_READ -> look(0x3DBE96, Look::triangle, false);
            case JAVA_VERBS_READ -> look(0x00664B, Look::triangle, true);
            case C_UCX -> look(0xD980B0, Look::diamond, false);
            case JAVA_UCX -> look(0x9B2C74, Look::diamond, true);
            case JUCX -> look(0x4B2A99, Look::downwards, true);
            case NIO_BLOCKING -> look(0x8A8A8A, Look::circle, false);
            case NIO_NON_BLOCKING -> look(0x1A1A1A, Look::square, true);
            case C_SOCKETS -> look(0xE8604C, Look::downwards, false);
            case JAVA_SOCKETS -> look(0xA31621, Look::downwards, true);
            case C_TCP -> look(0x5A5A5A, Look::diamond, false);
            case NETTY_TCP -> look(0x6E6E6E, Look::triangle, true);
            case NETTY_EPOLL -> look(0x2F2F2F, Look::downwards, true);
            case NETTY_RDMA -> look(0x8C1D40, Look::triangle, true);
        };
    }

    private static Look look(int rgb, DoubleFunction<Shape> shape, boolean filled) {
        return new Look(new Color(rgb), new Sign(shape, filled));
    }

    private static Shape circle(double size) {
        return new Ellipse2D.Double(-size / 2, -size / 2, size, size);
    }

    private static Shape square(double size) {
        double side = size * 0.9;
        return new Rectangle2D.Double(-side / 2, -side / 2, side, side);
    }

    private static Shape triangle(double size) {
        int half = (int) Math.round(size * 0.6);
        return new Polygon(new int[] {-half, 0, half}, new int[] {half, -half, half}, 3);
    }

    private static Shape downwards(double size) {
        int half = (int) Math.round(size * 0.6);
        return new Polygon(new int[] {-half, 0, half}, new int[] {-half, half, -half}, 3);
    }

    private static Shape diamond(double size) {
        int half = (int) Math.round(size * 0.7);
        return new Polygon(new int[] {-half, 0, half, 0}, new int[] {0, half, 0, -half}, 4);
    }

    /** A marker for the plotting library, which only has filled ones. */
    private static final class Sign extends Marker {

        private static final BasicStroke OUTLINE = new BasicStroke(1.5f);

        private final DoubleFunction<Shape> shape;
        private final boolean filled;

        Sign(DoubleFunction<Shape> shape, boolean filled) {
            this.shape = shape;
            this.filled = filled;
        }

        @Override
        public void paint(Graphics2D g, double x, double y, int size) {
            Shape outline = AffineTransform.getTranslateInstance(x, y).createTransformedShape(shape.apply(size));
            Color color = g.getColor();
            g.setColor(filled ? color : Color.WHITE);
            g.fill(outline);
            g.setColor(color);
            g.setStroke(OUTLINE);
            g.draw(outline);
        }
    }
}
