# Strata. `make help` lists the targets.

VERSION := 0.1.0
PREFIX  ?= /usr/local
DESTDIR ?=
ifeq ($(origin CC),default)
CC      := gcc
endif
BUILD   ?= build
VARIANT ?= release

# One short line for each command; V=1 shows the commands themselves.
say = $(if $(V),,@printf '  %-4s %s\n' $(1) $@;)

# Optional features: auto (used where found), yes (required), no.
LIBURING       ?= auto
LIBNFS         ?= auto
MPI            ?= auto
LIBCRYPTSETUP  ?= auto

PACKAGES := libcurl libxml-2.0 sqlite3 libcrypto libarchive libjpeg blkid

# Everything that needs the compiler or the packages is left out of the targets that only install.
GOALS := $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out help deps clean run test format,$(GOALS)),)
$(shell mkdir -p $(BUILD) && CC='$(CC)' LIBURING=$(LIBURING) LIBNFS=$(LIBNFS) MPI=$(MPI) \
    LIBCRYPTSETUP=$(LIBCRYPTSETUP) config/probe $(BUILD))
include $(BUILD)/features.mk
endif

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
CPPFLAGS += -I. -I$(BUILD) -D_GNU_SOURCE -DSTRATA_VERSION='"$(VERSION)"' $(PACKAGE_CFLAGS)
release_FLAGS := -O2 -g -D_FORTIFY_SOURCE=2
debug_FLAGS   := -O0 -g3
asan_FLAGS    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
tsan_FLAGS    := -O1 -g -fsanitize=thread
CFLAGS   += -std=c11 $(WARNINGS) $(if $(STRICT),-Werror) $($(VARIANT)_FLAGS) -pthread
LDFLAGS  += $(filter -fsanitize%,$($(VARIANT)_FLAGS)) -pthread
LDLIBS   += $(PACKAGE_LIBS) -laio -lm

