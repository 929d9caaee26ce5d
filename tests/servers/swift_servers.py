#!/usr/bin/python3
"""Make Swift's rings and start its servers, importing Swift only once for all of them.

    swift_servers.py CONFIGURATION RUNNING account=PORT container=PORT object=PORT PROXY...

Reads CONFIGURATION/NAME.conf for each name; writes CONFIGURATION/*.ring.gz, and RUNNING/NAME.pid
("PID STARTTIME") and RUNNING/NAME.log for each server. Ends when all of them are forked, which is
before they answer. Written for Swift 2.30.
"""
import logging
import os
import sys
import traceback

configuration, running = sys.argv[1:3]
storage = dict(argument.split("=") for argument in sys.argv[3:] if "=" in argument)
proxies = [argument for argument in sys.argv[3:] if "=" not in argument]

# Before anything else of Swift: the servers read /etc/swift/swift.conf unless told otherwise here,
# whatever swift_dir in their own files says; and each line logged would also go to syslog's port.
import swift.common.utils as utils

utils.set_swift_dir(configuration)
utils.ThreadSafeSysLogHandler = lambda *_arguments, **_options: logging.NullHandler()

from swift.common import wsgi
from swift.common.ring import RingBuilder
from swift.obj import server as object_server
import swift.account.server
import swift.container.server
import swift.proxy.server


def make_ring(name, port):
    """A ring of 16 partitions over one device, DATA/swift-device."""
    builder = RingBuilder(part_power=4, replicas=1, min_part_hours=0)
    builder.add_dev({
        "region": 1, "zone": 1, "ip": "127.0.0.1", "port": int(port), "device": "swift-device",
        "replication_ip": "127.0.0.1", "replication_port": int(port), "weight": 100.0, "meta": ""})
    builder.rebalance()
    builder.get_ring().save(os.path.join(configuration, name + ".ring.gz"))


def serve(name, section):
    """In the child: become the server, in a session of its own, its output in its log."""
    status = 1
    try:
        os.setsid()
        log = os.open(os.path.join(running, name + ".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        options = {"verbose": True}
        if name == "object":
            options["global_conf_callback"] = object_server.global_conf_callback
        status = wsgi.run_wsgi(os.path.join(configuration, name + ".conf"), section, **options)
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status if isinstance(status, int) else 1)


def start(name, section):
    """Fork one server and record it."""
    child = os.fork()
    if child == 0:
        serve(name, section)
    with open("/proc/%d/stat" % child) as stat:
        ticks = stat.read().rsplit(")", 1)[1].split()[19]
    with open(os.path.join(running, name + ".pid"), "w") as file:
        file.write("%d %s\n" % (child, ticks))


utils.eventlet_monkey_patch()
for name, port in storage.items():
    make_ring(name, port)
for name in storage:
    start(name, name + "-server")
for name in proxies:
    start(name, "proxy-server")
