<?php
// php-amqplib: declares, publishes, consumes, dead-letters, calls and reconnects.

declare(strict_types=1);

require '/usr/share/php/PhpAmqpLib/autoload.php';

use PhpAmqpLib\Channel\AMQPChannel;
use PhpAmqpLib\Connection\AMQPStreamConnection;
use PhpAmqpLib\Exception\AMQPConnectionClosedException;
use PhpAmqpLib\Exception\AMQPIOException;
use PhpAmqpLib\Exception\AMQPProtocolChannelException;
use PhpAmqpLib\Message\AMQPMessage;
use PhpAmqpLib\Package;
use PhpAmqpLib\Wire\AMQPTable;

const QUIET_SECONDS = 20;
const MESSAGES = 200;
const RELAY_HOST = '127.0.0.1';
const ARGUMENTS = [
    'x-message-ttl' => 600000,
    'x-max-length' => 10000,
    'x-overflow' => 'reject-publish',
    'x-dead-letter-exchange' => 'check.php.dead',
];

function step(string $name, callable $action): void
{
    try {
        $action();
    } catch (Throwable $thrown) {
        echo $thrown, "\nnot ok $name\n";
        exit(1);
    }
    echo "ok $name\n";
}

function equal($actual, $expected, string $what): void
{
    if ($actual !== $expected) {
        throw new Exception("$what: expected " . var_export($expected, true) . ', got ' . var_export($actual, true));
    }
}

function raises(string $kind, callable $action, string $what): Throwable
{
    try {
        $action();
    } catch (Throwable $thrown) {
        if ($thrown instanceof $kind) {
            return $thrown;
        }
        throw $thrown;
    }
    throw new Exception("$what: expected $kind");
}

function connect(string $host, int $port): AMQPStreamConnection
{
    return new AMQPStreamConnection(
        $host,
        $port,
        'guest',
        'guest',
        connection_timeout: QUIET_SECONDS,
        read_write_timeout: QUIET_SECONDS
    );
}

function direct(): AMQPStreamConnection
{
    return connect(getenv('BROKER_HOST'), (int) getenv('BROKER_PORT'));
}

/** Waits for as many deliveries of the channel's consumers, which put them into the list. */
function await(AMQPChannel $channel, array &$deliveries, int $count): void
{
    while (count($deliveries) < $count) {
        $channel->wait(null, false, QUIET_SECONDS);
    }
    equal(count($deliveries), $count, 'deliveries');
}

/** The next message of a queue, for which a consumer comes and goes. */
function receive(AMQPChannel $channel, string $queue): AMQPMessage
{
    $deliveries = [];
    $tag = $channel->basic_consume($queue, callback: function (AMQPMessage $message) use (&$deliveries) {
        $deliveries[] = $message;
    });
    await($channel, $deliveries, 1);
    $channel->basic_cancel($tag);
    return $deliveries[0];
}

function dropConnections(): void
{
    $control = stream_socket_client('tcp://' . RELAY_HOST . ':' . getenv('RELAY_CONTROL_PORT'), timeout: QUIET_SECONDS);
    stream_set_timeout($control, QUIET_SECONDS);
    fwrite($control, "drop\n");
    $answer = fgets($control);
    if (!preg_match('/^dropped [1-9]/', (string) $answer)) {
        throw new Exception('dropping the connections: the relay answered ' . var_export($answer, true));
    }
}

