// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.io.StringWriter;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGIDGenerator;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Turns plots into SVG for a page. Text is drawn as shapes, so it looks the same everywhere. */
final class SvgWriter {

    private static final String SVG = "http://www.w3.org/2000/svg";
    private static final int DECIMALS = 1;

    private SvgWriter() {}

    /**
     * An svg element.
     *
     * @param id of the plot, unique in the page
     * @throws RuntimeException or an {@link Error} of AWT if Java finds no fonts
     */
    static String svg(Plot plot, String id) {
        System.setProperty("java.awt.headless", System.getProperty("java.awt.headless", "true"));
        try {
            Document document = DocumentBuilderFactory.newNSInstance()
                    .newDocumentBuilder()
                    .getDOMImplementation()
                    .createDocument(SVG, "svg", null);
            SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
            context.setComment(null);
            context.setPrecision(DECIMALS);
            context.setIDGenerator(new SVGIDGenerator() {
                @Override
                public String generateID(String prefix) {
                    return super.generateID(id + "-" + prefix);
                }
            });
            var graphics = new SVGGraphics2D(context, false);
            PlotPainter.chart(plot).paint(graphics, PlotPainter.WIDTH, PlotPainter.HEIGHT);
            Element root = graphics.getRoot();
            graphics.dispose();
            withoutFixedIds(root);
            root.setAttributeNS(null, "viewBox", "0 0 " + PlotPainter.WIDTH + " " + PlotPainter.HEIGHT);
            root.setAttributeNS(null, "role", "img");
            root.setAttributeNS(null, "aria-labelledby", id + "-title " + id + "-description");
            describe(root, id, plot);
            return text(root);
        } catch (ParserConfigurationException | TransformerException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Batik gives the definitions of every plot the same id, to which nothing refers. */
    private static void withoutFixedIds(Element root) {
        NodeList definitions = root.getElementsByTagNameNS(SVG, "defs");
        for (int i = 0; i < definitions.getLength(); i++) {
            ((Element) definitions.item(i)).removeAttributeNS(null, "id");
        }
    }

    private static void describe(Element root, String id, Plot plot) {
        Element description = root.getOwnerDocument().createElementNS(SVG, "desc");
        description.setAttributeNS(null, "id", id + "-description");
        description.setTextContent(plot.description());
        root.insertBefore(description, root.getFirstChild());
        Element title = root.getOwnerDocument().createElementNS(SVG, "title");
        title.setAttributeNS(null, "id", id + "-title");
        title.setTextContent(plot.title());
        root.insertBefore(title, description);
    }

    private static String text(Element root) throws TransformerException {
        Transformer transformer = TransformerFactory.newDefaultInstance().newTransformer();
        transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
        var out = new StringWriter();
        transformer.transform(new DOMSource(root), new StreamResult(out));
        return out.toString();
    }
}
