package org.entrepot.core.admin;

import java.util.List;

/** Something the command line can ask a running broker for. Called on threads of the control socket, which it may block. */
@FunctionalInterface
public interface ControlCommand {

    /**
     * Does it and says what to print.
     *
     * @throws Exception to have its message printed and the command fail
     */
    String run(List<String> arguments) throws Exception;
}
