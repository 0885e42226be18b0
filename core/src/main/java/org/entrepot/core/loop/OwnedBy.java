package org.entrepot.core.loop;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says which loop alone may touch a mutable object. Asserted with {@link Loop#owns} where the object is entered. */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
public @interface OwnedBy {

    /** In words: "the connection's loop", "the queue's home loop". */
    String value();
}
