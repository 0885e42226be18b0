package org.entrepot.core.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.entrepot.core.config.Value.Assigned;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.ConfigurationKey.Kind;
import org.entrepot.spi.Settings;

/** The checked values of all known keys, and where each is from. Immutable. Made by {@link ConfigurationLoader}. */
public final class Configuration implements Settings {
    private final Map<String, Assigned> values;
    private final List<String> warnings;

    /** A key's value as operators may see it: a secret is not shown. */
    public record Shown(String key, String value, Origin origin) {}

    Configuration(Map<String, Assigned> values, List<String> warnings) {
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        this.warnings = List.copyOf(warnings);
    }

    /** A view that knows only these keys: what a plugin gets. */
    public Settings settingsOf(Collection<ConfigurationKey> keys) {
        Map<String, Assigned> own = new LinkedHashMap<>();
        for (ConfigurationKey key : keys) {
            own.put(key.name(), assigned(key.name()));
        }
        return new Configuration(own, List.of());
    }

    /** Where a key's value is from. */
    public Origin origin(String key) {
        return assigned(key).origin();
    }

    /** Every key with its value and where that is from; secrets are not shown. */
    public List<Shown> shown() {
        List<Shown> shown = new ArrayList<>(values.size());
        for (Assigned assigned : values.values()) {
            shown.add(new Shown(assigned.key().name(), assigned.written(), assigned.origin()));
        }
        return shown;
    }

    /** What is accepted but should be looked at, for the log. */
    public List<String> warnings() {
        return warnings;
    }

    @Override
    public boolean isSet(String key) {
        return !(assigned(key).value() instanceof Value.Unset);
    }

    @Override
    public String text(String key) {
        return ((Value.Text) set(key, Kind.TEXT)).text();
    }

    @Override
    public Optional<String> optionalText(String key) {
        return of(key, Kind.TEXT) instanceof Value.Text text ? Optional.of(text.text()) : Optional.empty();
    }

    @Override
    public List<String> list(String key) {
        return ((Value.Items) set(key, Kind.LIST)).items();
    }

    @Override
    public long number(String key) {
        return ((Value.Quantity) set(key, Kind.NUMBER)).number();
    }

    @Override
    public long size(String key) {
        return ((Value.Quantity) set(key, Kind.SIZE)).number();
    }

    @Override
    public Duration duration(String key) {
        return Duration.ofMillis(((Value.Quantity) set(key, Kind.DURATION)).number());
    }

    @Override
    public boolean flag(String key) {
        return ((Value.Flag) set(key, Kind.FLAG)).flag();
    }

    @Override
    public String choice(String key) {
        return ((Value.Text) set(key, Kind.CHOICE)).text();
    }

    @Override
    public Optional<Path> path(String key) {
        return of(key, Kind.PATH) instanceof Value.File file ? Optional.of(file.path()) : Optional.empty();
    }

    @Override
    public Optional<char[]> secret(String key) {
        return of(key, Kind.SECRET) instanceof Value.Secret secret
                ? Optional.of(secret.characters())
                : Optional.empty();
    }

    private Assigned assigned(String key) {
        Assigned assigned = values.get(key);
        if (assigned == null) {
            throw new IllegalArgumentException("no such configuration key: " + key);
        }
        return assigned;
    }

    private Value of(String key, Kind kind) {
        Assigned assigned = assigned(key);
        if (assigned.key().kind() != kind) {
            throw new IllegalArgumentException("configuration key " + key + " is declared as "
                    + assigned.key().kind() + ", not as " + kind);
        }
        return assigned.value();
    }

    private Value set(String key, Kind kind) {
        Value value = of(key, kind);
        if (value instanceof Value.Unset) {
            throw new IllegalArgumentException("configuration key " + key + " is not set: ask isSet first");
        }
        return value;
    }

    /** How many keys; never their values. */
    @Override
    public String toString() {
        return "Configuration[" + values.size() + " keys]";
    }
}