function declareAll(AMQPStreamConnection $connection): void
{
    $channel = $connection->channel();
    $channel->queue_delete('check.php');
    $channel->queue_delete('check.php.dead');
    $channel->exchange_delete('check.php.topic');
    $channel->exchange_delete('check.php.dead');
    $channel->exchange_declare('check.php.topic', 'topic', durable: true, auto_delete: false);
    $channel->exchange_declare('check.php.dead', 'direct', durable: true, auto_delete: false);
    for ($again = 0; $again < 2; $again++) {
        $declared = $channel->queue_declare(
            'check.php',
            durable: true,
            auto_delete: false,
            arguments: new AMQPTable(ARGUMENTS)
        );
        equal($declared, ['check.php', 0, 0], 'declare-ok');
    }
    $channel->queue_bind('check.php', 'check.php.topic', 'check.*');
    $channel->queue_declare('check.php.dead', durable: true, auto_delete: false);
    $channel->queue_bind('check.php.dead', 'check.php.dead', 'check.reject');

    $refused = raises(
        AMQPProtocolChannelException::class,
        fn () => $connection->channel()->queue_declare('check.php', durable: true, auto_delete: false),
        'a declare without the arguments'
    );
    equal($refused->amqp_reply_code, 406, 'reply code');
    equal(
        strpos($refused->amqp_reply_text, "PRECONDITION_FAILED - inequivalent arg 'x-"),
        0,
        "start of '$refused->amqp_reply_text'"
    );
    $absent = raises(
        AMQPProtocolChannelException::class,
        fn () => $connection->channel()->queue_declare('check.php.absent', passive: true),
        'a passive declare of an absent queue'
    );
    equal($absent->amqp_reply_text, "NOT_FOUND - no queue 'check.php.absent' in vhost '/'", 'reply text');
    $channel->close();
}

function publish(AMQPStreamConnection $connection): void
{
    $channel = $connection->channel();
    $confirmed = $refused = $returned = [];
    $channel->set_ack_handler(function (AMQPMessage $message) use (&$confirmed) {
        $confirmed[] = $message->getBody();
    });
    $channel->set_nack_handler(function (AMQPMessage $message) use (&$refused) {
        $refused[] = $message->getBody();
    });
    $channel->set_return_listener(function ($code, $text, $exchange, $key, $message) use (&$returned) {
        $returned[] = [$code, $text, $exchange, $key, $message->getBody()];
    });
    $channel->confirm_select();
    $bodies = [];
    for ($number = 0; $number < MESSAGES; $number++) {
        $bodies[] = "message $number";
        $message = new AMQPMessage("message $number", [
            'delivery_mode' => AMQPMessage::DELIVERY_MODE_PERSISTENT,
            'application_headers' => new AMQPTable(['kind' => 'check', 'number' => $number, 'list' => [1, 'two', true]]),
        ]);
        $channel->basic_publish($message, 'check.php.topic', 'check.publish', mandatory: true);
    }
    $channel->wait_for_pending_acks_returns(QUIET_SECONDS);
    sort($confirmed);
    sort($bodies);
    equal($confirmed, $bodies, 'confirmed messages');
    equal([$refused, $returned], [[], []], 'refused and returned messages');
    $channel->basic_publish(new AMQPMessage('nobody'), 'check.php.topic', 'elsewhere', mandatory: true);
    $channel->wait_for_pending_acks_returns(QUIET_SECONDS);
    equal($returned, [[312, 'NO_ROUTE', 'check.php.topic', 'elsewhere', 'nobody']], 'returned');
    equal(count($confirmed), MESSAGES + 1, 'confirms, the returned message included');
    equal($channel->queue_declare('check.php', passive: true)[1], MESSAGES, 'messages in the queue');
    $channel->close();
}

function consume(AMQPStreamConnection $connection): void
{
    $channel = $connection->channel();
    $channel->basic_qos(0, 20, false);
    $deliveries = [];
    $tag = $channel->basic_consume('check.php', callback: function (AMQPMessage $message) use (&$deliveries) {
        $deliveries[] = $message;
        if (count($deliveries) % 10 === 0) {
            $message->ack(true);
        }
    });
    await($channel, $deliveries, MESSAGES);
    $channel->basic_cancel($tag);
    foreach ($deliveries as $number => $message) {
        equal($message->getBody(), "message $number", 'body, in the order published');
        equal($message->isRedelivered(), false, 'redelivered');
        equal(
            $message->get('application_headers')->getNativeData(),
            ['kind' => 'check', 'number' => $number, 'list' => [1, 'two', true]],
            'headers'
        );
    }
    equal($channel->basic_get('check.php'), null, 'get from the emptied queue');
    $channel->close();
}