LAYERS   := device filesystem service user suite
PROGRAMS := $(patsubst %,$(BUILD)/bin/strata-%,$(filter-out suite,$(LAYERS))) $(BUILD)/bin/strata
COMMON_SOURCES := $(wildcard common/*/*.c)
COMMON_OBJECTS := $(COMMON_SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/embedded.o
LIBRARY  := $(BUILD)/libstrata.a
UNIT_SOURCES := $(filter-out tests/unit/harness.c,$(wildcard tests/unit/*.c))
UNIT_PROGRAMS := $(UNIT_SOURCES:tests/unit/%.c=$(BUILD)/tests/%)
SUPPORT_SOURCES := $(wildcard tests/support/*.c)
SUPPORT_PROGRAMS := $(SUPPORT_SOURCES:tests/support/%.c=$(BUILD)/tests/support/%)
BENCH_SOURCES := $(wildcard tests/bench/*.c)
BENCH_PROGRAMS := $(BENCH_SOURCES:tests/bench/%.c=$(BUILD)/tests/bench/%)

.PHONY: all help deps run test bench install uninstall clean asan tsan debug programs tests objects \
    print-flags format check-format docs
.SECONDARY:
.DELETE_ON_ERROR:

all: programs ## build the release programs into build/bin

programs: $(PROGRAMS)
	@:

help: ## list the targets and variables
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' Makefile
	@echo "  variables     CC, PREFIX, DESTDIR, V=1 (show commands); LIBURING, LIBNFS, MPI, LIBCRYPTSETUP = auto|yes|no"

deps: ## install the packages that building and running need (apt)
	@config/dependencies install build

run: ## evaluate all four layers of a local cloud store, plain and encrypted (two to three minutes)
	@config/dependencies install build lab
	@$(MAKE) --no-print-directory -j"$$(nproc)" programs
	@config/run_quick

test: ## run every test; the last line counts them
	@config/dependencies install build lab test
	@tests/run

bench: programs tests ## compare with fio and bare loops, as ratios of one run
	@tests/bench/run

asan tsan debug: ## build that variant into build/<variant>/bin
	@$(MAKE) --no-print-directory VARIANT=$@ BUILD=build/$@ programs tests

# For tests/run: compile everything and link nothing; say how.
objects: $(COMMON_OBJECTS) $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard layers/*/*.c tests/*/*.c tests/*/*/*.c))
print-flags:
	@echo '$(CPPFLAGS) $(CFLAGS)'

tests: $(UNIT_PROGRAMS) $(SUPPORT_PROGRAMS) $(BENCH_PROGRAMS)

install: programs ## install the programs, configurations and documents below $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/strata/config \
	    $(DESTDIR)$(PREFIX)/share/strata/queries $(DESTDIR)$(PREFIX)/share/doc/strata
	install -m 755 $(PROGRAMS) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(wildcard config/*.xml config/*.rng) $(DESTDIR)$(PREFIX)/share/strata/config
	install -m 644 $(wildcard results/queries/*.sql) $(DESTDIR)$(PREFIX)/share/strata/queries
	install -m 644 README.md $(wildcard doc/*.md) $(DESTDIR)$(PREFIX)/share/doc/strata

uninstall: ## remove what install put there
	rm -f $(PROGRAMS:$(BUILD)/bin/%=$(DESTDIR)$(PREFIX)/bin/%)
	rm -rf $(DESTDIR)$(PREFIX)/share/strata $(DESTDIR)$(PREFIX)/share/doc/strata

docs: $(BUILD)/bin/strata ## write config/strata.rng and doc/configuration.md from the option tables
	$(BUILD)/bin/strata document schema > config/strata.rng
	$(BUILD)/bin/strata document configuration > doc/configuration.md

format: ## format the sources
	find common layers tests -name '*.[ch]' -exec clang-format -i {} +

check-format:
	find common layers tests -name '*.[ch]' -exec clang-format --dry-run --Werror {} +

clean: ## take a lab that was left up down, and remove build/
	@[ ! -e build/lab/.strata-lab ] || tests/servers/lab down build/lab
	rm -rf build

# A program is its layer's folder and the library.
define program_rule
$(BUILD)/bin/$(1): $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard layers/$(2)/*.c)) $(LIBRARY)
	@mkdir -p $$(@D)
	$$(call say,LINK)$(CC) $(LDFLAGS) -o $$@ $$^ $(LDLIBS)
endef
$(foreach layer,$(filter-out suite,$(LAYERS)),$(eval $(call program_rule,strata-$(layer),$(layer))))
$(eval $(call program_rule,strata,suite))

$(LIBRARY): $(COMMON_OBJECTS)
	@rm -f $@
	$(call say,AR)$(AR) qcs $@ $^

# SQL and HTML that the programs carry, each file as one string (config/embed).
EMBEDDED := $(sort $(wildcard common/store/*.sql common/store/migrations/*.sql common/import/*.sql common/analysis/*.sql common/report/*.sql common/report/*.html common/report/*.css))
$(BUILD)/embedded.c: $(EMBEDDED) config/embed
	@mkdir -p $(@D)
	$(call say,SQL)config/embed $(EMBEDDED) > $@
$(BUILD)/obj/embedded.o: $(BUILD)/embedded.c common/base/embedded.h
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-overlength-strings -c -o $@ $<

$(BUILD)/obj/%.o: %.c $(BUILD)/features.mk Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# A unit test may link a layer's objects besides the library: it names them in its first line,
# "// links: layers/user/content*.c".
$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(BUILD)/obj/tests/unit/harness.o $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBRARY) $(LDLIBS) -lcunit
$(foreach t,$(UNIT_SOURCES),$(eval $(t:tests/unit/%.c=$(BUILD)/tests/%): $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(shell sed -n '1s|^// links: ||p' $(t))))))
$(BUILD)/tests/support/%: $(BUILD)/obj/tests/support/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/tests/support/faulty_disk: LDLIBS += -lfuse3
$(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
