package org.entrepot.core.boot;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** The entrance of the product's process, whatever its command is. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
        Optional<StartOptions> plainStart = StartOptions.ofPlainStart(List.of(arguments));
        if (plainStart.isPresent()) {
            serve(plainStart.get());
        } else {
            System.exit(Commands.run(arguments));
        }
    }

    /** Starts a broker and serves until the process ends; does not return. */
    static void serve(StartOptions options) throws InterruptedException {
        Ending ending = new Ending();
        ending.install();
        try {
            ending.started(Product.start(Installation.ofThisProcess(), options, System.getenv(), ending::begin));
        } catch (StartException e) {
            System.err.println("entrepot: " + e.getMessage());
            ending.failed(e.exitCode());
        } catch (RuntimeException | Error e) {
            System.err.println("entrepot: a fault of the broker's own; please report it with what follows");
            e.printStackTrace();
            ending.failed(ExitCode.INTERNAL);
        }
        new CountDownLatch(1).await();
    }
}
