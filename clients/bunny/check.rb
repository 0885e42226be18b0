# bunny: declares, publishes, consumes, dead-letters, calls and reconnects.

require "bunny"
require "socket"
require "timeout"

HOST = ENV.fetch("BROKER_HOST")
PORT = ENV.fetch("BROKER_PORT").to_i
RELAY_HOST = "127.0.0.1"
RELAY_PORT = ENV.fetch("RELAY_PORT").to_i
QUIET_SECONDS = 20
MESSAGES = 200
ARGUMENTS = {
  "x-queue-type" => "quorum",
  "x-dead-letter-exchange" => "check.bunny.dead",
  "x-max-length" => 10_000
}.freeze

def step(name)
  yield
  puts "ok #{name}"
rescue Exception => e # rubocop:disable Lint/RescueException
  puts e.full_message(highlight: false), "not ok #{name}"
  exit! 1
end

def equal(actual, expected, what)
  raise "#{what}: expected #{expected.inspect}, got #{actual.inspect}" unless actual == expected
end

def raises(kind, what)
  yield
rescue kind => e
  e
else
  raise "#{what}: expected #{kind}"
end

def connect(host = HOST, port = PORT, **options)
  Bunny.new(host: host, port: port, continuation_timeout: QUIET_SECONDS * 1000, log_level: Logger::ERROR, **options).start
end

# The next element that another thread puts there.
def take(queue, what)
  Timeout.timeout(QUIET_SECONDS, nil, "#{what}: nothing within #{QUIET_SECONDS} s") { queue.pop }
end

# Subscribes with manual acknowledgements; deliveries arrive in the answer as [delivery_info, properties, body].
def subscribe(queue, **options)
  deliveries = Queue.new
  consumer = queue.subscribe(manual_ack: true, **options) { |*delivery| deliveries << delivery }
  [deliveries, consumer]
end

def drop_connections
  TCPSocket.open(RELAY_HOST, ENV.fetch("RELAY_CONTROL_PORT").to_i) do |control|
    control.puts "drop"
    answer = Timeout.timeout(QUIET_SECONDS) { control.gets }
    raise "dropping the connections: the relay answered #{answer.inspect}" unless answer =~ /\Adropped [1-9]/
  end
end

def declare(connection)
  channel = connection.create_channel
  %w[check.bunny check.bunny.dead].each { |name| channel.queue_delete(name) }
  %w[check.bunny.headers check.bunny.dead].each { |name| channel.exchange_delete(name) }
  channel.headers("check.bunny.headers", durable: true)
  channel.fanout("check.bunny.dead", durable: true)
  2.times { channel.queue("check.bunny", durable: true, arguments: ARGUMENTS) }
  channel.queue_bind("check.bunny", "check.bunny.headers", arguments: { "x-match" => "all", "kind" => "check" })
  channel.queue("check.bunny.dead", durable: true).bind("check.bunny.dead")

  error = raises(Bunny::PreconditionFailed, "another x-max-length") do
    connection.create_channel.queue("check.bunny", durable: true, arguments: ARGUMENTS.merge("x-max-length" => 5))
  end
  equal(error.channel_close.reply_text,
        "PRECONDITION_FAILED - inequivalent arg 'x-max-length' for queue 'check.bunny' in vhost '/': " \
        "received '5' but current is '10000'", "reply text")
  equal(connection.queue_exists?("check.bunny.absent"), false, "a passive declare of an absent queue")
  equal(connection.queue_exists?("check.bunny"), true, "a passive declare of the queue")
  channel.close
end

def publish(connection)
  channel = connection.create_channel
  channel.confirm_select
  exchange = channel.headers("check.bunny.headers", durable: true)
  returned = Queue.new
  exchange.on_return { |*message| returned << message }
  MESSAGES.times do |number|
    exchange.publish("message #{number}", persistent: true, mandatory: true, headers: { "kind" => "check" })
  end
  equal(channel.wait_for_confirms, true, "all confirmed")
  equal(channel.nacked_set.to_a, [], "refused")
  equal(returned.size, 0, "returned")
  exchange.publish("nobody", mandatory: true, headers: { "kind" => "other" })
  info, _, body = take(returned, "return")
  equal([info.reply_code, info.reply_text, body], [312, "NO_ROUTE", "nobody"], "return")
  equal(channel.wait_for_confirms, true, "the returned one confirmed")
  equal(channel.queue("check.bunny", passive: true).message_count, MESSAGES, "messages in the queue")
  channel.close
end

