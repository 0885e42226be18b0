package org.entrepot.core.admin;

import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns as wide as they must be. Used by one thread. */
final class Columns {
    private static final int GAP = 2;

    private final List<String[]> rows = new ArrayList<>();
    private final boolean[] right;

    /**
     * No rows yet.
     *
     * @param alignment a letter a column: {@code l} or {@code r}
     */
    Columns(String alignment) {
        right = new boolean[alignment.length()];
        for (int i = 0; i < right.length; i++) {
            right[i] = alignment.charAt(i) == 'r';
        }
    }

    void row(Object... cells) {
        String[] row = new String[cells.length];
        for (int i = 0; i < row.length; i++) {
            row[i] = StatusText.printable(String.valueOf(cells[i]));
        }
        rows.add(row);
    }

    void appendTo(StringBuilder out) {
        int[] widths = new int[right.length];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++) {
                String space = " ".repeat(widths[i] - row[i].length());
                line.append(right[i] ? space + row[i] : row[i] + space).append(" ".repeat(GAP));
            }
            out.append(line.toString().stripTrailing()).append('\n');
        }
    }
}
