# The stomp gem: sends with receipts, consumes, commits and aborts, dead-letters, calls and reconnects.

require "socket"
require "stomp"
require "timeout"

HOST = ENV.fetch("BROKER_HOST")
PORT = ENV.fetch("BROKER_PORT").to_i
RELAY_HOST = "127.0.0.1"
RELAY_PORT = ENV.fetch("RELAY_PORT").to_i
QUIET_SECONDS = 20
MESSAGES = 200
QUEUE = "/queue/check.ruby-stomp"
DEAD_QUEUE = "/queue/check.ruby-stomp.dead"
CALLS = "/queue/check.ruby-stomp.calls"
ARGUMENTS = {
  "x-message-ttl" => "600000",
  "x-dead-letter-exchange" => "",
  "x-dead-letter-routing-key" => "check.ruby-stomp.dead"
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

# A connection of version 1.1 that is not opened again by the gem.
def connect(host = HOST, port = PORT)
  Stomp::Connection.new(
    hosts: [{login: "guest", passcode: "guest", host: host, port: port}],
    reliable: false,
    connect_headers: {"accept-version" => "1.1", "host" => "/", "heart-beat" => "5000,5000"}
  )
end

def receive(connection, what)
  Timeout.timeout(QUIET_SECONDS, nil, "#{what}: nothing within #{QUIET_SECONDS} s") { connection.receive }
end

# The next frame, which must be of this command.
def expect(connection, command, what)
  frame = receive(connection, what)
  raise "#{what}: expected #{command}, got #{frame.inspect}" unless frame && frame.command == command

  frame
end

# Nothing has come that was not expected: a receipt that is asked for now comes next.
def nothing(connection)
  connection.publish("/topic/check.nobody", "", receipt: "nothing")
  equal(expect(connection, "RECEIPT", "a receipt").headers["receipt-id"], "nothing", "receipt")
end

def ack(connection, message)
  connection.ack(message.headers["message-id"], subscription: message.headers["subscription"])
end

def send_all(connection)
  headers = {"persistent" => "true", "odd" => "a:b\nc"}.merge(ARGUMENTS)
  MESSAGES.times do |number|
    connection.publish(QUEUE, "message #{number}", headers.merge("number" => number.to_s, "receipt" => "sent-#{number}"))
  end
  receipts = Array.new(MESSAGES) { expect(connection, "RECEIPT", "receipts").headers["receipt-id"] }
  equal(receipts.sort, Array.new(MESSAGES) { |number| "sent-#{number}" }.sort, "receipts")
end

def consume(connection)
  connection.subscribe(QUEUE, {"ack" => "client-individual", "prefetch-count" => "10"}.merge(ARGUMENTS), "1")
  MESSAGES.times do |number|
    message = expect(connection, "MESSAGE", "deliveries")
    equal(message.body, "message #{number}", "body")
    equal(message.headers["number"], number.to_s, "a header")
    equal(message.headers["odd"], "a:b\nc", "a header with escapes")
    ack(connection, message)
  end
  nothing(connection)
end

def transaction(connection)
  %w[abort commit].each do |ending|
    connection.begin(ending)
    connection.publish(QUEUE, "by #{ending}", transaction: ending)
    nothing(connection)
    connection.public_send(ending, ending)
  end
  message = expect(connection, "MESSAGE", "what was committed")
  equal(message.body, "by commit", "body")
  ack(connection, message)
  nothing(connection)
end

def dead_letter(connection)
  connection.subscribe(DEAD_QUEUE, {"ack" => "auto"}, "dead")
  connection.publish(QUEUE, "unwanted")
  message = expect(connection, "MESSAGE", "the message")
  connection.nack(message.headers["message-id"], subscription: "1", requeue: "false")
  dead = expect(connection, "MESSAGE", "the dead letter")
  equal(dead.headers["x-first-death-queue"], "check.ruby-stomp", "x-first-death-queue")
  equal(dead.headers["x-first-death-reason"], "rejected", "x-first-death-reason")
end

def rpc(connection)
  server = connect
  server.subscribe(CALLS, {"ack" => "auto"}, "calls")
  connection.publish(CALLS, "20 22", "reply-to" => "/temp-queue/answers", "correlation-id" => "c1")
  call = expect(server, "MESSAGE", "the call")
  total = call.body.split.sum(&:to_i)
  server.publish(call.headers["reply-to"], total.to_s, "correlation-id" => call.headers["correlation-id"])
  answer = expect(connection, "MESSAGE", "the answer")
  equal([answer.body, answer.headers["correlation-id"]], %w[42 c1], "answer")
  server.disconnect
end

def drop_connections
  TCPSocket.open(RELAY_HOST, ENV.fetch("RELAY_CONTROL_PORT").to_i) do |control|
    control.puts "drop"
    answer = Timeout.timeout(QUIET_SECONDS) { control.gets }
    raise "dropping the connections: the relay answered #{answer.inspect}" unless answer =~ /\Adropped [1-9]/
  end
end

def reconnect
  connection = connect(RELAY_HOST, RELAY_PORT)
  connection.subscribe(QUEUE, {"ack" => "client"}.merge(ARGUMENTS), "1")
  connection.publish(QUEUE, "kept", "persistent" => "true")
  equal(expect(connection, "MESSAGE", "the message").headers["redelivered"], "false", "redelivered")
  drop_connections
  begin
    frame = receive(connection, "the end of the connection")
    raise "the end of the connection: got #{frame.inspect}" if frame
  rescue SystemCallError, IOError, Stomp::Error::ProtocolException, Stomp::Error::NoCurrentConnection
    # That is the end.
  end

  connection = connect(RELAY_HOST, RELAY_PORT)
  connection.subscribe(QUEUE, {"ack" => "client"}.merge(ARGUMENTS), "1")
  again = expect(connection, "MESSAGE", "the message again")
  equal([again.body, again.headers["redelivered"]], %w[kept true], "redelivery")
  ack(connection, again)
  nothing(connection)
  connection.disconnect
end

puts "client ruby stomp #{Gem.loaded_specs["stomp"]&.version || Stomp::Version::STRING}"
connection = connect
step("send") { send_all(connection) }
step("consume") { consume(connection) }
step("transaction") { transaction(connection) }
step("dead-letter") { dead_letter(connection) }
step("rpc") { rpc(connection) }
connection.disconnect
step("reconnect") { reconnect }
