#!/usr/bin/env python3
"""A small object server whose answers are wrong in ways that a real one's seldom are.

    answers.py LOG [CERTIFICATE KEY]   prints its port, then serves until its standard input ends;
                                       by TLS when a certificate is given

What goes wrong is named by the container, "strata-<behaviour>", or else by the account,
"AUTH_<behaviour>", which the authentication URL ".../auth/as-<behaviour>" leads to; the methods
below say what there is. Each request is one line of LOG:
"METHOD PATH STATUS connection=N expect=VALUE token=VALUE"."""
import hashlib
import itertools
import os
import socket
import ssl
import struct
import sys
import threading
import time

lock = threading.Lock()
objects = {}
containers = set()
counts = {}
tokens = itertools.count(1)
state = {"token": None, "dead": set()}
log = open(sys.argv[1], "w", buffering=1)


def count(name):
    """How often this was called before, for the name."""
    with lock:
        counts[name] = counts.get(name, 0) + 1
        return counts[name] - 1


class Connection:
    def __init__(self, sock, number):
        self.sock, self.number, self.served = sock, number, 0
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def serve(self):
        try:
            if tls:
                self.sock = tls.wrap_socket(self.sock, server_side=True)
            self.file = self.sock.makefile("rb")
            while self.serve_one():
                pass
        except (OSError, ValueError):
            pass
        self.sock.close()

    def serve_one(self):
        line = self.file.readline()
        if not line:
            return False
        self.method, self.path, _ = line.decode().split()
        self.headers = {}
        while (line := self.file.readline().strip()):
            name, value = line.decode().split(":", 1)
            self.headers[name.lower()] = value.strip()
        return self.dispatch() is not False

    def read_body(self):
        return self.file.read(int(self.headers.get("content-length", 0)))

    def note(self, status):
        log.write("%s %s %s connection=%d expect=%s token=%s\n" % (
            self.method, self.path, status, self.number, self.headers.get("expect", "-"),
            self.headers.get("x-auth-token", "-")))

    def answer(self, status, body=b"", length=None, **headers):
        self.note(status)
        self.served += 1
        head = "HTTP/1.1 %d Answer\r\nContent-Length: %d\r\n" % (
            status, len(body) if length is None else length)
        for name, value in headers.items():
            head += "%s: %s\r\n" % (name.replace("_", "-"), value)
        if status == 204:
            head, body = "HTTP/1.1 204 Answer\r\n", b""
        if self.method == "HEAD":
            body = b""
        self.sock.sendall(head.encode() + b"\r\n" + body)

    def reset(self):
        self.note("reset")
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.file.close()
        self.sock.close()
        return False

    def silence(self):
        self.note("silence")
        time.sleep(60)
        return False

    # --- who may in ---

    def authenticate(self, kind):
        if kind == "refuse":
            return self.answer(401)
        if kind == "silent":
            return self.silence()
        if kind == "empty":
            return self.answer(200)
        if kind == "busy" and count("busy") < 2:
            return self.answer(503)
        if kind == "down":
            return self.answer(503)
        with lock:
            state["token"] = "t%d" % next(tokens)
            state["used"] = 0
        account = kind.removeprefix("as-") if kind.startswith("as-") else "test"
        url = "%s://127.0.0.1:%d/v1/AUTH_%s" % ("https" if tls else "http", port, account)
        if kind == "moves" and count("moves") > 0:
            url = "http://127.0.0.1:1/v1/elsewhere"
        return self.answer(200, X_Storage_Url=url + ("/" if kind == "slash" else ""),
                           X_Auth_Token=state["token"])

    # --- what goes wrong with a request to an object ---

    def dispatch(self):
        parts = self.path.split("/", 4)
        if parts[1] == "auth":
            return self.authenticate(parts[2])
        container = parts[3] if len(parts) > 3 else ""
        behaviour = container.removeprefix("strata-")
        if parts[2] != "AUTH_test":
            behaviour = parts[2].removeprefix("AUTH_")
        if len(parts) < 5:
            return self.container(container, behaviour)
        if behaviour == "token-dies" and self.headers["x-auth-token"] == state["token"]:
            with lock:
                state["used"] += 1
                if state["used"] > 20:
                    state["dead"].add(state["token"])
        if self.headers.get("x-auth-token") in state["dead"] or behaviour == "token-refused":
            self.read_body()
            return self.answer(401)
        return getattr(self, "object_" + self.method.lower())(self.path, behaviour)

    def container(self, container, behaviour):
        body = self.read_body()
        if not container:
            return self.answer(204)
        if self.method == "PUT":
            if behaviour == "container-refused":
                return self.answer(400)
            with lock:
                new = container not in containers
                containers.add(container)
            return self.answer(201 if new else 202)
        if container not in containers and behaviour != "exists":
            return self.answer(404)
        names = [path.rsplit("/", 1)[1] for path in objects if "/%s/" % container in path]
        if self.method == "GET":
            return self.answer(200, "".join(name + "\n" for name in names).encode())
        if self.method == "DELETE":
            if names:
                return self.answer(409)
            containers.discard(container)
        return self.answer(204)

    def object_put(self, path, behaviour):
        if behaviour == "put-413":
            self.answer(413, b"too large", Connection="close")
            return False
        if behaviour == "put-reset" or (behaviour == "put-kept-reset" and self.served > 0):
            return self.reset()
        if behaviour == "put-late":
            body = self.read_body()
            threading.Timer(0.5, lambda: objects.__setitem__(path, body)).start()
            return self.silence()
        body = self.read_body()
        if behaviour in ("put-202", "put-404", "put-422", "put-503", "put-507"):
            return self.answer(int(behaviour[4:]))
        if behaviour == "put-alternating" and count(behaviour) % 2 == 0:
            return self.answer(503)
        if behaviour == "put-silent":
            return self.silence()
        with lock:
            objects[path] = body
        etag = hashlib.md5(body).hexdigest()
        if behaviour == "put-quoted":
            etag = '"%s"' % etag.upper()
        if behaviour == "put-wrong":
            etag = etag[::-1]
        if behaviour == "put-none":
            return self.answer(201)
        self.answer(201, Etag=etag)
        return behaviour != "put-closed"

    def object_get(self, path, behaviour):
        body = objects.get(path)
        if body is None:
            return self.answer(404, b"<html>not found</html>")
        etag = hashlib.md5(body).hexdigest()
        if behaviour == "get-quoted":
            etag = '"%s"' % etag
        if behaviour == "get-etag":
            etag = "0" * 32
        if behaviour == "get-wrong":
            body = body[:-1] + bytes([body[-1] ^ 1])
        if behaviour == "get-short":
            body = body[:-1]
        if behaviour == "get-long":
            body += b"x"
        if behaviour == "get-cut":
            self.answer(200, body[:-100], length=len(body), Etag=etag)
            return False
        if behaviour == "get-stuck":
            self.answer(200, body[:-100], length=len(body), Etag=etag)
            return self.silence()
        if behaviour == "get-slow":
            part = len(body) // 5
            self.answer(200, body[:part], length=len(body), Etag=etag)
            for at in range(part, len(body), part):
                time.sleep(0.3)
                self.sock.sendall(body[at:at + part])
            return True
        return self.answer(200, body, Etag=etag)

    def object_delete(self, path, behaviour):
        with lock:
            found = objects.pop(path, None) is not None
        return self.answer(204 if found else 404)


tls = None
if len(sys.argv) > 2:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[2], sys.argv[3])
listener = socket.create_server(("127.0.0.1", 0), backlog=256)
port = listener.getsockname()[1]
print(port, flush=True)


def accept():
    for number in itertools.count(1):
        sock, _ = listener.accept()
        threading.Thread(target=Connection(sock, number).serve, daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
os._exit(0)