def consume(connection)
  channel = connection.create_channel
  channel.prefetch(20)
  queue = channel.queue("check.bunny", passive: true)
  deliveries, consumer = subscribe(queue)
  MESSAGES.times do |number|
    info, properties, body = take(deliveries, "message #{number}")
    equal(body, "message #{number}", "body, in the order published")
    equal([info.redelivered?, properties.delivery_mode, properties.headers["kind"]], [false, 2, "check"], "delivery")
    channel.ack(info.delivery_tag, true) if number % 10 == 9
  end
  consumer.cancel
  equal(queue.pop, [nil, nil, nil], "get from the emptied queue")
  channel.close
end

def dead_letter(connection)
  channel = connection.create_channel
  channel.prefetch(1)
  channel.headers("check.bunny.headers", durable: true)
         .publish("reject me", routing_key: "some.key", persistent: true, headers: { "kind" => "check" })
  deliveries, consumer = subscribe(channel.queue("check.bunny", passive: true))
  info, properties, = take(deliveries, "the message to reject")
  equal(properties.headers.key?("x-delivery-count"), false, "a delivery count at first")
  channel.reject(info.delivery_tag, true)
  info, properties, = take(deliveries, "the message requeued")
  equal([info.redelivered?, properties.headers["x-delivery-count"]], [true, 1], "after a reject with requeue")
  channel.nack(info.delivery_tag, false, false)
  consumer.cancel

  deliveries, consumer = subscribe(channel.queue("check.bunny.dead", passive: true))
  info, properties, body = take(deliveries, "the dead letter")
  equal([body, info.exchange, info.routing_key], ["reject me", "check.bunny.dead", "some.key"], "dead letter")
  death = properties.headers.fetch("x-death").first
  equal(death.slice("queue", "reason", "count", "exchange", "routing-keys"),
        { "queue" => "check.bunny", "reason" => "rejected", "count" => 1, "exchange" => "check.bunny.headers",
          "routing-keys" => ["some.key"] }, "x-death")
  channel.ack(info.delivery_tag)
  consumer.cancel
  channel.close
end

def rpc(connection)
  server_connection = connect
  server = server_connection.create_channel
  requests = server.queue("", exclusive: true)
  requests.subscribe do |_, properties, body|
    server.default_exchange.publish(body.split.sum(&:to_i).to_s, routing_key: properties.reply_to,
                                                                 correlation_id: properties.correlation_id)
  end

  caller = connection.create_channel
  answers = Queue.new
  caller.basic_consume("amq.rabbitmq.reply-to", "", true) do |_, properties, body|
    answers << [properties.correlation_id, body]
  end
  caller.default_exchange.publish("20 22", routing_key: requests.name, reply_to: "amq.rabbitmq.reply-to",
                                           correlation_id: "call 1")
  equal(take(answers, "answer"), ["call 1", "42"], "answer")
  caller.close
  server_connection.close
end

def reconnect
  recovered = Queue.new
  connection = connect(RELAY_HOST, RELAY_PORT, network_recovery_interval: 0.05, recovery_completed: -> { recovered << true })
  channel = connection.create_channel
  channel.confirm_select
  channel.prefetch(1)
  queue = channel.queue("check.bunny", passive: true)
  temporary = channel.queue("", exclusive: true)
  exchange = channel.headers("check.bunny.headers", durable: true)
  exchange.publish("survives", persistent: true, headers: { "kind" => "check" })
  equal(channel.wait_for_confirms, true, "confirmed before the drop")
  deliveries, = subscribe(queue)
  info, _, body = take(deliveries, "the delivery before the drop")
  equal([body, info.redelivered?], ["survives", false], "before the drop")

  drop_connections
  take(recovered, "recovery")
  info, _, body = take(deliveries, "the delivery after the drop")
  equal([body, info.redelivered?], ["survives", true], "what was not acknowledged, to the consumer that came back")
  channel.ack(info.delivery_tag)

  # bunny declared the exclusive queue again, under the name that the broker now gives.
  channel.default_exchange.publish("to the new queue", routing_key: temporary.name)
  equal(channel.wait_for_confirms, true, "confirmed after the drop")
  equal(temporary.pop.last, "to the new queue", "from the exclusive queue that came back")
  %w[check.bunny check.bunny.dead].each { |name| channel.queue_delete(name) }
  %w[check.bunny.headers check.bunny.dead].each { |name| channel.exchange_delete(name) }
  connection.close
end

$stdout.sync = true
puts "client bunny #{Bunny::VERSION}"
connection = connect
step("declare") { declare(connection) }
step("publish") { publish(connection) }
step("consume") { consume(connection) }
step("dead-letter") { dead_letter(connection) }
step("rpc") { rpc(connection) }
connection.close
step("reconnect") { reconnect }
