import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../base/net/address.ts";
import { placeOf } from "./dial.ts";
import { targetOf } from "./target.ts";

const own = ["10.244.1.2", "fd00:10:244:1::2", "169.254.1.1"].map((text) => Address.parse(text));
const pods = {
  networkOf: async ({ name }: { name: string }) => {
    if (name === "web") return { namespace: "/run/netns/web", addresses: own };
    return name === "host" ? { namespace: undefined, addresses: [] } : undefined;
  },
};

async function dialled(path: string): Promise<string> {
  const target = targetOf(path);
  assert.ok(target.kind === "dial");
  const { address, port } = await placeOf(target, pods);
  return `${address} ${port}`;
}

test("[API-11] an agent connects to addresses of the pod that is named, of either family", async () => {
  assert.equal(await dialled("/dial/default/web?address=10.244.1.2&port=80"), "10.244.1.2 80");
  const six = "/dial/default/web?address=fd00%3A10%3A244%3A1%3A%3A2&port=443";
  assert.equal(await dialled(six), "fd00:10:244:1::2 443");
});

test("[SEC-1] an agent connects to nothing else: not to others, the node, its loopback or its links", async () => {
  const others = ["127.0.0.1", "::1", "192.168.111.11", "10.244.1.3", "169.254.169.254", "", "x"];
  for (const address of [...others, "169.254.1.1", "::ffff:127.0.0.1"]) {
    const path = `/dial/default/web?port=80&address=${encodeURIComponent(address)}`;
    await assert.rejects(dialled(path), /is not an address of the pod "web"/, address);
  }
  for (const pod of ["host", "gone"]) {
    const path = `/dial/default/${pod}?port=80&address=10.244.1.2`;
    await assert.rejects(dialled(path), /is not an address of the pod/);
  }
  for (const port of ["0", "65536", "x", "-1", ""]) {
    await assert.rejects(
      dialled(`/dial/default/web?address=10.244.1.2&port=${port}`),
      /not a port/,
    );
  }
});
