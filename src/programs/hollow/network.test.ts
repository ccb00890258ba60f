import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { podOf } from "../../node/pods/testing/pod.ts";
import { HollowNetwork } from "./network.ts";

const cidrs = [Prefix.parse("10.0.0.0/29"), Prefix.parse("fd00::/64")];
const textsOf = (addresses: readonly { readonly address: Address }[]) =>
  addresses.map(({ address }) => String(address));

test("each sandbox gets an address of each range, and the next one gets it again after its end", async () => {
  const network = new HollowNetwork(() => cidrs);
  const attach = async (sandbox: string, preferred: readonly Address[] = []) =>
    textsOf(await network.attach({ pod: podOf("p"), sandbox, namespace: "", preferred }));
  assert.deepEqual(await attach("a"), ["10.0.0.2", "fd00::2"]);
  assert.deepEqual(await attach("b"), ["10.0.0.3", "fd00::3"]);
  await network.detach("a");
  assert.deepEqual(await attach("c"), ["10.0.0.2", "fd00::2"]);
  const had = [Address.parse("10.0.0.5"), Address.parse("fd00::3")];
  assert.deepEqual(await attach("d", had), ["10.0.0.5", "fd00::4"]);
  await network.collect(async () => ["d"]);
  assert.deepEqual(await attach("e"), ["10.0.0.2", "fd00::2"]);
});

test("a full range and a node without ranges are refused with the reason", async () => {
  const request = { pod: podOf("p"), namespace: "" };
  const empty = new HollowNetwork(() => []);
  await assert.rejects(empty.attach({ ...request, sandbox: "a" }), {
    message: "Cannot give a pod addresses: its node has no podCIDRs",
  });
  const small = new HollowNetwork(() => [Prefix.parse("10.0.0.0/30")]);
  await small.attach({ ...request, sandbox: "a" });
  await assert.rejects(small.attach({ ...request, sandbox: "b" }), {
    message: "Cannot give a pod an address: all of 10.0.0.0/30 are used",
  });
});
