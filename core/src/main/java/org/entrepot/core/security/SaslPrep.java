package org.entrepot.core.security;

import java.text.Normalizer;
import java.util.Optional;

/**
 * Prepares passwords as SASLprep (RFC 4013) does, so that both ends of a SCRAM login hash the same bytes however a text was
 * typed. Stateless.
 *
 * <p>Mapping, normalisation and prohibited characters are RFC 4013's, by what today's Unicode says of characters; texts that
 * it refuses for mixing directions or for characters that Unicode 3.2 had not yet are let through as they are.
 */
final class SaslPrep {
    private SaslPrep() {}

    /** The prepared text; empty where it has a prohibited character or nothing is left. */
    static Optional<String> of(String text) {
        StringBuilder mapped = new StringBuilder(text.length());
        text.codePoints().filter(c -> !isMappedToNothing(c)).forEach(c -> mapped.appendCodePoint(isSpace(c) ? ' ' : c));
        String prepared = Normalizer.normalize(mapped, Normalizer.Form.NFKC);
        return prepared.isEmpty() || prepared.codePoints().anyMatch(SaslPrep::isProhibited)
                ? Optional.empty()
                : Optional.of(prepared);
    }

    /** Table C.1.2 of RFC 3454. */
    private static boolean isSpace(int c) {
        return Character.getType(c) == Character.SPACE_SEPARATOR || c == 0x200B;
    }

    /** Table B.1 of RFC 3454, without U+200B, which is a space too. */
    private static boolean isMappedToNothing(int c) {
        return c == 0xAD
                || c == 0x34F
                || c == 0x1806
                || (c >= 0x180B && c <= 0x180D)
                || c == 0x200C
                || c == 0x200D
                || c == 0x2060
                || (c >= 0xFE00 && c <= 0xFE0F)
                || c == 0xFEFF;
    }

    /** Tables C.2 to C.9 of RFC 3454. */
    private static boolean isProhibited(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default ->
                (c & 0xFFFE) == 0xFFFE
                        || (c >= 0xFDD0 && c <= 0xFDEF)
                        || (c >= 0xFFF9 && c <= 0xFFFD)
                        || (c >= 0x2FF0 && c <= 0x2FFB)
                        || c == 0x340
                        || c == 0x341;
        };
    }
}
