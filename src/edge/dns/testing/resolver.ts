// The fixture of the resolver's tests: a cluster, and an upstream server.

import assert from "node:assert/strict";
import * as packet from "dns-packet";
import { Informers } from "../../../api/client/informer.ts";
import { FakeApi } from "../../../api/client/testing/api.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { Registry } from "../../../base/program/metrics.ts";
import { AnswerCache } from "../forward/cache.ts";
import { Forwarder } from "../forward/forwarder.ts";
import { Recursion } from "../forward/recursion.ts";
import { ClusterRecords } from "../kubernetes/cluster-records.ts";
import { searchedNext } from "../kubernetes/search-list.ts";
import { dnsMetrics } from "../metrics.ts";
import { Resolver } from "../resolver.ts";
import { rcodeName } from "../wire/codes.ts";
import { nameOf, textOf } from "../wire/name.ts";
import { readUpstreamAnswer } from "../wire/upstream-answer.ts";
import { Zone } from "../zone/zone.ts";

export function setUpResolver({
  servers = [{ host: "192.0.2.53", port: 53 }],
  autopath = false,
} = {}) {
  const api = new FakeApi();
  const clock = new FakeClock();
  const random = new FakeRandom();
  const log = createLog({ format: "text", write: () => undefined });
  const metrics = dnsMetrics(new Registry());
  const zone = new Zone({ domain: nameOf("cluster.local"), ttl: 5, serial: 1 });
  const informers = new Informers({ clock, random, log });
  const cluster = new ClusterRecords({
    client: api.client,
    informers,
    zone,
    ownService: "kube-system/kube-dns",
  });
  // The upstream server, which knows every name of example.com, by a CNAME.
  const exchange = (_: unknown, asking: { name: string; type: number }) => {
    const name = textOf(asking.name).slice(0, -1);
    const data = asking.type === 28 ? "2001:db8::1" : "192.0.2.1";
    const type = asking.type === 28 ? "AAAA" : "A";
    const message = packet.encode({
      type: "response",
      flags: name.endsWith("example.com") ? 0 : 3,
      questions: [{ name, type }],
      answers: name.endsWith("example.com")
        ? [
            { name, type: "CNAME", ttl: 60, data: "real.example.com" },
            { name: "real.example.com", type, ttl: 60, data },
          ]
        : [],
    });
    const answer = readUpstreamAnswer(message, asking);
    return answer === undefined ? Promise.reject(new Error("odd")) : Promise.resolve(answer);
  };
  const forwarder = new Forwarder({ servers, exchange, clock, log, onOutcome: () => undefined });
  const cache = new AnswerCache({ clock, maximumBytes: 1e6, staleMs: 0 });
  const recursion = new Recursion({ forwarder, cache, exchange, clock, random, metrics, log });
  const resolver = new Resolver({
    zone,
    recursion,
    metrics,
    searchedNext: (name, asker) => (autopath ? searchedNext(name, asker, zone) : []),
    isReady: () => cluster.isReady,
    isOurs: (name) => textOf(name).endsWith(".10.in-addr.arpa."),
  });
  const stop = new AbortController();
  const running = [informers.run(stop.signal), cluster.run(stop.signal)];
  const services = api.client.resource("v1", "Service");
  return {
    api,
    /** Waits until changes have been delivered, in one turn of the event loop, and applied, in the next. */
    settle: async () => {
      for (let turn = 0; turn < 5; turn++) await clock.advance(0);
    },
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await Promise.all(running);
    },
    pod: (namespace: string, name: string, podIPs: readonly string[]) =>
      api.client.resource("v1", "Pod").create({
        metadata: { namespace, name },
        spec: { containers: [] },
        status: { phase: "Running", podIPs: podIPs.map((ip) => ({ ip })) },
      }),
    service: (name: string, spec: object) =>
      services.create({ metadata: { namespace: "default", name }, spec }),
    /** Asks, and returns the reply as text: `NOERROR: web… A 10.96.0.9 | cluster.local SOA`. */
    async ask(
      name: string,
      type: packet.RecordType,
      { asker = "192.0.2.9", ...extra }: packet.Packet & { asker?: string } = {},
    ): Promise<string> {
      const questions = [{ name, type }];
      const message = packet.encode({ type: "query", flags: 0x100, questions, ...extra });
      const answer = await resolver.respond(message, {
        protocol: "udp",
        from: { address: asker, port: 1 },
      });
      assert.ok(answer !== undefined);
      const decoded = packet.decode(answer);
      const tell = (section: packet.Answer[] = []) =>
        section
          .filter(({ type: each }) => each !== "OPT")
          .map((each) => {
            const data = each.type === "SOA" ? "" : `${textOfData(each)} `;
            const line = `${each.name} ${each.type} ${data}`.trim();
            return line.replaceAll("default.svc.cluster.local", "…");
          })
          .join(", ");
      const authorities = tell(decoded.authorities);
      return `${rcodeName(answer.readUInt16BE(2) & 15)}: ${tell(decoded.answers)}${authorities && ` | ${authorities}`}`;
    },
  };
}

function textOfData(answer: packet.Answer): string {
  const data: unknown = "data" in answer ? answer.data : "";
  return Array.isArray(data) ? data.join(" ") : typeof data === "string" ? data : "";
}
