"""The Celery application that check.py calls and a worker process serves. BROKER_URL says where its broker is."""

import os

import celery
from celery.exceptions import Reject
from kombu import Exchange, Queue

DEAD_EXCHANGE = Exchange("check.celery.dead", "fanout", durable=True)
DEAD_QUEUE = Queue("check.celery.dead", DEAD_EXCHANGE, durable=True)
QUEUE = Queue(
    "check.celery",
    Exchange("check.celery", "topic", durable=True),
    routing_key="check.task",
    max_priority=5,
    queue_arguments={"x-dead-letter-exchange": DEAD_EXCHANGE.name},
)

app = celery.Celery("check", broker=os.environ["BROKER_URL"], backend="rpc://")
app.conf.update(
    broker_transport_options={"confirm_publish": True},
    task_acks_late=True,
    task_create_missing_queues=False,
    task_default_exchange=QUEUE.exchange.name,
    task_default_queue=QUEUE.name,
    task_default_routing_key=QUEUE.routing_key,
    task_queues=[QUEUE],
    worker_prefetch_multiplier=2,
    worker_redirect_stdouts=False,
)


@app.task
def add(one, other):
    return one + other


@app.task(bind=True, max_retries=1)
def fail_once(self):
    if self.request.retries < 1:
        raise self.retry(countdown=0.1)
    return self.request.retries


@app.task(bind=True)
def refuse(self):
    raise Reject("not this one", requeue=False)
