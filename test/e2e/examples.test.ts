import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { Address } from "../../src/base/net/address.ts";
import { printedBlocks } from "../fixtures/printed-commands.ts";
import { Reader } from "../fixtures/reader.ts";

const root = join(import.meta.dirname, "../..");

test("[PROP-2] [PROP-5] [EP-3] examples: two service controllers serve one service, each its own addresses", async () => {
  await reading("two-service-controllers", async ({ next, follow }) => {
    await next("tandem up");
    await next("rollout status");
    await next("service-controller.ts");
    const three = (address: string) => `(?:${address}[0-9]+,?){3} `;
    const theirSlices = `IPv4.*${three("10\\.9\\.0\\.")}[^]*IPv6.*${three("fd00:9::")}`;
    await next("get endpointslices", new RegExp(theirSlices));
    const ours = echoesIn(await next("clusterIPs", /10\.244\.[^]*fd00:10:244:/));
    assert.equal(ours.length, 12);
    for (const { server } of ours) assert.match(server.address, /^(?:10\.244\.|fd00:10:244:)/);
    const theirs = echoesIn(await next("fast-client", /fd00:9::/));
    assert.equal(theirs.length, 6, "three servers in two families");
    for (const { server, client } of theirs) {
      assert.match(server.address, /^(?:10\.9\.0\.|fd00:9::)/);
      assert.match(client.address, /^(?:10\.9\.0\.|fd00:9::)/, "without any translation");
    }
    // The controller's addresses never come to be ours, also when its slices have been there for long.
    const later = echoesIn(await follow("clusterIPs"));
    for (const { server } of later) assert.match(server.address, /^(?:10\.244\.|fd00:10:244:)/);
  });
});

test("[SVC-4] [EP-5] [ING-2] examples: a dual-stack web service is reached in both families", async () => {
  await reading("dual-stack-web", async ({ next }) => {
    await next("tandem up");
    await next("rollout status", /10\.244\.\d+\.\d+,fd00:10:244:/);
    await next("get endpoints", /\{10\.244\.\d\.\d:8080,\[fd00:10:244:.*\]:8080\}/);
    const inside = echoesIn(await next("clusterIPs"));
    assert.deepEqual(inside.slice(1).map(familyServed), ["IPv4", "IPv6"]);
    assert.deepEqual(echoesIn(await next("loadBalancer")).map(familyServed), ["IPv4", "IPv6"]);
  });
});

test("[SVC-3] [SVC-6] [SVC-9] examples: applications of one family each under one service range", async () => {
  await reading("one-service-range", async ({ next }) => {
    await next("tandem up");
    await next("rollout status", /service\/six +NodePort +fd00:10:96::/);
    const inside = echoesIn(await next("exec deploy/six"));
    assert.deepEqual(inside.map(familyServed), ["IPv6", "IPv4"]);
    assert.deepEqual(echoesIn(await next("nodePort")).map(familyServed), ["IPv4", "IPv6"]);
  });
});

test("[ING-1] examples: ingress serves clients of both families by backends of either", async () => {
  await reading("ingress-both-families", async ({ next }) => {
    await next("tandem up");
    await next("rollout status");
    const served = echoesIn(await next("outside", /(?:"client"[^]*){4}/));
    assert.deepEqual(served.map(familyServed), ["IPv4", "IPv6", "IPv4", "IPv6"]);
  });
});

test("[NODE-5] examples: a cluster with IPv6 only works in all its parts", async () => {
  await reading("ipv6-only", async ({ next }) => {
    await next("tandem up");
    assert.doesNotMatch(await next("rollout status", /fd00:10:244:/), / \d+\.\d+\.\d+\.\d+ /);
    assert.deepEqual(echoesIn(await next("nodePort")).map(familyServed), ["IPv6", "IPv6"]);
  });
});

function familyServed({ server }: Echo): string {
  return Address.parse(server.address).family;
}

interface Echo {
  readonly client: { readonly address: string };
  readonly server: { readonly address: string };
  readonly pod: { readonly name: string };
}

/** The answers of servers within what was printed. */
function echoesIn(output: string): readonly Echo[] {
  const answers = output.matchAll(/\{"client":.*?"body":"[^"]*"\}/g);
  return [...answers].map(([text]) => JSON.parse(text) as Echo);
}

interface Reading {
  /** Follows the next block, which has these words. */
  readonly next: (words: string, expected?: RegExp) => Promise<string>;
  /** Follows the block with these words once more. */
  readonly follow: (words: string, expected?: RegExp) => Promise<string>;
}

/** Nothing stays behind, also when the reader gives up. */
async function reading(folder: string, read: (page: Reading) => Promise<void>): Promise<void> {
  const blocks = await printedBlocks(`examples/${folder}/README.md`);
  const left = [...blocks];
  const environment = { TANDEM_CLUSTER: `example-${randomUUID().slice(0, 8)}` };
  await using reader = new Reader({ directory: root, environment });
  try {
    await read({
      next: (words, expected) => {
        const block = left.shift() ?? "";
        assert.ok(block.includes(words), `${words} is next in ${folder}`);
        return reader.follow(block, expected);
      },
      follow: (words, expected) =>
        reader.follow(blocks.find((block) => block.includes(words)) ?? "false", expected),
    });
    const last = left.shift() ?? "";
    assert.ok(last.includes("tandem down") && left.length === 0, "the end is the only thing left");
    await reader.follow(last);
  } finally {
    await systemCommands().run([join(root, "bin/tandem"), "down"], { environment });
  }
}
