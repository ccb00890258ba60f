import assert from "node:assert/strict";
import type { networkInterfaces } from "node:os";
import { test } from "node:test";
import { announcementOf } from "./places.ts";

test("[INST-2] a server that listens everywhere is found at its machine's own addresses", () => {
  const info = (address: string, length: number) => ({
    address,
    cidr: `${address}/${length}`,
    netmask: "",
    mac: "",
    internal: address === "127.0.0.1",
    ...(address.includes(":")
      ? { family: "IPv6" as const, scopeid: 0 }
      : { family: "IPv4" as const }),
  });
  const interfaces: ReturnType<typeof networkInterfaces> = {
    lo: [info("127.0.0.1", 8)],
    eth0: [
      info("192.0.2.55", 32),
      info("192.0.2.1", 24),
      info("2001:db8::55", 128),
      info("2001:db8::1", 64),
      info("fe80::1", 64),
    ],
  };
  for (const hosts of [
    ["0.0.0.0", "::"],
    ["::", "0.0.0.0"],
  ]) {
    const bound = hosts.map((host) => ({ host, port: 6443 }));
    const { addresses, port } = announcementOf(bound, interfaces);
    assert.deepEqual([addresses, port], [["192.0.2.1", "2001:db8::1"], 6443]);
  }
  const alone = announcementOf([{ host: "192.0.2.55", port: 6443 }], interfaces);
  assert.deepEqual(alone.addresses, ["192.0.2.55"], "what is named is taken");
});
