package org.entrepot.core.security;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.spi.Settings;

/**
 * What the configuration says about logins of the broker's own users. Immutable.
 *
 * @param anonymousUser who clients are that log in by ANONYMOUS; empty lets none in
 * @param loopbackUsers who may log in from this machine only
 * @param certificateName what of a certificate is a user's name
 * @param rememberFor how long a right password is taken for right without a slow hash
 * @param failuresFree failed logins in a row before a pause
 * @param pauseMax longest pause; zero for none
 * @param scramIterations of new verifiers for SCRAM, and so of those that are made up for nobody
 */
record LoginRules(
        Optional<String> anonymousUser,
        Set<String> loopbackUsers,
        CertificateName certificateName,
        Duration rememberFor,
        int failuresFree,
        Duration pauseMax,
        int scramIterations) {

    LoginRules {
        loopbackUsers = Set.copyOf(loopbackUsers);
    }

    static LoginRules of(Settings settings) {
        String anonymous = settings.text(CoreKeys.SECURITY_ANONYMOUS_USER);
        return new LoginRules(
                anonymous.isEmpty() ? Optional.empty() : Optional.of(anonymous),
                Set.copyOf(settings.list(CoreKeys.SECURITY_LOOPBACK_USERS)),
                CertificateName.valueOf(
                        settings.choice(CoreKeys.SECURITY_CERTIFICATE_NAME).toUpperCase(Locale.ROOT)),
                settings.duration(CoreKeys.SECURITY_LOGIN_CACHE),
                Math.toIntExact(settings.number(CoreKeys.SECURITY_FAILURES_FREE)),
                settings.duration(CoreKeys.SECURITY_FAILURE_PAUSE_MAX),
                Math.toIntExact(settings.number(CoreKeys.SECURITY_SCRAM_ITERATIONS)));
    }
}
