# ax: GNU make and a C compiler are all it takes. `make help` lists the targets.

VERSION := 0.1.0
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
BUILD   ?= build/release
OPT     ?= -O2 -g
JOBS    ?= $(shell nproc)

# What make deps and make check install where it is missing (names of Debian 12).
BUILD_PACKAGES = libc6-dev liblmdb-dev libjansson-dev libmsgpack-dev libyaml-dev uthash-dev
TEST_PACKAGES  = libcmocka-dev bats bats-support bats-assert procps mandoc python3-jsonschema python3-yaml tzdata zsh fish

# CPPFLAGS, CFLAGS and LDFLAGS are yours to set.
WARN      = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
DEFINES   = -I. -D_GNU_SOURCE -DAX_VERSION='"$(VERSION)"' $(if $(FAULTS),-DAX_FAULTS)
COMPILE   = $(CC) $(DEFINES) $(CPPFLAGS) -std=gnu17 $(OPT) $(WARN) $(CFLAGS) -MMD -MP
# The small libraries are linked statically where their archives are at hand, libc dynamically.
LIBDIRS  := $(shell $(CC) -print-search-dirs | sed -n 's/^libraries: =//p' | tr ':' ' ')
archive   = $(or $(firstword $(wildcard $(addsuffix /lib$(1).a,$(LIBDIRS)))),-l$(1))
LIBS      = $(call archive,lmdb) $(call archive,jansson) $(call archive,msgpackc) $(call archive,yaml) -lpthread

SOURCES  := $(wildcard lib/*/*.c spool/*.c cmd/*.c cmd/run/*.c)
OBJECTS  := $(SOURCES:%.c=$(BUILD)/%.o)
ROOMS    := $(filter-out $(BUILD)/cmd/main.o,$(OBJECTS))
programs  = $(patsubst %.c,$(BUILD)/%,$(wildcard $(1)))
UNITS    := $(call programs,tests/unit/test_*.c)
FAULTERS := $(call programs,tests/faults/*.c)
BENCHES  := $(call programs,tests/bench/*.c)
FUZZERS  := $(call programs,tests/fuzz/fuzz_*.c)

all: ax

ax: $(BUILD)/ax
	cp -f $< $@

# All libraries in one file, which runs on any Linux of this processor. The linker's warnings are about what names.c forbids.
static: build/static/ax

build/static/ax: $(OBJECTS) $(BUILD)/lib/sys/static/names.o
	@mkdir -p $(@D)
	$(CC) -static $(OPT) $(CFLAGS) $(LDFLAGS) -Wl,--no-warnings -o $@ $^ $(LIBS)

$(BUILD)/ax: $(OBJECTS)
	$(CC) $(OPT) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libax.a: $(ROOMS)
	rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(BUILD)/tests/%: tests/%.c $(BUILD)/libax.a
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) -o $@ $< $(BUILD)/libax.a $(if $(filter bench/%,$*),,-lcmocka) $(LIBS)

# A fuzz target has the main of libFuzzer (clang: FUZZER=1), else that of replay.c.
$(FUZZERS): $(BUILD)/tests/fuzz/%: tests/fuzz/%.c $(BUILD)/tests/fuzz/replay.o $(BUILD)/libax.a
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) -o $@ $< $(if $(FUZZER),-fsanitize=fuzzer,$(BUILD)/tests/fuzz/replay.o) $(BUILD)/libax.a $(LIBS)

# ---- tests ----
# build/release: what is installed. build/faults: with the places where tests break it (lib/base/fault.h).
# build/check: the same with AddressSanitizer and UndefinedBehaviorSanitizer.
# build/fuzz: the fuzz targets, with both and libFuzzer, where clang is installed.

MAKE_FAULTS = $(MAKE) --no-print-directory BUILD=build/faults FAULTS=1 OPT="-O0 -g"
MAKE_CHECK  = $(MAKE) --no-print-directory BUILD=build/check FAULTS=1 \
              OPT="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
MAKE_FUZZ   = $(MAKE) --no-print-directory BUILD=build/fuzz CC=clang FUZZER=1 \
              OPT="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all"
has_fuzzer  = $(wildcard $(addsuffix /lib/*/libclang_rt.fuzzer*.a,$(shell clang -print-resource-dir 2>/dev/null)))

check: deps-check
	@$(MAKE) --no-print-directory -j$(JOBS) ax units
	@$(MAKE_FAULTS) -j$(JOBS) programs faulters
	@$(MAKE_CHECK) -j$(JOBS) programs units faulters fuzzers
	@$(if $(has_fuzzer),$(MAKE_FUZZ) -j$(JOBS) fuzzers)
	@tests/check.sh

unit: $(UNITS)
	@set -e; for t in $(UNITS); do $$t; done

units: $(UNITS)
faulters: $(FAULTERS)
fuzzers: $(FUZZERS)
programs: $(BUILD)/ax

bench: ax $(BENCHES)
	@tests/bench/run.sh