function deadLetter(AMQPStreamConnection $connection): void
{
    $channel = $connection->channel();
    $persistent = ['delivery_mode' => AMQPMessage::DELIVERY_MODE_PERSISTENT];
    $channel->basic_publish(new AMQPMessage('reject me', $persistent), 'check.php.topic', 'check.reject');
    receive($channel, 'check.php')->reject(true);
    $message = receive($channel, 'check.php');
    equal($message->isRedelivered(), true, 'redelivered after a reject with requeue');
    $message->nack(false);
    $message = receive($channel, 'check.php.dead');
    equal([$message->getBody(), $message->getExchange()], ['reject me', 'check.php.dead'], 'dead letter');
    $death = $message->get('application_headers')->getNativeData()['x-death'][0];
    unset($death['time']);
    ksort($death);
    equal($death, [
        'count' => 1,
        'exchange' => 'check.php.topic',
        'queue' => 'check.php',
        'reason' => 'rejected',
        'routing-keys' => ['check.reject'],
    ], 'x-death');
    $message->ack();
    $channel->close();
}

function rpc(AMQPStreamConnection $connection): void
{
    $serverConnection = direct();
    $server = $serverConnection->channel();
    [$requests] = $server->queue_declare('', exclusive: true);
    $answers = [];
    $caller = $connection->channel();
    $caller->basic_consume('amq.rabbitmq.reply-to', no_ack: true, callback: function ($message) use (&$answers) {
        $answers[] = [$message->get('correlation_id'), $message->getBody()];
    });
    $caller->basic_publish(
        new AMQPMessage('20 22', ['reply_to' => 'amq.rabbitmq.reply-to', 'correlation_id' => 'call 1']),
        '',
        $requests
    );
    $request = receive($server, $requests);
    $answer = new AMQPMessage(
        (string) array_sum(explode(' ', $request->getBody())),
        ['correlation_id' => $request->get('correlation_id')]
    );
    $server->basic_publish($answer, '', $request->get('reply_to'));
    $request->ack();
    await($caller, $answers, 1);
    equal($answers, [['call 1', '42']], 'answers');
    $caller->close();
    $serverConnection->close();
}

function reconnect(): void
{
    $connection = connect(RELAY_HOST, (int) getenv('RELAY_PORT'));
    $channel = $connection->channel();
    $channel->confirm_select();
    $persistent = ['delivery_mode' => AMQPMessage::DELIVERY_MODE_PERSISTENT];
    $channel->basic_publish(new AMQPMessage('survives', $persistent), 'check.php.topic', 'check.again');
    $channel->wait_for_pending_acks(QUIET_SECONDS);
    $deliveries = [];
    $channel->basic_consume('check.php', callback: function (AMQPMessage $message) use (&$deliveries) {
        $deliveries[] = [$message->getBody(), $message->isRedelivered()];
    });
    await($channel, $deliveries, 1);
    equal($deliveries, [['survives', false]], 'before the drop');
    dropConnections();
    try {
        $channel->wait(null, false, QUIET_SECONDS);
        throw new Exception('the dropped connection went on');
    } catch (AMQPConnectionClosedException | AMQPIOException $expected) {
        $connection->reconnect();
    }
    $channel = $connection->channel();
    $message = receive($channel, 'check.php');
    equal([$message->getBody(), $message->isRedelivered()], ['survives', true], 'what was not acknowledged');
    $message->ack();
    $channel->queue_delete('check.php');
    $channel->queue_delete('check.php.dead');
    $channel->exchange_delete('check.php.topic');
    $channel->exchange_delete('check.php.dead');
    $connection->close();
}

echo 'client php-amqplib ', Package::VERSION, "\n";
$connection = direct();
step('declare', fn () => declareAll($connection));
step('publish', fn () => publish($connection));
step('consume', fn () => consume($connection));
step('dead-letter', fn () => deadLetter($connection));
step('rpc', fn () => rpc($connection));
$connection->close();
step('reconnect', fn () => reconnect());
