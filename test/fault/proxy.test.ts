import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openSandbox } from "../e2e/host/sandbox.ts";
import { TestServer } from "../fixtures/server.ts";
import { type Mode, rulesOf, Subject } from "./proxy.fixture.ts";

const isSoak = process.env["TANDEM_SOAK"] === "1";
const kills = isSoak ? 50 : 5;
const services = isSoak ? 300 : 60;

const sandbox = await openSandbox();
const server = await TestServer.start({ arguments: ["--controllers="] });
after(() => server[Symbol.asyncDispose]());
const { path: namespace, commands: node } = await sandbox.enter("node");
const place = { server, namespace, scratch: sandbox.scratch };

const serviceUrl = "/api/v1/namespaces/default/services";
const sliceUrl = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

async function create(n: number): Promise<void> {
  const ports = [
    { name: "t", port: 80, protocol: "TCP" },
    { name: "u", port: 53, protocol: "UDP" },
  ];
  const sticky = n % 3 === 0 ? { sessionAffinity: "ClientIP" } : {};
  const spec = { type: "NodePort", ipFamilyPolicy: "RequireDualStack", ports, ...sticky };
  const made = await server.call("POST", serviceUrl, { metadata: { name: `s${n}` }, spec });
  assert.equal(made.code, 201, made.text);
  for (const addressType of ["IPv4", "IPv6"]) {
    const slice = { metadata: metadataOf(n, addressType), addressType, ports: targets };
    const { code, text } = await server.call("POST", sliceUrl, {
      ...slice,
      endpoints: endpoints(n, { addressType, count: n % 4 }),
    });
    assert.equal(code, 201, text);
  }
}

const targets = [
  { name: "t", port: 8080, protocol: "TCP" },
  { name: "u", port: 5353, protocol: "UDP" },
];

function metadataOf(n: number, addressType: string) {
  const labels = { "kubernetes.io/service-name": `s${n}` };
  return { name: `s${n}-${addressType.toLowerCase()}`, labels };
}

function endpoints(n: number, { addressType, count }: { addressType: string; count: number }) {
  return Array.from({ length: count }, (_, at) => ({
    addresses: [addressType === "IPv4" ? `10.1.${n % 256}.${at + 1}` : `fd00:1::${n}:${at + 1}`],
    nodeName: at === 0 ? "here" : "there",
  }));
}

let changes = 0;

/** Gives a service another number of endpoints. Returns the revision of that. */
async function change(): Promise<number> {
  const n = (changes * 7) % services;
  const count = (changes++ * 5 + n) % 6;
  let revision = 0;
  for (const addressType of ["IPv4", "IPv6"]) {
    const type = "application/merge-patch+json";
    const body = JSON.stringify({ endpoints: endpoints(n, { addressType, count }) });
    const url = `${sliceUrl}/s${n}-${addressType.toLowerCase()}`;
    const answer = await server.send("PATCH", url, { body, type });
    assert.equal(answer.code, 200, answer.text);
    revision = Number(answer.body.metadata?.resourceVersion);
  }
  return revision;
}

/** What a proxy writes that finds nothing in the kernel. */
async function rebuilt(mode: Mode): Promise<string> {
  await node.run(["nft", "flush", "ruleset"]);
  await using subject = await Subject.start(mode, place);
  await subject.synced();
  return rulesOf(mode, node);
}

for (let n = 0; n < services; n++) await create(n);

for (const mode of ["nftables", "iptables"] as const) {
  describe(mode, { timeout: 300_000 }, () => {
    test("[PROXY-7] a restart leaves the same rules, whatever has changed meanwhile", async () => {
      await using first = await Subject.start(mode, place);
      await first.synced();
      await first.kill();
      await change();
      await node.run(addForeign);
      await using second = await Subject.start(mode, place);
      await second.synced();
      const restarted = await rulesOf(mode, node);
      const { stdout } = await node.run(["nft", "list", "table", "inet", "foreign"]);
      assert.match(stdout, /tcp dport 7 accept/, "what belongs to others stays");
      await second[Symbol.asyncDispose]();
      assert.equal(restarted, await rebuilt(mode));
    });

    test("[PROXY-7] killed in the middle of changes, again and again", async () => {
      for (let n = 0; n < kills; n++) {
        await using subject = await Subject.start(mode, place);
        const isRunning = new AbortController();
        const writing = (async () => {
          while (!isRunning.signal.aborted) await change();
        })();
        // Sometimes before the first rules are written, sometimes after.
        await sleep(150 + ((n * 97) % 500));
        await subject.kill();
        isRunning.abort();
        await writing;
      }
      const revision = await change();
      await using last = await Subject.start(mode, place);
      await last.synced({ endpointslices: revision });
      const restarted = await rulesOf(mode, node);
      await last[Symbol.asyncDispose]();
      assert.equal(restarted, await rebuilt(mode));
    });

    test("[PROXY-7] rules that somebody flushes are put back", async () => {
      await using subject = await Subject.start(mode, place);
      await subject.synced();
      const before = await rulesOf(mode, node);
      await subject.paused(async () => {
        await node.run(["nft", "flush", "ruleset"]);
        assert.notEqual(await rulesOf(mode, node), before);
      });
      await subject.until("the rules are back", async () => (await rulesOf(mode, node)) === before);
    });
  });
}

const addForeign = [
  "sh",
  "-c",
  "echo 'table inet foreign { chain c { tcp dport 7 accept; }; }' | nft -f -",
];
