package org.entrepot.core.listener;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's side of TLS as one {@link TlsSpec} wants it. Loops make engines from what was loaded last; loading
 * blocks, and is done elsewhere. A load that fails leaves the one before in use.
 */
final class TlsContext {
    private static final Logger log = LoggerFactory.getLogger(TlsContext.class);

    /** Suites with forward secrecy and authenticated encryption only, the cheaper first. */
    private static final List<String> CIPHERS = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    /** Sessions kept for clients that resume without a ticket, and for how long: the JDK would keep 20,480 for a day. */
    private static final int SESSIONS_MAX = 1_024;

    private static final long SESSION_SECONDS_MAX = TimeUnit.HOURS.toSeconds(1);

    /** Operators are told this long before a certificate ends, at each load. */
    private static final Duration EXPIRY_WARNING = Duration.ofDays(14);

    private final TlsSpec spec;
    private volatile Loaded loaded;
    private volatile @Nullable List<FileState> failed;

    private record Loaded(SslContext context, List<FileState> files) {}

    /** What tells that a file was written again or replaced, links followed. */
    private record FileState(Path realFile, FileTime modified, long bytes) {
        static FileState of(Path file) throws IOException {
            try {
                Path real = file.toRealPath();
                BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
                return new FileState(real, attributes.lastModifiedTime(), attributes.size());
            } catch (NoSuchFileException e) {
                throw new IOException(file + " does not exist", e);
            }
        }
    }

    /** Loads the files. Blocks. */
    TlsContext(TlsSpec spec) throws IOException {
        this.spec = spec;
        this.loaded = load(spec);
    }

    /** What speaks TLS on one connection. */
    SSLEngine newEngine(ByteBufAllocator allocator) {
        SSLEngine engine = loaded.context().newEngine(allocator);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setUseCipherSuitesOrder(true);
        engine.setSSLParameters(parameters);
        return engine;
    }

    /** Loads the files again. Blocks. */
    void reload() throws IOException {
        loaded = load(spec);
        failed = null;
        log.info("Certificates of {} are loaded again", spec.certificates());
    }

    /** Loads the files again when one has changed. Blocks. A failure is logged, once for each change. */
    void reloadIfChanged() {
        List<FileState> now = List.of();
        try {
            now = files(spec);
            if (now.equals(loaded.files())) {
                failed = null;
            } else if (!now.equals(failed)) {
                reload();
            }
        } catch (IOException e) {
            if (!now.equals(failed)) {
                failed = now;
                log.error(
                        "Certificates have changed but cannot be used; those loaded before stay in use: {}",
                        e.getMessage());
            }
        }
    }

    private static Loaded load(TlsSpec spec) throws IOException {
        // Before the contents, so that a change while they are read is found by the next check.
        List<FileState> files = files(spec);
        List<X509Certificate> chain = PemFiles.certificates(spec.certificates());
        PrivateKey key = PemFiles.privateKey(spec.key(), spec.keyPassword());
        X509Certificate own = chain.get(0);
        if (!belongTogether(own.getPublicKey(), key)) {
            throw new IOException(
                    "the key in " + spec.key() + " is not that of the certificate in " + spec.certificates());
        }
        warnOfExpiry(spec.certificates(), own);
        SslContextBuilder builder = SslContextBuilder.forServer(key, chain.toArray(new X509Certificate[0]))
                .sslProvider(SslProvider.JDK)
                .protocols(spec.versions())
                .sessionCacheSize(SESSIONS_MAX)
                .sessionTimeout(SESSION_SECONDS_MAX)
                .clientAuth(
                        switch (spec.clientCertificate()) {
                            case NONE -> ClientAuth.NONE;
                            case WANTED -> ClientAuth.OPTIONAL;
                            case REQUIRED -> ClientAuth.REQUIRE;
                        });
        if (spec.ciphers().isEmpty()) {
            builder.ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE);
        } else {
            builder.ciphers(spec.ciphers());
        }
        if (spec.trust().isPresent()) {
            builder.trustManager(PemFiles.certificates(spec.trust().get()).toArray(new X509Certificate[0]));
        }
        try {
            SslContext context = builder.build();
            // Versions and suites that the JDK does not have show when an engine is made, not before.
            context.newEngine(ByteBufAllocator.DEFAULT);
            return new Loaded(context, files);
        } catch (SSLException | IllegalArgumentException e) {
            throw new IOException("TLS with " + spec.certificates() + " cannot be set up: " + e.getMessage(), e);
        }
    }

    private static List<FileState> files(TlsSpec spec) throws IOException {
        List<FileState> files = new ArrayList<>();
        files.add(FileState.of(spec.certificates()));
        files.add(FileState.of(spec.key()));
        if (spec.trust().isPresent()) {
            files.add(FileState.of(spec.trust().get()));
        }
        return files;
    }

    private static void warnOfExpiry(Path file, X509Certificate certificate) {
        Instant now = Instant.now();
        Instant end = certificate.getNotAfter().toInstant();
        if (end.isBefore(now.plus(EXPIRY_WARNING))) {
            log.warn(
                    "The certificate in {} {} {}: put a new one there",
                    file,
                    end.isBefore(now) ? "has been invalid since" : "is invalid after",
                    end);
        }
    }

    /** Whether what one key signs the other verifies; true for kinds of keys that are not known here. */
    private static boolean belongTogether(PublicKey publicKey, PrivateKey privateKey) throws IOException {
        String algorithm = switch (publicKey.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            case "EdDSA", "Ed25519", "Ed448" -> "EdDSA";
            default -> "";
        };
        if (algorithm.isEmpty()) {
            return true;
        }
        try {
            byte[] probe = {1, 2, 3};
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(privateKey);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(probe);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            log.debug("A key cannot be of a certificate", e);
            return false;
        }
    }
}
