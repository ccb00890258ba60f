import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStoreAddress } from "./address.ts";
import { isInvalid } from "./errors.ts";

test("[API-2] an address names a directory or the members of etcd", () => {
  const addresses = {
    "embedded:/var/lib/tandem": { type: "embedded", directory: "/var/lib/tandem" },
    "etcd://one:2379,[fd00::2]:2379/cluster/a?ca=/etc/ca.crt&cert=c&key=k": {
      type: "etcd",
      endpoints: ["https://one:2379", "https://[fd00::2]:2379"],
      prefix: "/cluster/a",
      files: { ca: "/etc/ca.crt", cert: "c", key: "k" },
    },
    "etcd+http://127.0.0.1:2379": {
      type: "etcd",
      endpoints: ["http://127.0.0.1:2379"],
      files: {},
    },
    "etcd://root:s%40cret@one:2379/": {
      type: "etcd",
      endpoints: ["https://one:2379"],
      user: { name: "root", password: "s@cret" },
      files: {},
    },
    "etcd://root@one:2379?passwordFile=/run/password": {
      type: "etcd",
      endpoints: ["https://one:2379"],
      user: { name: "root", password: "" },
      files: { passwordFile: "/run/password" },
    },
  };
  for (const [text, expected] of Object.entries(addresses)) {
    assert.deepEqual(parseStoreAddress(text), expected, text);
  }
});

test("[API-2] an address that names nothing is refused, without its password", () => {
  const wrong = [
    "",
    "embedded:",
    "etcd://",
    "http://one:2379",
    "etcd://one:port",
    "etcd://one:1,,two:2",
    "etcd://one:2379?cacert=x",
    "etcd://root:secret@one:2379?x=y",
    "etcd://root:secret%@one:2379",
  ];
  for (const text of wrong) {
    assert.throws(
      () => parseStoreAddress(text),
      (error) => isInvalid(error) && !error.message.includes("secret"),
      text,
    );
  }
});
