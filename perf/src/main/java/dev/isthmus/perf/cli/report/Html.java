// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.report;

/** Builds a page. All text is escaped; only {@link #raw} takes markup. */
public final class Html {

    private final StringBuilder out = new StringBuilder();

    /** Creates an empty page. */
    public Html() {}

    /** Adds markup unchanged. */
    public Html raw(String markup) {
        out.append(markup);
        return this;
    }

    /** Text. */
    public Html text(String text) {
        text.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.appendCodePoint(isText(c) ? c : 0xFFFD);
            }
        });
        return this;
    }

    /** Control characters and unpaired surrogates are left out of a page. */
    private static boolean isText(int c) {
        boolean control = c < ' ' && c != '\n' && c != '\t';
        return !control && c != 0x7F && Character.getType(c) != Character.SURROGATE;
    }

    /** An element with text in it. */
    public Html element(String tag, String text) {
        return raw("<" + tag + ">").text(text).raw("</" + tag + ">\n");
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
