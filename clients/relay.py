"""A TCP relay that cuts its connections on command, so that a client meets a dropped connection as networks make them.

One relay serves one client. Its control port takes one command, the line "drop": every connection then open is reset
towards the client and closed towards the broker, and once that is done the number of connections dropped is answered.
"""

import socket
import struct
import threading

CHUNK_BYTES = 65536
CONNECT_SECONDS = 10
DROP_SECONDS = 10


class Relay:
    """Listens on two ephemeral loopback ports; its connections run on daemon threads, and a lock guards their set."""

    def __init__(self, host, port):
        self._broker = (host, port)
        self._lock = threading.Lock()
        self._pairs = set()
        self._listeners = []
        self.port = self._listen(self._relay)
        self.control_port = self._listen(self._obey)

    def close(self):
        for listener in self._listeners:
            # Wakes the thread in accept(), which close() alone does not.
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        self._drop()

    def _listen(self, serve):
        listener = socket.create_server(("127.0.0.1", 0))
        self._listeners.append(listener)
        threading.Thread(target=self._accept, args=(listener, serve), daemon=True).start()
        return listener.getsockname()[1]

    @staticmethod
    def _accept(listener, serve):
        while True:
            try:
                accepted, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(accepted,), daemon=True).start()

    def _relay(self, client):
        try:
            broker = socket.create_connection(self._broker, timeout=CONNECT_SECONDS)
        except OSError:
            client.close()
            return
        broker.settimeout(None)
        pair = _Pair(client, broker)
        with self._lock:
            self._pairs.add(pair)
        pair.copy()
        with self._lock:
            self._pairs.discard(pair)

    def _drop(self):
        with self._lock:
            pairs = list(self._pairs)
        return sum(pair.drop() for pair in pairs)

    def _obey(self, caller):
        with caller, caller.makefile("r", encoding="ascii") as lines:
            for line in lines:
                answer = f"dropped {self._drop()}" if line.strip() == "drop" else "unknown command"
                caller.sendall(f"{answer}\n".encode("ascii"))


class _Pair:
    """One relayed connection: its socket towards the client and its socket towards the broker."""

    def __init__(self, client, broker):
        self._client = client
        self._broker = broker
        self._dropped = False
        self._closed = threading.Event()
        for side in (client, broker):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def copy(self):
        """Copies both ways until both have ended, then closes both sockets."""
        backward = threading.Thread(target=self._copy, args=(self._broker, self._client), daemon=True)
        backward.start()
        self._copy(self._client, self._broker)
        backward.join()
        self._client.close()
        self._broker.close()
        self._closed.set()

    def drop(self):
        """Cuts the connection and waits until it is cut. True unless it had ended before."""
        try:
            # Lingering for zero seconds turns the close in copy() into a reset. Only reading is shut down here, which
            # wakes the copying threads: shutting down writing would tell the client of an orderly end.
            self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._dropped = True
            self._client.shutdown(socket.SHUT_RD)
            self._broker.shutdown(socket.SHUT_RDWR)
        except OSError:
            return False
        if not self._closed.wait(DROP_SECONDS):
            raise TimeoutError("a connection could not be dropped")
        return True

    def _copy(self, source, target):
        try:
            while chunk := source.recv(CHUNK_BYTES):
                target.sendall(chunk)
            if not self._dropped:
                target.shutdown(socket.SHUT_WR)
        except OSError:
            # One side is gone: the other learns of it by the close of both.
            self._wake(source)
            self._wake(target)

    @staticmethod
    def _wake(side):
        try:
            side.shutdown(socket.SHUT_RD)
        except OSError:
            pass
