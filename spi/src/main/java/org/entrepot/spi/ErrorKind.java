package org.entrepot.spi;

/** What sort of refusal a {@link BrokerException} is. */
public enum ErrorKind {
    /** The thing named does not exist. */
    NOT_FOUND,
    /** The thing exists, or is asked for, with other properties; or a value is not allowed. */
    PRECONDITION_FAILED,
    /** The principal may not do this, or nobody may. */
    ACCESS_REFUSED,
    /** Somebody else holds the thing exclusively. */
    RESOURCE_LOCKED,
    /** A rule of the broker forbids it: a limit, a virtual host that is not there or not open to this user. */
    NOT_ALLOWED,
    /** The broker cannot do this (yet). */
    NOT_IMPLEMENTED,
    /** A command with arguments that make no sense. */
    COMMAND_INVALID,
    /** A limit on memory, rate or number was reached. */
    RESOURCE_ERROR,
    /** An operator or the end of the broker closed it. */
    FORCED,
    /** A newer holder took the name over. */
    CONFLICT,
    /** A fault of the broker itself. */
    INTERNAL_ERROR
}
