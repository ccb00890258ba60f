// Everything changes at once, and every single answer is held against what was true.

import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { it } from "node:test";
import * as packet from "dns-packet";
import { DnsServer } from "./dns-fixture.ts";

const rounds = process.env["TANDEM_SOAK"] === "1" ? 200 : 40;
const patience = 30_000;

/** Something with a name that is another in every round. */
interface Moving {
  readonly name: string;
  readonly type: "A" | "AAAA" | "CNAME";
  /** What the name has in the round: a code, and the data of its records. */
  state(round: number): string;
  change(round: number): Promise<void>;
}

it("[DNS-3] no answer is wrong while everything changes", async (context) => {
  await using dns = await DnsServer.start();
  const all = await movingThings(dns);
  const failed = new AbortController();
  const results = await Promise.all(
    all.map(async (moving) => {
      try {
        return await follow({ port: dns.port, moving, signal: failed.signal });
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    }),
  );
  const answers = results.reduce((sum, { answers: count }) => sum + count, 0);
  const delays = results.flatMap((result) => result.delays).toSorted((a, b) => a - b);
  const at = (share: number) => (delays[Math.ceil(share * delays.length) - 1] ?? 0).toFixed(1);
  const late = delays.filter((delay) => delay > 1000).length;
  context.diagnostic(
    `${all.length * rounds} changes, ${answers} answers, none wrong; an answer follows after ` +
      `${at(0.5)} ms (median), ${at(0.99)} ms (p99); ${late} after more than a second`,
  );
});

interface Following {
  readonly port: number;
  readonly moving: Moving;
  readonly signal: AbortSignal;
}

/** Changes it round after round, while its name is asked for without a pause. */
async function follow({ port, moving, signal }: Following) {
  const truth = [moving.state(0)];
  const acknowledged: number[] = [performance.now()];
  const seen: number[] = [];
  let position = 0;
  let answers = 0;
  const changing = (async () => {
    for (let round = 1; round <= rounds && !signal.aborted; round++) {
      truth.push(moving.state(round));
      await moving.change(round);
      acknowledged[round] = performance.now();
    }
  })();
  const asking = (async () => {
    for await (const answer of ask({ port, moving, signal })) {
      // It may be any state since the one that was told last, but none before that.
      const found = truth.indexOf(answer, position);
      const expected = truth.slice(position, position + 5).join(" or ");
      assert.notEqual(found, -1, `${moving.name} has ${answer}, not ${expected}`);
      answers += 1;
      for (; position < found; position++) seen[position + 1] = performance.now();
      if (position === rounds) return;
    }
  })();
  await Promise.all([changing, asking]);
  const delays = acknowledged.map((time, round) => Math.max(0, (seen[round] ?? time) - time));
  return { answers, delays: delays.slice(1) };
}

async function movingThings(dns: DnsServer): Promise<Moving[]> {
  const { api } = dns;
  const core = "/api/v1/namespaces/default";
  const send = async (path: string, body: object): Promise<void> => {
    const type = "application/merge-patch+json";
    const { code, text } = await api.send("PATCH", path, { body: JSON.stringify(body), type });
    assert.equal(code, 200, text);
  };
  const endpoints = ["IPv4", "IPv6"].map(async (addressType): Promise<Moving> => {
    const name = `moving-${addressType.toLowerCase()}`;
    const addresses = (round: number) =>
      [1, 2, 3].map((n) =>
        addressType === "IPv4" ? `10.1.${round}.${n}` : `fd00:${round + 1}::${n}`,
      );
    const content = (round: number) => ({
      endpoints: addresses(round).map((address) => ({ addresses: [address] })),
    });
    await dns.service(name, { clusterIP: "None" });
    await dns.slice(name, name, { addressType, ...content(0) });
    const path = `/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/${name}`;
    return {
      name: `${name}.default.svc.cluster.local`,
      type: addressType === "IPv4" ? "A" : "AAAA",
      state: (round) => `NOERROR ${addresses(round).toSorted().join(" ")}`,
      change: (round) => send(path, content(round)),
    };
  });
  const pod = (async (): Promise<Moving> => {
    const addresses = (round: number) => [`10.2.${round}.1`, `fd00:2:${round + 1}::1`];
    await dns.pod("moving", addresses(0));
    return {
      name: "moving.default.pod.cluster.local",
      type: "A",
      state: (round) => `NOERROR 10.2.${round}.1`,
      change: (round) => {
        const podIPs = addresses(round).map((ip) => ({ ip }));
        return send(`${core}/pods/moving/status`, { status: { podIP: podIPs[0]?.ip, podIPs } });
      },
    };
  })();
  const external = (async (): Promise<Moving> => {
    const spec = (round: number) => ({
      type: "ExternalName",
      externalName: `target-${round}.example.com`,
    });
    await dns.service("elsewhere", spec(0));
    return {
      name: "elsewhere.default.svc.cluster.local",
      type: "CNAME",
      state: (round) => `NOERROR target-${round}.example.com`,
      change: (round) => send(`${core}/services/elsewhere`, { spec: spec(round) }),
    };
  })();
  // There in even rounds, each time at another address; gone in those between.
  const comes = (async (): Promise<Moving> => {
    const make = (round: number) =>
      dns.service("fleeting", { clusterIP: `10.96.1.${round + 1}`, ports: [{ port: 80 }] });
    await make(0);
    return {
      name: "fleeting.default.svc.cluster.local",
      type: "A",
      state: (round) => (round % 2 === 0 ? `NOERROR 10.96.1.${(round % 250) + 1}` : "NXDOMAIN"),
      change: async (round) => {
        if (round % 2 === 0) return await make(round % 250);
        const { code, text } = await api.call("DELETE", `${core}/services/fleeting`);
        assert.equal(code, 200, text);
      },
    };
  })();
  const all = await Promise.all([...endpoints, pod, external, comes]);
  for (const { name, type } of all) {
    await dns.digUntil(name, type, ({ answers }) => answers.length > 0);
  }
  return all;
}

/** One answer after the other, as a state has them. */
async function* ask({ port, moving, signal: failed }: Following): AsyncGenerator<string> {
  const { name, type } = moving;
  const socket = createSocket("udp4");
  const question = packet.encode({ type: "query", id: 1, questions: [{ name, type }] });
  const signal = AbortSignal.any([failed, AbortSignal.timeout(rounds * 1000 + patience)]);
  try {
    for (;;) {
      const answered = once(socket, "message", { signal }) as Promise<[Buffer]>;
      socket.send(question, port, "127.0.0.1");
      const [message] = await answered;
      const { answers = [], rcode } = packet.decode(message) as packet.DecodedPacket & {
        readonly rcode: string;
      };
      const data = answers.map((answer) => (answer.type === type ? answer.data : answer.type));
      yield [rcode, ...data.toSorted()].join(" ");
    }
  } finally {
    socket.close();
  }
}
