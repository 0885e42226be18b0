package org.entrepot.core.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.entrepot.core.config.ConfigurationException.Problem;
import org.entrepot.spi.ConfigurationKey;

/**
 * Who assigns what to which key: the sources read into (key, text, origin), the strongest last. Used by one load; what is
 * wrong with the form of a source, or names no key, goes to the problems.
 */
final class Assignments {
    private static final String VARIABLE_PREFIX = "ENTREPOT_";

    /** What orchestrators set for services they call "entrepot...": not meant for us. */
    private static final Pattern SERVICE_LINK = Pattern.compile(
            "ENTREPOT_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_[0-9]+_(?:TCP|UDP|SCTP)(?:_[A-Z]+)?)");

    private static final Pattern SERVICE_ADDRESS = Pattern.compile("(?:tcp|udp|sctp)://.*");

    private final Map<String, Known> known;
    private final List<KeyGroup> groups;
    private final Set<String> ignoredOwners;
    private final boolean passOverUnknown;
    private final List<Problem> problems;
    private final List<String> foreignVariables = new ArrayList<>();
    private final List<Assignment> assignments = new ArrayList<>();

    /** A declared key, with the group that declares it. */
    record Known(ConfigurationKey key, KeyGroup group) {}

    /** A text for a key. */
    record Assignment(Known known, String written, Origin origin) {
        ConfigurationKey key() {
            return known.key();
        }
    }

    /**
     * No assignments yet.
     *
     * @param groups all of them, also those that declare nothing
     * @param ignoredOwners gets the owners of keys that are accepted and ignored, as far as nobody declares the keys
     */
    Assignments(
            Map<String, Known> known,
            List<KeyGroup> groups,
            Set<String> ignoredOwners,
            boolean passOverUnknown,
            List<Problem> problems) {
        this.known = known;
        this.groups = groups;
        this.ignoredOwners = ignoredOwners;
        this.passOverUnknown = passOverUnknown;
        this.problems = problems;
    }

    List<Assignment> of(ConfigurationSources sources, Set<String> startScriptVariables) {
        file(sources.fileName(), sources.lines());
        environment(sources.environment(), startScriptVariables);
        commandLine(sources.overrides());
        return assignments;
    }

    /** Variables with our prefix that are not like any key: whoever set them probably meant something else. */
    List<String> foreignVariables() {
        return foreignVariables;
    }

    /** The variable that stands for a key. */
    static String variable(String key) {
        return VARIABLE_PREFIX + key.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
    }

    private void file(String name, List<String> lines) {
        Map<String, Integer> firstLines = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Origin origin = new Origin.Line(name, i + 1);
            int equals = line.indexOf('=');
            String key = equals < 0 ? "" : line.substring(0, equals).strip();
            if (key.isEmpty()) {
                // The line itself is not shown: it may be half of a secret.
                problems.add(new Problem(
                        origin.shown(), "not understood; allowed: KEY = VALUE, # and a comment, or an empty line"));
                continue;
            }
            Integer first = firstLines.putIfAbsent(key, i + 1);
            if (first != null) {
                problems.add(new Problem(
                        origin.shown(), Notation.quoted(key) + " is set a second time; the first is in line " + first));
                continue;
            }
            assign(key, line.substring(equals + 1).strip(), origin);
        }
    }

    private void environment(Map<String, String> environment, Set<String> startScriptVariables) {
        Map<String, Known> byVariable = new HashMap<>();
        known.forEach((name, key) -> byVariable.put(variable(name), key));
        Set<String> firstWords = new HashSet<>();
        byVariable.keySet().forEach(variable -> firstWords.add(firstWord(variable)));
        for (Map.Entry<String, String> entry : new TreeMap<>(environment).entrySet()) {
            String variable = entry.getKey();
            if (!variable.startsWith(VARIABLE_PREFIX) || startScriptVariables.contains(variable)) {
                continue;
            }
            Origin origin = new Origin.Environment(Printable.of(variable, 200));
            Known key = byVariable.get(variable);
            if (key != null) {
                assignments.add(new Assignment(key, entry.getValue().strip(), origin));
            } else if (!passOverUnknown && !serviceLink(variable, entry.getValue()) && !ignored(keyLike(variable))) {
                String why = "stands for no key" + Nearest.hint(variable, byVariable.keySet());
                if (firstWords.contains(firstWord(variable))) {
                    problems.add(new Problem(origin.shown(), why));
                } else {
                    foreignVariables.add(origin.shown() + ", which " + why);
                }
            }
        }
    }

    /** What stands between our prefix and the next underscore. */
    private static String firstWord(String variable) {
        int end = variable.indexOf('_', VARIABLE_PREFIX.length());
        return variable.substring(VARIABLE_PREFIX.length(), end < 0 ? variable.length() : end);
    }

    /** What a variable's key may look like: where the key has hyphens this has dots. */
    private static String keyLike(String variable) {
        return variable.substring(VARIABLE_PREFIX.length()).replace('_', '.').toLowerCase(Locale.ROOT);
    }

    private boolean ignored(String name) {
        for (KeyGroup group : groups) {
            if (group.couldDeclare(name)) {
                ignoredOwners.add(group.owner());
                return true;
            }
        }
        return false;
    }

    private static boolean serviceLink(String variable, String value) {
        return SERVICE_LINK.matcher(variable).matches()
                || (variable.endsWith("_PORT") && SERVICE_ADDRESS.matcher(value).matches());
    }

    private void commandLine(List<String> overrides) {
        for (String override : overrides) {
            int equals = override.indexOf('=');
            String key = equals < 0 ? "" : override.substring(0, equals).strip();
            if (key.isEmpty()) {
                problems.add(new Problem("--set", "not understood; allowed: --set KEY=VALUE"));
                continue;
            }
            assign(key, override.substring(equals + 1).strip(), new Origin.CommandLine(Printable.of(key, 200)));
        }
    }

    private void assign(String name, String written, Origin origin) {
        Known key = known.get(name);
        if (key != null) {
            assignments.add(new Assignment(key, written, origin));
        } else if (!passOverUnknown && !ignored(name)) {
            problems.add(new Problem(
                    origin.shown(), "unknown key " + Notation.quoted(name) + Nearest.hint(name, known.keySet())));
        }
    }
}
