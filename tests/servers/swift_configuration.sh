# Sourced by tests/servers/swift: the configuration files of its servers.
# shellcheck shell=bash
#
# What matters for measuring: no worker processes (workers = 0), nothing reserved on the disk, and no
# time-out of the only device after one error (error_suppression_interval = 0).

# server_defaults PORT
server_defaults() {
    cat << END
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $1
bind_timeout = 5
backlog = 1024
workers = 0
user = $(id -un)
swift_dir = $swift_configuration
devices = $swift_data
mount_check = false
fallocate_reserve = 0
log_level = WARNING
recon_cache_path = $swift_running
END
}

# storage_server NAME PORT
storage_server() {
    server_defaults "$2"
    cat << END
log_name = $1
[pipeline:main]
pipeline = healthcheck recon $1-server
[app:$1-server]
use = egg:swift#$1
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:recon]
use = egg:swift#recon
END
}

# proxy_server NAME PORT MEMCACHED-PORT [LAST MIDDLEWARE…]
proxy_server() {
    local name=$1 port=$2 memcached=$3
    shift 3
    server_defaults "$port"
    cat << END
log_name = $name
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck proxy-logging cache listing_formats bulk tempauth copy slo dlo $* proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
error_suppression_interval = 0
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:proxy-logging]
use = egg:swift#proxy_logging
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:$memcached
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:tempauth]
use = egg:swift#tempauth
user_plain_tester = testing .admin
user_encrypted_tester = testing .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
[filter:keymaster]
use = egg:swift#keymaster
encryption_root_secret = $(head -c 32 /dev/urandom | base64 -w 0)
[filter:encryption]
use = egg:swift#encryption
END
}

# write_swift_configuration CONFIGURATION RUNNING DATA BASE-PORT
write_swift_configuration() {
    local swift_configuration=$1 swift_running=$2 swift_data=$3 base=$4
    cat > "$swift_configuration/swift.conf" << END || return
[swift-hash]
swift_hash_path_prefix = strata
swift_hash_path_suffix = strata
[storage-policy:0]
name = one
default = yes
END
    storage_server object "$base" > "$swift_configuration/object.conf" &&
        storage_server container $((base + 1)) > "$swift_configuration/container.conf" &&
        storage_server account $((base + 2)) > "$swift_configuration/account.conf" &&
        proxy_server plain $((base + 80)) $((base + 3)) > "$swift_configuration/plain.conf" &&
        proxy_server encrypted $((base + 81)) $((base + 3)) keymaster encryption > "$swift_configuration/encrypted.conf"
}