fuzz:
	$(if $(has_fuzzer),,$(error make fuzz needs clang with libFuzzer))
	@$(MAKE_FUZZ) -j$(JOBS) fuzzers
	@tests/fuzz/fuzz.sh $(or $(TIME),60) $(ONLY)

demo: deps
	@$(MAKE) --no-print-directory -j$(JOBS) ax
	@tests/demo.sh

# The analyser does not see through the macros of uthash and the lists of the pool: these files are spared two checks.
HASHED := $(shell grep -l '<uthash.h>' $(SOURCES) /dev/null) cmd/run/pool.c

lint:
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 --inline-suppr \
	    --suppressions-list=.cppcheck -I. -D_GNU_SOURCE --include=.cppcheck.h $(SOURCES)
	@command -v clang-tidy >/dev/null || { echo "clang-tidy is not installed: left out"; exit 0; }; \
	clang-tidy --quiet $(filter-out $(HASHED),$(SOURCES)) -- -std=gnu17 $(DEFINES) && \
	clang-tidy --quiet --checks=-clang-analyzer-core.NullDereference,-clang-analyzer-unix.Malloc $(HASHED) -- \
	    -std=gnu17 $(DEFINES)

# ---- packages ----

deps:
	@tests/packages.sh "build ax" $(BUILD_PACKAGES)

deps-check:
	@tests/packages.sh "build and test ax" $(BUILD_PACKAGES) $(TEST_PACKAGES)

# ---- installing ----

EXAMPLES := $(wildcard share/examples/*)
PAGES    := $(wildcard man/*.[1-9])
page_place = $(PREFIX)/share/man/man$(patsubst .%,%,$(suffix $(1)))/$(notdir $(1))

UNITS_HERE := $(wildcard share/systemd/*/ax.service)
UNITDIR     = $(PREFIX)/lib/systemd

install: ax
	install -D -m 755 ax $(DESTDIR)$(PREFIX)/bin/ax
	$(foreach page,$(PAGES),install -D -m 644 $(page) $(DESTDIR)$(call page_place,$(page)) &&) true
	install -D -m 644 completions/ax.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ax
	install -D -m 644 completions/_ax $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_ax
	install -D -m 644 completions/ax.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ax.fish
	install -D -m 644 share/ax-jobs.schema.json $(DESTDIR)$(PREFIX)/share/ax/ax-jobs.schema.json
	install -d $(DESTDIR)$(PREFIX)/share/ax/examples
	install -m 644 $(EXAMPLES) $(DESTDIR)$(PREFIX)/share/ax/examples
	install -d $(patsubst share/systemd/%/ax.service,$(DESTDIR)$(UNITDIR)/%,$(UNITS_HERE))
	$(foreach unit,$(UNITS_HERE),sed 's!^ExecStart=/usr/bin/!ExecStart=$(PREFIX)/bin/!' $(unit) >$(DESTDIR)$(UNITDIR)/$(unit:share/systemd/%=%) &&) true

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ax
	rm -f $(foreach page,$(PAGES),$(DESTDIR)$(call page_place,$(page)))
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ax $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_ax
	rm -f $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ax.fish
	rm -f $(DESTDIR)$(PREFIX)/share/ax/ax-jobs.schema.json
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/ax/,$(EXAMPLES:share/%=%))
	rm -f $(UNITS_HERE:share/systemd/%=$(DESTDIR)$(UNITDIR)/%)
	-rmdir $(DESTDIR)$(PREFIX)/share/ax/examples $(DESTDIR)$(PREFIX)/share/ax 2>/dev/null

# The sources of the last commit, always the same bytes.
dist:
	@mkdir -p build
	git archive --format=tar --prefix=ax-$(VERSION)/ HEAD | gzip -9n >build/ax-$(VERSION).tar.gz
	@echo "build/ax-$(VERSION).tar.gz"

clean:
	rm -rf build ax

help:
	@echo "make            builds ./ax"
	@echo "make demo       installs what is missing, builds, and shows what ax does on a throw-away spool"
	@echo "make check      installs what is missing and runs all tests, plain and with sanitizers"
	@echo "make deps       installs what building needs (deps-check: and what the tests need)"
	@echo "make install    into PREFIX ($(PREFIX)), below DESTDIR; make uninstall takes it out again"
	@echo "make static     builds build/static/ax, one file that needs no library"
	@echo "make dist       packs the sources of the last commit: build/ax-$(VERSION).tar.gz"
	@echo "make unit       runs the unit tests only; tests/check.sh WORD runs the tests whose path has WORD"
	@echo "make fuzz       fuzzes each grammar for TIME=60 seconds, with clang; ONLY=duration for one"
	@echo "make bench      measures ax beside the bare system calls and its peers"
	@echo "make lint       cppcheck, and clang-tidy where it is installed"
	@echo "make clean      removes all that was built"

.PHONY: all static dist check unit units faulters fuzzers programs fuzz bench demo lint deps deps-check install uninstall clean help
-include $(OBJECTS:.o=.d) $(UNITS:=.d) $(FAULTERS:=.d) $(BENCHES:=.d) $(FUZZERS:=.d)
