# ax: builds with GNU make and a C compiler; `make help` lists the targets.

PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
BUILD   ?= build/release
OPT     ?= -O2 -g
VERSION := 0.1.0

WARN     = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CPPFLAGS += -I. -D_GNU_SOURCE -DAX_VERSION='"$(VERSION)"'
CFLAGS  += -std=gnu17 $(OPT) $(WARN)
# The small libraries are linked statically where their archives are at hand, libc dynamically.
archive  = $(or $(wildcard $(addsuffix /lib$(1).a,$(LIBDIRS))),-l$(1))
LIBDIRS := $(shell $(CC) -print-search-dirs | sed -n 's/^libraries: =//p' | tr ':' ' ')
LIBS     = $(call archive,lmdb) $(call archive,jansson) $(call archive,msgpackc) -lpthread

SOURCES := $(wildcard lib/*/*.c spool/*.c cmd/*.c cmd/run/*.c)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
ROOMS   := $(filter-out $(BUILD)/cmd/main.o,$(OBJECTS))
UNITS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/test_*.c))

all: ax

ax: $(BUILD)/ax
	cp $< $@

$(BUILD)/ax: $(OBJECTS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libax.a: $(ROOMS)
	rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/unit/%: tests/unit/%.c $(BUILD)/libax.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(BUILD)/libax.a -lcmocka $(LIBS)

unit: $(UNITS)
	@set -e; for t in $(UNITS); do $$t; done

clean:
	rm -rf build ax

.PHONY: all unit clean
-include $(OBJECTS:.o=.d) $(UNITS:=.d)
