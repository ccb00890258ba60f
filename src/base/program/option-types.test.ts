import assert from "node:assert/strict";
import { homedir } from "node:os";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  addressList,
  hostPort,
  hostPortList,
  listenList,
  prefixList,
} from "./network-option-types.ts";
import {
  boolean,
  directoryPath,
  duration,
  filePath,
  integer,
  listOf,
  oneOf,
  port,
  repeated,
  text,
} from "./option-types.ts";
import type { OptionType } from "./options.ts";

const refuses = (type: OptionType<unknown>, value: string, expected: RegExp) =>
  assert.throws(() => type.parse([value]), expected);

test("integers are whole and within bounds", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (number) => {
      assert.equal(integer().parse([String(number)]), number);
    }),
  );
  for (const value of ["", " 1", "1.5", "1e3", "0x10", "ten", "9007199254740993"]) {
    refuses(integer(), value, /expected a whole number/);
  }
  refuses(port(), "65536", /at most 65535/);
  refuses(integer({ min: 1 }), "0", /at least 1/);
});

test("durations need a unit, except zero", () => {
  const cases: [string, number][] = [
    ["0", 0],
    ["250ms", 250],
    ["1.5s", 1500],
    ["1h30m", 5_400_000],
    ["2d", 172_800_000],
  ];
  for (const [value, milliseconds] of cases) assert.equal(duration().parse([value]), milliseconds);
  for (const value of ["", "5", "s", "-1s", "1s2", "1 s", "1w"]) {
    refuses(duration(), value, /expected a number and a unit/);
  }
});

test("paths become absolute, and empty stays empty", () => {
  assert.equal(filePath().parse(["a/../b"]), `${process.cwd()}/b`);
  assert.equal(filePath().parse(["~/kube"]), `${homedir()}/kube`);
  assert.equal(directoryPath().parse(["~"]), homedir());
  assert.equal(filePath().parse([""]), "");
});

test("lists split at commas and name the bad element", () => {
  assert.deepEqual(listOf(integer()).parse(["1, 2", "3"]), [1, 2, 3]);
  assert.deepEqual(listOf(integer()).parse([""]), []);
  assert.deepEqual(repeated(text()).parse(["1,2", "3"]), ["1,2", "3"]);
  refuses(listOf(integer()), "1,x,3", /^Error: "x": expected a whole number$/);
  refuses(listOf(integer()), "1,,3", /^Error: "": expected a whole number$/);
});

test("switches and choices know their values", () => {
  assert.deepEqual(boolean().choices, ["true", "false"]);
  refuses(boolean(), "yes", /expected true or false/);
  assert.equal(oneOf(["a", "b"]).parse(["b"]), "b");
  refuses(oneOf(["a", "b"]), "", /expected one of a, b/);
});

describe("[NET-2] lists of addresses and prefixes", () => {
  test("parse with families mixed", () => {
    assert.deepEqual(prefixList().parse(["fd00:10:20::/72,10.20.0.0/16"]).map(String), [
      "fd00:10:20::/72",
      "10.20.0.0/16",
    ]);
    assert.deepEqual(addressList().parse(["FD00::0001", "10.0.0.1"]).map(String), [
      "fd00::1",
      "10.0.0.1",
    ]);
  });

  test("name a bad element", () => {
    refuses(prefixList(), "10.0.0.0/16,10.0.0.0/99", /10\.0\.0\.0\/99/);
    refuses(addressList(), "10.0.0.1,10.0.0.256", /10\.0\.0\.256/);
  });
});

describe("host and port", () => {
  test("are read for names, IPv4 and IPv6 addresses; a missing port gets the usual one", () => {
    const hosts = hostPortList().parse(["etcd-0.example:2379,10.0.0.1:80,[FD00::0:1]:443"]);
    assert.deepEqual(hosts, [
      { host: "etcd-0.example", port: 2379 },
      { host: "10.0.0.1", port: 80 },
      { host: "fd00::1", port: 443 },
    ]);
    assert.deepEqual(hostPort({ port: 2379 }).parse(["[fd00::1]"]), {
      host: "fd00::1",
      port: 2379,
    });
  });

  test("refuse what is neither", () => {
    refuses(hostPort(), "host", /expected a port/);
    refuses(hostPort(), ":80", /expected a host/);
    refuses(hostPort(), "fd00::1:80", /IPv6 address in brackets/);
    refuses(hostPort(), "10.0.0.256:80", /10\.0\.0\.256/);
    refuses(hostPort(), "[host]:80", /host/);
    refuses(hostPort(), "host:70000", /at most 65535/);
    refuses(hostPort(), "a b:80", /host name/);
  });

  test("to listen on may be everywhere, the loopback or a socket", () => {
    assert.deepEqual(listenList().parse([":80,localhost:81,[::1]:82,unix:/run/t.sock"]), [
      { host: "", port: 80 },
      { host: "localhost", port: 81 },
      { host: "::1", port: 82 },
      { path: "/run/t.sock" },
    ]);
    refuses(listenList(), "example.com:80", /example\.com/);
    refuses(listenList(), "unix:here", /absolute path/);
    assert.deepEqual(listenList().parse([""]), []);
  });
});
