import assert from "node:assert/strict";
import { test } from "node:test";
import { portOf } from "./resolve.ts";

const web = {
  text: "service shop/web",
  addresses: [],
  ports: [
    { name: "http", port: 80, protocol: "TCP" as const },
    { name: "dns", port: 53, protocol: "UDP" as const },
    { name: "dns-tcp", port: 53, protocol: "TCP" as const },
  ],
};
const pod = { text: "pod shop/web-0", addresses: [], ports: [] };

test("a port of a service, by name or number", () => {
  assert.deepEqual(portOf(web, "http", undefined), { port: 80, protocol: "tcp" });
  assert.deepEqual(portOf(web, "dns", undefined), { port: 53, protocol: "udp" });
  assert.deepEqual(portOf(web, "53", undefined), { port: 53, protocol: "udp" });
  assert.deepEqual(portOf(web, "53", "tcp"), { port: 53, protocol: "tcp" });
  assert.deepEqual(portOf(web, "9999", undefined), { port: 9999, protocol: "tcp" });
});

test("the only one that fits goes without saying", () => {
  assert.deepEqual(portOf(web, undefined, "udp"), { port: 53, protocol: "udp" });
  assert.throws(() => portOf(web, undefined, undefined), /it has http \(80\), dns \(53\)/);
});

test("a pod's must be told by its number", () => {
  assert.deepEqual(portOf(pod, "8080", "udp"), { port: 8080, protocol: "udp" });
  for (const said of [undefined, "http", "70000"]) {
    assert.throws(() => portOf(pod, said, undefined), /Cannot use port .* of pod shop\/web-0/);
  }
});
