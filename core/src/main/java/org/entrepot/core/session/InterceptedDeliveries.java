package org.entrepot.core.session;

import java.util.List;
import org.entrepot.core.queue.DeliveryBatch;
import org.entrepot.spi.intercept.DeliveryInterceptor;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.security.Principal;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.QueueHandle;

/** A batch whose messages are what interceptors make of them. Immutable. */
record InterceptedDeliveries(DeliveryBatch batch, Principal principal, List<DeliveryInterceptor> interceptors)
        implements Deliveries {

    @Override
    public Message message(int i) {
        Message message = batch.message(i);
        for (DeliveryInterceptor interceptor : interceptors) {
            message = interceptor.intercept(principal, batch.queue().name(), message);
        }
        return message;
    }

    @Override
    public QueueHandle queue() {
        return batch.queue();
    }

    @Override
    public int size() {
        return batch.size();
    }

    @Override
    public long position(int i) {
        return batch.position(i);
    }

    @Override
    public boolean redelivered(int i) {
        return batch.redelivered(i);
    }

    @Override
    public int returns(int i) {
        return batch.returns(i);
    }

    @Override
    public Envelope envelope(int i) {
        return batch.envelope(i);
    }

    @Override
    public Annotations annotations(int i) {
        return batch.annotations(i);
    }

    @Override
    public long waitedMillis(int i) {
        return batch.waitedMillis(i);
    }
}
