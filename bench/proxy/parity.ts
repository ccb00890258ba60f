// Whether the genuine kube-proxy and ours do the same with the same services of the same API server:
// connections from a pod, the node and a client to every place, in both families and with both protocols.
//
//   node --test bench/proxy/parity.ts

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "../../src/api/types/core.ts";
import { Address } from "../../src/base/net/address.ts";
import { type Family, families } from "../../src/base/net/family.ts";
import { addressOf, networkOf, type Party } from "../../src/node/proxy/plan/testing/scenario.ts";
import { openLab } from "../../test/e2e/proxy/lab.ts";
import { ProxyProgram } from "../../test/e2e/proxy/program.ts";
import { balancerStatus, objectsOf, shapes } from "./parity-services.ts";
import { kubeProxy } from "./subjects.ts";

/** Printed by the test. */
export interface Parity {
  readonly same: number;
  readonly all: number;
}

const lab = await openLab();
const program = await ProxyProgram.open(lab);
after(() => program[Symbol.asyncDispose]());

const senders = ["pod", "node", "client", "stranger"] as const;
const connections = 40;

const protocols = ["tcp", "udp"] as const;

type Protocol = (typeof protocols)[number];

interface Place {
  readonly name: string;
  readonly address: Address;
  readonly ports: Readonly<Record<Protocol, number>>;
}

/** Where a service is reached, of both families. */
async function placesOf(name: string): Promise<readonly Place[]> {
  const metadata = { name, namespace: "shop" };
  const { spec, status } = (await program.get({
    apiVersion: "v1",
    kind: "Service",
    metadata,
  })) as Service;
  const [tcp, udp] = (spec.ports ?? []).map((port) => port.nodePort);
  const at = (text: string, kind: string, ports = { tcp: 80, udp: 80 }): Place => {
    const address = Address.parse(text);
    return { name: `${name} ${kind} ${address.family}`, address, ports };
  };
  const onNode = (family: Family, ports: Place["ports"]): Place =>
    at(addressOf("node", family).toString(), "node port", ports);
  return [
    ...(spec.clusterIPs ?? []).map((ip) => at(ip, "cluster IP")),
    ...(spec.clusterIPs ?? []).map((ip) => at(ip, "unused port", { tcp: 81, udp: 81 })),
    ...(spec.externalIPs ?? []).map((ip) => at(ip, "external IP")),
    ...(status?.loadBalancer?.ingress ?? []).map(({ ip = "" }) => at(ip, "load balancer")),
    ...(tcp === undefined || udp === undefined
      ? []
      : families.map((family) => onNode(family, { tcp, udp }))),
  ];
}

/** Who answers, and whether that sees the sender; "nobody" where it is refused or never answered. */
async function observe(from: Party, place: Place, protocol: Protocol): Promise<string> {
  const address = place.address.toString();
  const source = addressOf(from, place.address.family).toString();
  const named = from === "client" || from === "stranger" ? { source } : {};
  const errand = { protocol, address, port: place.ports[protocol], ...named };
  const first = await lab.ask(from, { ...errand, count: 1, timeoutMs: 400 });
  // An IPv6 client cannot tell that kube-proxy refuses it: it takes the answer for a passing trouble.
  if (!first.some(isAnswer)) return "nobody";
  const findings = await lab.ask(from, { ...errand, count: connections, timeoutMs: 2000 });
  const outcomes = findings.map((finding) => outcome(finding, { from, source }));
  return [...new Set(outcomes)].toSorted().join(" ");
}

const answer = /^([a-d]):\d+ (.+)$/;

function isAnswer(finding: string): boolean {
  return answer.test(finding);
}

function outcome(finding: string, { from, source }: { from: Party; source: string }): string {
  const [, name, client] = answer.exec(finding) ?? [];
  if (name === undefined) return finding;
  return from === "node" || client === source ? name : `${name}*`;
}

async function observeAll(places: readonly Place[]): Promise<ReadonlyMap<string, string>> {
  await Promise.all(families.map((family) => lab.forgetFlows(family)));
  const seen = new Map<string, string>();
  await Promise.all(
    senders.map(async (from) => {
      for (const place of places) {
        for (const protocol of protocols) {
          const found = await observe(from, place, protocol);
          const isStuck = place.name.startsWith("sticky ") && /^[a-c]\*?$/.test(found);
          const text = isStuck ? found.replace(/[a-c]/, "one of them") : found;
          seen.set(`${from} to ${place.name} ${protocol}`, text);
        }
      }
    }),
  );
  return seen;
}

const each = (of: (family: Family) => unknown): string => families.map(of).join(",");

test("kube-proxy and ours lead everyone to the same places", { timeout: 580_000 }, async (t) => {
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "here" },
    spec: {},
  };
  await program.put([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }, node]);
  const addresses = families.map((family) => ({
    type: "InternalIP",
    address: addressOf("node", family).toString(),
  }));
  await program.putStatus({ ...node, status: { addresses } });
  for (const shape of shapes) {
    await program.put(objectsOf(shape));
    if (shape.lb !== undefined) await program.putStatus(balancerStatus(shape));
  }
  const places = (await Promise.all(shapes.map(({ name }) => placesOf(name)))).flat();
  const isReached = async (): Promise<boolean> => {
    const reached = places.filter(({ name }) => name.startsWith("plain cluster IP"));
    const found = await Promise.all(reached.map((place) => observe("client", place, "tcp")));
    return found.length === 2 && found.every((text) => text === "a* b* c*");
  };
  await program.startOther([
    kubeProxy,
    "--proxy-mode=nftables",
    "--hostname-override=here",
    `--cluster-cidr=${each((family) => networkOf("pods", family))}`,
    "--conntrack-max-per-core=0",
    "--conntrack-min=0",
    "--conntrack-tcp-timeout-established=0s",
    "--conntrack-tcp-timeout-close-wait=0s",
  ]);
  await program.until("kube-proxy has done its work", isReached);
  await sleep(2000);
  const theirs = await observeAll(places);
  await program.stopProxy();
  await lab.node.run(["nft", "flush", "ruleset"]);
  await program.startProxy("nftables");
  await program.until("ours has done its work", isReached);
  const ours = await observeAll(places);
  const differences = [...theirs].flatMap(([key, found]) =>
    ours.get(key) === found ? [] : [`${key}: kube-proxy ${found}, ours ${ours.get(key)}`],
  );
  const parity: Parity = { same: theirs.size - differences.length, all: theirs.size };
  t.diagnostic(JSON.stringify(parity));
  for (const difference of differences) t.diagnostic(difference);
  assert.deepEqual(differences, []);
});
