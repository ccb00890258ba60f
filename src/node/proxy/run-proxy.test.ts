import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeApi } from "../../api/client/testing/api.ts";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeCommands } from "../../base/host/command.fake.ts";
import { isNotSupported } from "../../base/host/error.ts";
import { FakeRandom } from "../../base/host/random.fake.ts";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { createLog } from "../../base/program/log.ts";
import { Registry } from "../../base/program/metrics.ts";
import { runProxy } from "./run-proxy.ts";
import { defaultProxySettings, planContext } from "./settings.ts";

test("[PROXY-1] what the kernel cannot do is an error at the start, before anything is asked", async () => {
  const api = new FakeApi();
  const stderr = "Error: Could not process rule: Operation not supported";
  const commands = new FakeCommands().answer("nft --check", { exitCode: 1, stderr });
  const parts = {
    client: api.client,
    commands,
    clock: new FakeClock(),
    random: new FakeRandom(),
    log: createLog({ format: "text", write: () => undefined }),
    metrics: new Registry(),
  };
  const settings = { ...defaultProxySettings, node: "here", healthzAddress: [], healthAddress: [] };
  const { signal } = new AbortController();
  await assert.rejects(runProxy(settings, parts, signal), (error) => {
    assert(error instanceof Error && isNotSupported(error));
    assert.match(
      error.message,
      /^Cannot keep IPv4 services by nftables: .*Operation not supported/,
    );
    return true;
  });
  assert.deepEqual(api.asked, []);
  assert(
    commands.calls.every(({ command }) => command.includes("--check")),
    "nothing was changed",
  );
});

test("[PROXY-3] of several prefixes and addresses the first of each family counts", () => {
  const settings = {
    ...defaultProxySettings,
    node: "here",
    clusterCidr: ["fd00:1::/64", "10.1.0.0/16", "10.2.0.0/16", "fd00:2::/64"].map(Prefix.parse),
  };
  const addresses = ["fd00::1", "192.0.2.1", "192.0.2.2"].map(Address.parse);
  const { families } = planContext(settings, { name: "here", zone: undefined, addresses });
  assert.deepEqual(
    families.map(({ podPrefix, nodePortPrefixes }) => `${podPrefix} ${nodePortPrefixes.join()}`),
    ["10.1.0.0/16 192.0.2.1/32", "fd00:1::/64 fd00::1/128"],
  );
});
